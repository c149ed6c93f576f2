"""Messages of a session as the compiler takes them, with no more than a prompt needs."""

from collections.abc import Awaitable, Callable, Sequence

from weft.context.conversation import Stored
from weft.context.window import History
from weft.sessions.metadata import AssistantOutput, Attachment, ToolCallMade, ToolResultGiven, UserInput
from weft.sessions.schemas import MessageView, Seen
from weft.workspaces.attachments import Shown

Looking = Callable[[Sequence[Attachment]], Awaitable[Shown]]


async def history_of(seen: Seen, look: Looking) -> History:
    """The window of a conversation, its attachments looked up."""
    return History([await _stored(message, look) for message in _shown(seen.messages)], seen.texts)


def _shown(messages: Sequence[MessageView]) -> Sequence[MessageView]:
    """Without what was broken off in the turn that is being answered: its answer is given anew."""
    begins = max((at for at, each in enumerate(messages) if isinstance(each.metadata, UserInput)), default=0)
    return [*messages[:begins], *(each for each in messages[begins:] if not _is_broken(each))]


def _is_broken(message: MessageView) -> bool:
    return isinstance(message.metadata, AssistantOutput) and message.metadata.incomplete


async def _stored(message: MessageView, look: Looking) -> Stored:
    name, text = str(message.id), message.content
    match message.metadata:
        case UserInput(attachments=attachments):
            shown = await look(attachments) if attachments else Shown()
            return Stored(name, "user_input", text, images=shown.images, files=shown.files)
        case ToolCallMade() as call:
            made, thought = (call.tool_call_id, call.name, call.arguments), call.reasoning_content
            return Stored(name, "tool_call", text, *made, reasoning_content=thought)
        case ToolResultGiven() as result:
            return Stored(name, "tool_result", text, result.tool_call_id, result.name)
        case AssistantOutput() as said:
            return Stored(name, "assistant_output", text, reasoning_content=said.reasoning_content)
    raise ValueError(f"message {message.id} is of a kind that no prompt shows: {message.metadata.type}")
