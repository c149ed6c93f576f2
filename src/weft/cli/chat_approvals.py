"""Asks at the terminal whether a tool may do what it is about to do: yes, no, or with other arguments."""

import os
from collections.abc import Mapping
from typing import Any

import click
import orjson

from weft.cli.chat_paper import Paper
from weft.cli.chat_prompt import Prompt
from weft.cli.chat_words import Words
from weft.cli.widths import cut, harmless, padded, width
from weft.runs.schemas import ApprovalView, Decision

_MOST_LINES = 12  # of one argument; all of it stands in what can be edited
_YES, _NO, _EDIT = ("y", "yes", "是", "好"), ("n", "no", "否", "不"), ("e", "edit", "改")


class Asking:
    """Asks for one call after the other."""

    def __init__(self, paper: Paper, words: Words, prompt: Prompt) -> None:
        self._paper, self._words, self._prompt = paper, words, prompt

    def __call__(self, approval: ApprovalView) -> Decision | None:
        """What the user decides; None where they leave it open (Ctrl-D)."""
        self._show(approval)
        while True:
            try:
                answer = self._prompt.ask(self._words.allow).strip()
            except EOFError:
                self._paper.line()
                return None
            word, _, rest = answer.partition(" ")
            if word.lower() in _YES:
                return Decision(approved=True)
            if word.lower() in _NO:
                return Decision(approved=False, reason=rest.strip()[:2_000] or None)
            if word.lower() in _EDIT:
                edited = self._edited(approval.arguments)
                if edited is not None:
                    return Decision(approved=True, edited_args=edited)
                continue
            self._paper.line(self._words.say_y_n_e, dim=True)

    def _show(self, approval: ApprovalView) -> None:
        self._paper.line(self._words.wants.format(tool=approval.name), fg="yellow", bold=True)
        if not approval.message.startswith(f"{approval.name}: {{"):  # the tool has a question of its own
            self._paper.line(f"  {cut(approval.message, self._paper.columns - 2)}")
        longest = max(map(width, approval.arguments), default=0)
        for name, value in approval.arguments.items():
            self._show_value(padded(name, longest), value)

    def _show_value(self, name: str, value: Any) -> None:
        text = value if isinstance(value, str) else orjson.dumps(value).decode()
        lines = harmless(text).split("\n")
        shown = (
            lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES - 1], f"… (+{len(lines) - _MOST_LINES + 1})"]
        )
        for number, line in enumerate(shown):
            self._paper.line(f"    {name if number == 0 else ' ' * width(name)}  {line}")

    def _edited(self, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
        try:
            text = self._edit(arguments)
        except EOFError:
            text = ""
        except click.ClickException as error:  # the editor
            self._paper.line(error.format_message(), fg="red")
            return None
        if not text.strip():
            return None
        try:
            edited = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            self._paper.line(self._words.not_json.format(error=error), fg="red")
            return None
        if not isinstance(edited, dict):
            self._paper.line(self._words.not_json.format(error=type(edited).__name__), fg="red")
            return None
        return edited

    def _edit(self, arguments: Mapping[str, Any]) -> str:
        """In the user's editor, or, where none is named, in a line."""
        if os.environ.get("VISUAL") or os.environ.get("EDITOR"):
            text = orjson.dumps(arguments, option=orjson.OPT_INDENT_2).decode()
            return click.edit(text, extension=".json", require_save=False) or ""
        return self._prompt.ask(self._words.edit_inline, orjson.dumps(arguments).decode())
