"""A turn's timeline for people: when, what, and what of it, one line each."""

from collections.abc import Iterator, Sequence
from datetime import datetime

import click

from weft.calls.schemas import CallView, Outcome
from weft.cli.chat_costs import Spent
from weft.cli.chat_english import ENGLISH
from weft.cli.timeline import ToolUse, TurnTimeline
from weft.cli.widths import cut, padded
from weft.runs.schemas import ActionView
from weft.sessions.metadata import AssistantOutput, UserInput
from weft.sessions.schemas import MessageView

_WIDEST = 120
_KIND = 10
_Line = tuple[datetime, str, str]


def show_turn(timeline: TurnTimeline, messages: Sequence[MessageView]) -> None:
    """One turn, from what the user said to what was answered."""
    run = timeline.run
    took = "" if run.ended_at is None else f" · {(run.ended_at - run.created_at).total_seconds():.2f} s"
    head = f"turn {run.turn} · {run.status} · {run.created_at:%Y-%m-%d %H:%M:%S} UTC{took}"
    click.echo(f"\n{click.style(head, bold=True)}\n  {Spent.on(timeline.calls).line(ENGLISH)} · run {run.id}")
    lines = [*_said(messages), *_stages(timeline), *map(_action, timeline.actions), *map(_tool, timeline.tools)]
    lines += [(each.at, each.what, each.said) for each in timeline.moments]
    lines += [line for call in timeline.calls for line in _call(call)]
    for at, kind, text in sorted(lines, key=lambda line: line[0]):
        offset = f"{(at - run.created_at).total_seconds():+8.2f}"
        click.echo(f"  {offset}  {padded(kind, _KIND)}{cut(text, _WIDEST - _KIND - 12)}".rstrip())


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


def _tool(tool: ToolUse) -> _Line:
    said = f"{tool.name} {tool.arguments}"
    status = tool.status or "no outcome"
    took = "" if tool.ended_at is None else f" · {_seconds(tool.called_at, tool.ended_at)}"
    approval = "" if tool.approval is None else f" · {tool.approval}"
    room = _WIDEST - _KIND - 12
    outcome = f"{status}{approval}{took}"
    return tool.called_at, "tool", f"{cut(said, room - len(outcome) - 4)} → {outcome}"


def _call(call: CallView) -> Iterator[_Line]:
    """The call's own line, then its id, by which `weft context show` knows it."""
    parts = [call.purpose, f"{call.vendor}/{call.model}"]
    if call.outcome is not Outcome.SUCCEEDED:
        parts.append(f"{call.outcome}{f' ({call.error_code})' if call.error_code else ''}")
    if call.outcome is not Outcome.RUNNING:
        parts.append(Spent.on([call]).line(ENGLISH).partition(" · ")[2])
    if call.first_token_at is not None:
        parts.append(f"first token {_seconds(call.started_at, call.first_token_at)}")
    if call.ended_at is not None:
        parts.append(_seconds(call.started_at, call.ended_at))
    yield call.started_at, "call", " · ".join(parts)
    yield call.started_at, "", str(call.id)


def _seconds(since: datetime, until: datetime) -> str:
    return f"{(until - since).total_seconds():.2f} s"
