"""Approvals as AG-UI's interrupts: what is asked, and which answers there are."""

from typing import Any

from weft.state.events import ApprovalAsked


def interrupt(approval_id: str, asked: ApprovalAsked | None) -> dict[str, Any]:
    """What the run waits for."""
    about = {"id": approval_id, "reason": "tool_call"}
    if asked is None:
        return about
    return {
        **about,
        "message": asked.message,
        "toolCallId": asked.call_id,
        "responseSchema": {
            "type": "object",
            "properties": {
                "approved": {"type": "boolean"},
                "editedArgs": dict(asked.schema),
                "reason": {"type": "string"},
            },
            "required": ["approved"],
        },
        "expiresAt": asked.expires_at,
    }
