"""Shows a turn while it happens: the answer as it comes, and around it what is done for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from weft.cli.chat_briefs import MARKS, asked, error, given
from weft.cli.chat_costs import Spent
from weft.cli.chat_paper import Paper
from weft.cli.chat_words import Words
from weft.cli.widths import Wrapping, cut, harmless
from weft.kit.errors import WeftError
from weft.state import events

_STYLES: Mapping[str, Mapping[str, Any]] = {
    "succeeded": {"fg": "green"},
    "failed": {"fg": "red"},
    "denied": {"fg": "yellow"},
    "unknown": {"fg": "yellow"},
}


@dataclass(slots=True)
class _Shown:
    """A text that is being shown."""

    wrapping: Wrapping
    aside: bool
    length: int = 0


@dataclass(slots=True)
class Screen:
    """One turn after the other, for somebody who reads along."""

    paper: Paper
    words: Words
    log_file: Path
    _texts: dict[str, _Shown] = field(default_factory=dict)
    _ended: events.ToolEnded | None = None  # until the next event says it in fewer words
    _broken: bool = False

    def begin(self, _session_id: UUID, _run_id: UUID) -> None:
        """Something is under way from now on."""
        self._broken = False
        self._status(self.words.thinking)

    def idle(self) -> None:
        """Nothing new came for a moment."""
        for shown in self._texts.values():
            self._write(shown, shown.wrapping.flush() if self.paper.wraps else "")
        self.paper.move()

    def rest(self) -> None:
        """Nothing is under way any more."""
        self._tool_told()
        for shown in self._texts.values():
            self._write(shown, shown.wrapping.flush() if self.paper.wraps else "")
        self._texts.clear()
        self.paper.status("")
        self.paper.end_line()

    def stopping(self) -> None:
        """The user wants the turn to end."""
        self.paper.end_line()
        self.paper.status(self.words.stopping)

    def show(self, _seq: int, event: events.Event) -> None:
        """What happened."""
        self._tool_told(event)
        match event:
            case events.TextStarted():
                self._text_started(event)
            case events.TextGrew():
                self._text_grew(event)
            case events.TextEnded():
                self._text_ended(event)
            case events.StageStarted():
                self._status({"execution": self.words.working, "organization": self.words.writing}.get(event.stage))
            case events.ToolCalled():
                self._tool_called(event)
            case events.ToolEnded():
                self._ended = event
            case events.SkillChanged():
                self._skill_changed(event)
            case events.ApprovalDecided(status="expired"):
                self.paper.line(f"  {self.words.expired}", fg="yellow")
            case events.RunFinished(outcome="cancelled"):
                self.paper.line(self.words.stopped, fg="yellow")
            case events.RunFailed():
                self._failed(event)
            case events.RunFinished() if self._broken:
                self.paper.line(self.words.broke_off, fg="yellow")

    def spent(self, turn: Spent, all_: Spent, seconds: float) -> None:
        """What the turn came to."""
        parts = [turn.line(self.words), self.words.seconds.format(seconds=f"{seconds:.1f}")]
        if all_.unpriced < all_.calls:  # else nothing is known of either
            parts.append(self.words.total.format(cost=all_.money(self.words)))
        self.paper.paragraph(" · ".join(parts), indent=2, dim=True)

    def left_waiting(self, session_id: UUID) -> None:
        """Nobody decided what it waits for."""
        self.paper.line(self.words.left_waiting.format(session=session_id), fg="yellow")

    def told(self, error: WeftError) -> None:
        """What could not be done."""
        self.rest()
        self.paper.paragraph(self.words.explained(error.code, error.detail), fg="red")

    def _text_started(self, event: events.TextStarted) -> None:
        aside = event.kind == "reasoning"
        self._texts[event.message_id] = _Shown(Wrapping(self.paper.columns), aside)
        if not aside:
            self.paper.status("")
            self.paper.end_line()

    def _text_grew(self, event: events.TextGrew) -> None:
        shown = self._texts.get(event.message_id)
        if shown is None:
            shown = self._texts[event.message_id] = _Shown(Wrapping(self.paper.columns), aside=False)
        piece = event.text[max(0, shown.length - event.offset) :]  # whoever joins late is told some of it twice
        shown.length += len(piece)
        self._write(shown, shown.wrapping.feed(piece) if self.paper.wraps else piece)

    def _text_ended(self, event: events.TextEnded) -> None:
        shown = self._texts.pop(event.message_id, None)
        if shown is not None:
            self._write(shown, shown.wrapping.flush() if self.paper.wraps else "")
            self.paper.end_line()
        self._broken = event.incomplete
        self._status(self.words.working)

    def _write(self, shown: _Shown, text: str) -> None:
        if not shown.aside:
            self.paper.write(text)
        elif self.paper.wraps:
            self.paper.write(self.paper.styled(text, dim=True) if text.strip() else text)

    def _tool_called(self, event: events.ToolCalled) -> None:
        self.paper.line(cut(f"→ {event.name} {asked(event.arguments)}", self.paper.columns), fg="cyan")
        self._status(self.words.running.format(tool=event.name))

    def _tool_told(self, event: events.Event | None = None) -> None:
        """What became of the tool before this event, in the words of its action where it has some of its own."""
        ended, self._ended = self._ended, None
        if ended is None:
            return
        said = {"denied": self.words.denied, "unknown": self.words.unknown}.get(ended.status, "")
        if ended.status == "failed":
            said = f"{self.words.failed}: {error(ended.content)}"
        elif isinstance(event, events.ActionTaken) and event.node == f"tool:{ended.name}":
            said = said or given(event.summary.removeprefix("succeeded: "))
        line = f"{MARKS[ended.status]} {ended.name} {said or given(ended.content) or self.words.succeeded}"
        self.paper.line(cut(line, self.paper.columns), **_STYLES[ended.status])
        self._status(self.words.working)

    def _skill_changed(self, event: events.SkillChanged) -> None:
        said = self.words.scenario if event.scenario else self.words.skill
        line = said.format(skill=event.skill, scenario=event.scenario) if event.skill else self.words.no_skill
        self.paper.line(f"◆ {harmless(line)}", fg="magenta", bold=True)

    def _failed(self, event: events.RunFailed) -> None:
        message = self.words.explained(event.code, event.message)
        self.paper.paragraph(self.words.run_failed.format(message=message), fg="red")
        self.paper.line(self.words.interrupted.format(error_id=event.error_id, log=self.log_file), dim=True)

    def _status(self, text: str | None) -> None:
        if text is not None:
            self.paper.status(f"{text} · {self.words.can_stop}")
