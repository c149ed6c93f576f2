"""What a run tells, as named events of a chat."""

from collections.abc import Iterator
from typing import Any

from weft.gateways.answering import Answering
from weft.gateways.chat.schemas import ChatApproval, ChatTool
from weft.state import events as told

Named = tuple[str, dict[str, Any]]


def spell(event: told.Event, new: str, answering: Answering) -> Iterator[Named]:
    """The events that say it; `new` is what it adds to the answer."""
    match event:
        case told.TextGrew():
            if new:
                yield "text", {"text": new}
        case told.ToolCalled() | told.ToolEnded():
            shown = ChatTool.of(answering.tools[event.call_id])
            yield "tool", shown.model_dump(mode="json", exclude_none=True)
        case told.SkillChanged():
            yield "skill", {"skill": event.skill, "scenario": event.scenario}
        case told.ApprovalAsked():
            yield "approval", ChatApproval.of(event).model_dump(mode="json")
        case told.RunFailed():
            yield "error", {"code": event.code, "message": event.message, "error_id": event.error_id}
        case _:
            return
