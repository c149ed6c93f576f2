"""What a step leaves in the conversation; whoever keeps conversations writes it down with the step's action."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

from weft.context.conversation import Stored
from weft.kit.ids import new_id

Kind = Literal["tool_call", "tool_result", "assistant_output", "stage_audit"]
Status = Literal["succeeded", "failed", "denied", "unknown"]
_NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Row:
    """One message. `call_id` is the model call that it books; `data` is what an audit row keeps."""

    kind: Kind
    content: str | None = None
    id: UUID = field(default_factory=new_id)
    tool_call_id: str = ""
    name: str = ""
    arguments: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    status: Status = "succeeded"
    stage: str = ""
    incomplete: bool = False
    reasoning_content: str | None = None
    data: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    call_id: UUID | None = None

    def stored(self) -> Stored | None:
        """The message as the next prompt shows it; None for what no prompt shows."""
        if self.kind == "stage_audit":
            return None
        return Stored(
            str(self.id),
            self.kind,
            self.content,
            self.tool_call_id,
            self.name,
            self.arguments,
            self.reasoning_content,
        )
