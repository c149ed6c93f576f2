"""From the rows that a step leaves to messages of the conversation."""

from weft.nodes.rows import Row
from weft.sessions.metadata import AssistantOutput, StageAudit, ToolCallMade, ToolResultGiven
from weft.sessions.schemas import NewMessage


def message_of(row: Row) -> NewMessage:
    """The message that keeps a row."""
    return NewMessage(content=row.content, metadata=_metadata(row), call_id=row.call_id, id=row.id)


def _metadata(row: Row) -> ToolCallMade | ToolResultGiven | AssistantOutput | StageAudit:
    match row.kind:
        case "tool_call":
            return ToolCallMade(
                tool_call_id=row.tool_call_id,
                name=row.name,
                arguments=dict(row.arguments),
                reasoning_content=row.reasoning_content,
            )
        case "tool_result":
            return ToolResultGiven(tool_call_id=row.tool_call_id, name=row.name, status=row.status)
        case "assistant_output":
            return AssistantOutput(
                stage="intent" if row.stage == "intent" else "organization",
                incomplete=row.incomplete,
                reasoning_content=row.reasoning_content,
                response_metadata=dict(row.data),
            )
        case "stage_audit":
            return StageAudit(stage=row.stage, data=dict(row.data))
