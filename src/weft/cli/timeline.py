"""What each turn of a conversation did, put together: its stages, actions, model calls, tools and approvals."""

from collections.abc import Iterable
from uuid import UUID

from pydantic import BaseModel, JsonValue

from weft.calls.context_schemas import ContextOutline
from weft.calls.contexts import ContextService
from weft.calls.schemas import CallView
from weft.calls.service import CallService
from weft.http.answers import UtcTime
from weft.kit.db import Transaction
from weft.runs.schemas import ActionView, EventView, RunView
from weft.runs.service import RunService

_PAGE, _MOST_EVENTS = 1_000, 20_000


class StageSpan(BaseModel):
    """A stage of the flow; one that never ended was broken off."""

    stage: str
    started_at: UtcTime
    ended_at: UtcTime | None = None


class ToolUse(BaseModel):
    """A tool call, what was said to it and what became of it."""

    call_id: str
    name: str
    arguments: str = ""
    called_at: UtcTime
    approval: str | None = None  # asked, then approved, edited, denied or expired
    ended_at: UtcTime | None = None
    status: str | None = None
    content: str | None = None


class Moment(BaseModel):
    """Anything else that is worth a line."""

    at: UtcTime
    what: str
    said: str


class TurnTimeline(BaseModel):
    """All that one turn did."""

    run: RunView
    stages: list[StageSpan]
    actions: list[ActionView]
    calls: list[CallView]
    contexts: dict[UUID, ContextOutline]  # by call, as far as they are kept
    tools: list[ToolUse]
    moments: list[Moment]


async def timelines(tx: Transaction, session_id: UUID, limit: int) -> list[TurnTimeline]:
    """The last turns of a conversation, the oldest of them first."""
    runs = await RunService(tx).recent(session_id, None, limit)
    return [await _timeline(tx, run) for run in reversed(runs)]


async def _timeline(tx: Transaction, run: RunView) -> TurnTimeline:
    reading = _Reading()
    for event in await _events(tx, run.id):
        reading.read(event)
    calls = await CallService(tx).of_turn(run.id)
    return TurnTimeline(
        run=run,
        stages=reading.stages,
        actions=await RunService(tx).actions(run.id),
        calls=calls,
        contexts=await ContextService(tx).outlines([call.id for call in calls]),
        tools=list(reading.tools.values()),
        moments=reading.moments,
    )


async def _events(tx: Transaction, run_id: UUID) -> Iterable[EventView]:
    """All but the texts, which stand in the messages."""
    found: list[EventView] = []
    after = 0
    while after < _MOST_EVENTS:
        page = await RunService(tx).events(run_id, after, _PAGE)
        found += [event for event in page if event.type != "text_grew"]
        if len(page) < _PAGE:
            break
        after = page[-1].seq
    return found


class _Reading:
    """Puts together what the events of a run tell one by one."""

    def __init__(self) -> None:
        self.stages: list[StageSpan] = []
        self.tools: dict[str, ToolUse] = {}
        self.moments: list[Moment] = []

    def read(self, event: EventView) -> None:
        """One event more."""
        match event.type:
            case "stage_started":
                self.stages.append(StageSpan(stage=_text(event, "stage"), started_at=event.at))
            case "stage_ended":
                for span in self.stages:
                    if span.stage == event.data["stage"] and span.ended_at is None:
                        span.ended_at = event.at
            case "tool_called":
                tool = self._tool(event)
                tool.arguments = _text(event, "arguments")
            case "tool_ended":
                tool = self._tool(event)
                tool.ended_at, tool.status, tool.content = event.at, _text(event, "status"), _text(event, "content")
            case "approval_asked":
                self._tool(event).approval = "asked"
            case "approval_decided":
                if (asked := self.tools.get(_text(event, "call_id"))) is not None:
                    asked.approval = _text(event, "status")
            case _:
                self._read_moment(event)

    def _read_moment(self, event: EventView) -> None:
        match event.type:
            case "skill_changed":
                scenario = f" · {event.data['scenario']}" if event.data.get("scenario") else ""
                self._note(event, "skill", f"{event.data['skill'] or 'none'}{scenario}")
            case "run_paused":
                self._note(event, "waits", "for approval")
            case "run_started" if event.data.get("resumed"):
                self._note(event, "resumed", "")
            case "run_failed":
                self._note(event, "failed", f"{event.data['code']}: {event.data['message']} ({event.data['error_id']})")
            case "run_finished" if event.data.get("outcome") == "cancelled":
                self._note(event, "cancelled", "")

    def _note(self, event: EventView, what: str, said: str) -> None:
        self.moments.append(Moment(at=event.at, what=what, said=said))

    def _tool(self, event: EventView) -> ToolUse:
        call_id = _text(event, "call_id")
        if call_id not in self.tools:
            self.tools[call_id] = ToolUse(call_id=call_id, name=_text(event, "name"), called_at=event.at)
        return self.tools[call_id]


def _text(event: EventView, name: str) -> str:
    value: JsonValue = event.data.get(name)
    return str(value or "")
