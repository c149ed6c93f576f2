"""A prompt as it was asked with in the end: what was added to it after it was compiled is a part of what was sent.

A structured answer is asked for with its schema, and asked for again with what was wrong about the first one.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from weft.context.markers import flat
from weft.context.prefix import Segment, Sent, as_json

Count = Callable[[str], int]
_END = '"}'  # of a message that is one text


def as_asked(
    sent: Sent, compiled: Sequence[Mapping[str, Any]], asked: Sequence[Mapping[str, Any]], count: Count
) -> Sent:
    """What was sent, where these messages were asked with instead of those that were compiled."""
    if asked is compiled:
        return sent
    pairs = zip(compiled, asked, strict=False)
    same = next((at for at, (ours, theirs) in enumerate(pairs) if ours is not theirs and ours != theirs), None)
    if same is None:
        if len(asked) < len(compiled):
            return _replaced(sent, len(asked), (), count)
        return Sent((*sent.segments, *_added(asked[len(compiled) :], count)))
    segments = list(sent.segments)
    more = _more(compiled[same], asked[same])
    ends = _starts(sent, same + 1) - 1
    if not more or segments[ends].text != _END:
        return _replaced(sent, same, asked[same:], count)
    segments.insert(ends, Segment("added/instruction", as_json(more)[1:-1], count(more), stable=False))
    grown = [*compiled[:same], asked[same], *compiled[same + 1 :]]
    return as_asked(Sent(tuple(segments)), grown, asked, count)


def _more(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> str:
    """What stands at the end of the one message and not of the other."""
    before, after = flat(ours).get("content"), flat(theirs).get("content")
    if not isinstance(before, str) or not isinstance(after, str) or not after.startswith(before):
        return ""
    return after[len(before) :]


def _replaced(sent: Sent, index: int, asked: Sequence[Mapping[str, Any]], count: Count) -> Sent:
    """From this message on they are others: then they are named by their places only."""
    return Sent((*sent.segments[: _starts(sent, index)], *_added(asked, count)))


def _starts(sent: Sent, index: int) -> int:
    """The segment that a message begins with: each message stands on a line of its own."""
    starts = [at for at, segment in enumerate(sent.segments) if segment.text.startswith("\n")]
    return starts[index] if index < len(starts) else len(sent.segments)


def _added(messages: Sequence[Mapping[str, Any]], count: Count) -> list[Segment]:
    written = [as_json(flat(message)) for message in messages]
    return [
        Segment(f"added/{number}", "\n" + each, count(each), stable=False) for number, each in enumerate(written, 1)
    ]
