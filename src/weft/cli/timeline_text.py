"""A turn's timeline for people: when, what, and what of it, one line each."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime

import click

from weft.calls.context_schemas import ContextOutline
from weft.calls.schemas import CallView, Outcome
from weft.cli.chat_costs import Spent, share
from weft.cli.chat_english import ENGLISH
from weft.cli.timeline import ToolUse, TurnTimeline
from weft.cli.widths import cut, padded
from weft.runs.schemas import ActionView
from weft.sessions.metadata import AssistantOutput, UserInput
from weft.sessions.schemas import MessageView

_WIDEST = 160  # columns, where it is not a terminal that shows it
_NARROWEST = 100
_BEFORE = 12  # columns that the time takes
_KIND = 10
_Line = tuple[datetime, str, str]


def show_turn(timeline: TurnTimeline, messages: Sequence[MessageView]) -> None:
    """One turn, from what the user said to what was answered."""
    run = timeline.run
    took = "" if run.ended_at is None else f" · {(run.ended_at - run.created_at).total_seconds():.2f} s"
    head = f"turn {run.turn} · {run.status} · {run.created_at:%Y-%m-%d %H:%M:%S} UTC{took}"
    click.echo(f"\n{click.style(head, bold=True)}\n  {Spent.on(timeline.calls).line(ENGLISH)} · run {run.id}")
    room = _columns() - _KIND - _BEFORE
    lines = [
        *_said(messages),
        *_stages(timeline),
        *map(_action, timeline.actions),
        *(_tool(each, room) for each in timeline.tools),
    ]
    lines += [(each.at, each.what, each.said) for each in timeline.moments]
    lines += [line for call in timeline.calls for line in _call(call, timeline.contexts.get(call.id))]
    for at, kind, text in sorted(lines, key=lambda line: line[0]):
        offset = f"{(at - run.created_at).total_seconds():+8.2f}"
        click.echo(f"  {offset}  {padded(kind, _KIND)}{cut(text, room)}".rstrip())


def _said(messages: Sequence[MessageView]) -> Iterator[_Line]:
    """What was said, and what only operators see."""
    for message in messages:
        match message.metadata:
            case UserInput():
                yield message.created_at, "user", message.content or ""
            case AssistantOutput(incomplete=incomplete):
                yield message.created_at, "answer", ("(incomplete) " if incomplete else "") + (message.content or "")
            case metadata if metadata.type == "stage_audit":
                yield message.created_at, "audit", f"{metadata.stage}: {metadata.data}"


def _stages(timeline: TurnTimeline) -> Iterator[_Line]:
    for span in timeline.stages:
        took = "never ended" if span.ended_at is None else _seconds(span.started_at, span.ended_at)
        yield span.started_at, "stage", f"{span.stage} · {took}"


def _action(action: ActionView) -> _Line:
    summary = str(action.action.get("summary") or "")
    return action.created_at, f"action {action.id}", f"{action.node}{': ' * bool(summary)}{summary}"


def _tool(tool: ToolUse, room: int) -> _Line:
    said = f"{tool.name} {tool.arguments}"
    status = tool.status or "no outcome"
    took = "" if tool.ended_at is None else f" · {_seconds(tool.called_at, tool.ended_at)}"
    approval = "" if tool.approval is None else f" · {tool.approval}"
    outcome = f"{status}{approval}{took}"
    return tool.called_at, "tool", f"{cut(said, room - len(outcome) - 4)} → {outcome}"


def _call(call: CallView, context: ContextOutline | None) -> Iterator[_Line]:
    """The call's own line, then what it was sent, behind the id by which `weft context show` knows it."""
    parts = [call.purpose, f"{call.vendor}/{call.model}"]
    if call.outcome is not Outcome.SUCCEEDED:
        parts.append(f"{call.outcome}{f' ({call.error_code})' if call.error_code else ''}")
    if call.outcome is not Outcome.RUNNING:
        parts.append(Spent.on([call]).line(ENGLISH).partition(" · ")[2])
    if call.ended_at is not None:
        parts.append(_seconds(call.started_at, call.ended_at))
    if call.first_token_at is not None:
        parts.append(f"first token {_seconds(call.started_at, call.first_token_at)}")
    yield call.started_at, "call", " · ".join(parts)
    yield call.started_at, "  sent", f"{call.id} · {'not kept' if context is None else _outline(context)}"


def _outline(context: ContextOutline) -> str:
    parts = [context.recipe, f"{context.total:,} tokens in {context.blocks} blocks"]
    if context.shortened or context.dropped:
        parts.append(f"{context.shortened} cut, {context.dropped} left out")
    parts.append(f"{share(context.expected_tokens, context.total)} expected from a cache")
    return " · ".join(parts)


def _columns() -> int:
    """The terminal's own width; a file or another program is given more."""
    if not sys.stdout.isatty():
        return _WIDEST
    return max(_NARROWEST, shutil.get_terminal_size().columns)


def _seconds(since: datetime, until: datetime) -> str:
    return f"{(until - since).total_seconds():.2f} s"
