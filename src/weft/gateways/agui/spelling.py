"""What a run tells, as AG-UI spells it: whatever is opened is closed, and nothing is said twice.

With a client that names no protocol version, the shape is the one that clients before 1.0 take: no outcome but an
interrupt, no pending calls, no usage, and nothing that they would refuse.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from weft.gateways.agui.approvals import interrupt
from weft.gateways.agui.opened import Opened, Wire, content_of, started
from weft.gateways.agui.shared_state import Document, SharedState
from weft.gateways.agui.spent import Spent
from weft.state import events as told

PROTOCOL_VERSION = "1.0"


class Spelling:
    """One AG-UI run: its words so far decide how the next ones are written."""

    def __init__(self, thread_id: str, run_id: str, state: Document, *, modern: bool = True) -> None:
        self._ids = {"threadId": thread_id, "runId": run_id}
        self._modern = modern
        self._open = Opened()
        self._state = SharedState(state)
        self._spent = Spent()
        self._calls: dict[str, told.ToolCalled] = {}  # of the whole run
        self._unanswered: dict[str, None] = {}  # those that this stream has started
        self._approvals: dict[str, told.ApprovalAsked] = {}

    @property
    def run_started(self) -> Wire:
        """The first event of the stream."""
        version = {"protocolVersion": PROTOCOL_VERSION} if self._modern else {}
        return {"type": "RUN_STARTED", **self._ids, **version}

    @property
    def state_snapshot(self) -> Wire:
        """The shared state as it is."""
        return {"type": "STATE_SNAPSHOT", "snapshot": self._state.document}

    def recall(self, event: told.Event) -> None:
        """Take note of something that an earlier stream told: it is not told again, but what follows builds on it."""
        for _ in self.spell(event):
            pass

    def new_part(self) -> None:
        """What was recalled belonged to an earlier AG-UI run; its tokens are not counted again."""
        for _ in self._open.close_all():
            pass
        self._spent = Spent()
        self._unanswered = {}

    def reopened(self) -> list[Wire]:
        """What stands open after what was recalled, begun again for a reader who joins now."""
        self._unanswered = {}
        return list(self._open.begin_again())

    def spell(self, event: told.Event) -> Iterator[Wire]:
        """The events that say it."""
        if type(event) is told.TextGrew:  # by far the most
            yield from self._grown(event)
            return
        match event:
            case told.RunStarted():
                yield from self._open.close_all()  # another process goes on with what one has left
            case told.StageStarted():
                yield from self._open.step(event.stage)
            case told.StageEnded():
                yield from self._open.close_step(event.stage)
            case told.TextStarted():
                yield from self._open.text(event.message_id, event.kind)
            case told.TextEnded():
                yield from self._ended_text(event)
            case told.ToolCalled():
                yield from self._called(event)
            case told.ToolEnded():
                yield from self._answered(event)
            case told.StateChanged():
                yield from self._state_changed(event)
            case told.RunPaused() | told.RunFinished() | told.RunFailed():
                yield from self._over(event)
            case _:
                yield from self._custom(event)

    def _grown(self, event: told.TextGrew) -> Iterator[Wire]:
        kind, text = self._open.grow(event)
        if text:
            yield content_of(event.message_id, kind, text)

    def _ended_text(self, event: told.TextEnded) -> Iterator[Wire]:
        if event.incomplete:
            yield _custom("weft.incomplete", {"messageId": event.message_id})
        marked = event.incomplete and self._modern
        yield from self._open.close_text(event.message_id, {"weft": {"incomplete": True}} if marked else None)

    def _called(self, event: told.ToolCalled) -> Iterator[Wire]:
        self._calls[event.call_id] = event
        self._unanswered[event.call_id] = None
        about = {"toolCallId": event.call_id}
        yield started(event)
        if event.arguments:
            yield {"type": "TOOL_CALL_ARGS", **about, "delta": event.arguments}
        yield {"type": "TOOL_CALL_END", **about}

    def _answered(self, event: told.ToolEnded) -> Iterator[Wire]:
        call = self._calls.get(event.call_id)
        if call is not None and call.frontend:
            return  # the client's to answer, and never ours
        self._unanswered.pop(event.call_id, None)
        result: Wire = {
            "type": "TOOL_CALL_RESULT",
            "messageId": event.message_id,
            "toolCallId": event.call_id,
            "content": event.content,
            "role": "tool",
        }
        if self._modern and event.status != "succeeded":
            result["metadata"] = {"weft": {"status": event.status}}
        yield result

    def _state_changed(self, event: told.StateChanged) -> Iterator[Wire]:
        changes = self._state.change(event.patch)
        if any(operation["path"] == "" for operation in event.patch):
            yield self.state_snapshot
        elif changes:
            yield {"type": "STATE_DELTA", "delta": changes}

    def _custom(self, event: told.Event) -> Iterator[Wire]:
        match event:
            case told.SkillChanged():
                scenario = {} if event.scenario is None else {"scenario": event.scenario}
                yield _custom("weft.skill", {"skill": event.skill, **scenario})
            case told.ActionTaken():
                yield _custom(
                    "weft.action",
                    {"id": event.id, "node": event.node, "summary": event.summary, "tokens": event.tokens},
                )
            case told.CallMade():
                self._spent.add(event)
                yield _custom("weft.call", told.dump(event))
            case told.ApprovalAsked():
                self._approvals[event.approval_id] = event
                yield _custom("weft.approval", told.dump(event))
            case told.ApprovalDecided():
                yield _custom("weft.approval_decided", told.dump(event))
            case _:
                return

    def _over(self, event: told.RunPaused | told.RunFinished | told.RunFailed) -> Iterator[Wire]:
        yield from self._open.close_all()
        usage = {"usage": spent} if self._modern and (spent := self._spent.entries()) else {}
        match event:
            case told.RunFailed():
                yield {"type": "RUN_ERROR", "message": event.message, "code": event.code, **usage}
            case told.RunPaused():
                yield {"type": "RUN_FINISHED", **self._ids, **usage, "outcome": self._interrupted(event)}
            case told.RunFinished():
                yield from self._announced(event.pending_tool_calls)
                yield from self._finished(event, usage)

    def _interrupted(self, event: told.RunPaused) -> Wire:
        """What is asked, in the order of the calls."""
        asked = [(each, self._approvals.get(each)) for each in event.pending]
        place = {call_id: at for at, call_id in enumerate(self._calls)}
        asked.sort(key=lambda each: place.get(each[1].call_id, 0) if each[1] is not None else 0)
        return {"type": "interrupt", "interrupts": [interrupt(name, about) for name, about in asked]}

    def _announced(self, pending: Sequence[str]) -> Iterator[Wire]:
        """Calls of the client's own tools that an earlier stream has told of: named again, so that they are done."""
        for call in (self._calls.get(each) for each in pending):
            if call is not None and call.call_id not in self._unanswered:
                self._unanswered[call.call_id] = None
                yield started(call)
                yield {"type": "TOOL_CALL_END", "toolCallId": call.call_id}

    def _finished(self, event: told.RunFinished, usage: Mapping[str, Any]) -> Iterator[Wire]:
        cancelled = event.outcome == "cancelled"
        finished: Wire = {"type": "RUN_FINISHED", **self._ids, **usage}
        if event.result and not cancelled:
            finished["result"] = dict(event.result)
        if self._modern:
            pending = {"pendingToolCallIds": list(self._unanswered)} if self._unanswered and not cancelled else {}
            finished["outcome"] = {"type": "cancelled"} if cancelled else {"type": "success", **pending}
        elif cancelled:
            yield _custom("weft.cancelled", {})
        yield finished


def _custom(name: str, value: Any) -> Wire:
    return {"type": "CUSTOM", "name": name, "value": value}
