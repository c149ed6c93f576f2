"""Which of a conversation's rows a prompt may be made of: whole pairs, whole turns, nothing for operators."""

from collections import Counter
from collections.abc import Sequence

from weft.sessions.metadata import TEXTS, ToolCallMade, ToolResultGiven, UserInput
from weft.sessions.schemas import MessageView


def paired(messages: Sequence[MessageView]) -> list[MessageView]:
    """The messages without tool calls that have no result, results that have no call, and doubles of either.

    A model refuses a conversation in which the two do not match, so half a pair is worth less than none.
    """
    calls = Counter(m.metadata.tool_call_id for m in messages if isinstance(m.metadata, ToolCallMade))
    results = Counter(m.metadata.tool_call_id for m in messages if isinstance(m.metadata, ToolResultGiven))
    kept, called = [], set()
    for message in messages:
        about = message.metadata
        if isinstance(about, ToolCallMade | ToolResultGiven):
            whole = calls[about.tool_call_id] == 1 and results[about.tool_call_id] == 1
            if isinstance(about, ToolCallMade):
                called.add(about.tool_call_id)
            if not whole or about.tool_call_id not in called:
                continue
        kept.append(message)
    return _without_late_calls(kept)


def _without_late_calls(messages: list[MessageView]) -> list[MessageView]:
    """Drop calls whose only result stood before them."""
    answered = {m.metadata.tool_call_id for m in messages if isinstance(m.metadata, ToolResultGiven)}
    return [m for m in messages if not isinstance(m.metadata, ToolCallMade) or m.metadata.tool_call_id in answered]


def window(messages: Sequence[MessageView], texts: int) -> list[MessageView]:
    """The newest `texts` user and assistant texts, with the tool pairs that belong to those answers.

    `messages` reach back to one text more than that, or to the beginning. Tool rows before the oldest text ride with
    it if it is the answer they led to; if it is a user's, they belong to an answer that is no longer there.
    """
    positions = [index for index, message in enumerate(messages) if message.metadata.type in TEXTS]
    if not positions or texts < 1:
        return []
    oldest = max(0, len(positions) - texts)
    begin = positions[oldest - 1] + 1 if oldest else 0
    if isinstance(messages[positions[oldest]].metadata, UserInput):
        begin = positions[oldest]
    return paired(messages[begin:])
