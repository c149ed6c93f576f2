"""Text for the user that comes whole, and not piece by piece from a model."""

from weft.kit.ids import new_id
from weft.nodes.turn import Speech, Turn
from weft.state.events import TextGrew, TextStarted


def say_whole(turn: Turn, text: str, speech: Speech | None = None) -> Speech:
    """Show a text, or what goes on after what was shown."""
    if speech is None:
        speech = Speech(new_id())
        turn.show(TextStarted(str(speech.message_id)))
    if text:
        turn.show(TextGrew(str(speech.message_id), speech.length, text))
        speech.pieces.append(text)
        speech.length += len(text)
    return speech
