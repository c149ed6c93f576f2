"""What of a call a vendor's cache should know already: the bytes that it has in common with the last one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from weft.context.manifest import Expectation


@dataclass(frozen=True, slots=True)
class Segment:
    """A named stretch of a serialized call."""

    name: str
    text: str
    tokens: int
    stable: bool  # meant to be there again in the next call


@dataclass(frozen=True, slots=True)
class Sent:
    """A call as a vendor reads it: tools, then messages; the segments one after the other are its bytes."""

    segments: tuple[Segment, ...]

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(segment.text for segment in self.segments)

    @property
    def total(self) -> int:
        """Its tokens."""
        return sum(segment.tokens for segment in self.segments)


def as_json(value: Any) -> str:
    """JSON as the request is written, keys in the order they have."""
    return orjson.dumps(value, default=_plain).decode()


def message_segments(
    name: str, message: Mapping[str, Any], tokens: int, parts: Sequence[tuple[str, str, int, bool]], *, stable: bool
) -> list[Segment]:
    """A message in one segment, or in several where its text was joined of named parts.

    What closes a message stands at the beginning of the next one: a part that is added at its end then leaves what
    was there before as it was.
    """
    if not parts:
        return [Segment(name, "\n" + as_json(message), tokens, stable)]
    opening = f'\n{{"role":{as_json(message["role"])},"content":"'
    segments, before = [], opening
    for part, text, part_tokens, part_stable in parts:
        segments.append(Segment(part, before + as_json(text)[1:-1], part_tokens, part_stable))
        before = "\\n\\n"
    return [*segments, Segment(f"{name}/end", '"}', max(0, tokens), segments[-1].stable)]


def expectation(now: Sent, last: Sent | None, unit: int) -> Expectation:
    """What of this call the cache should hold after the last one, and which part is to blame for the rest."""
    if last is None:
        return Expectation(0, now.total, unit=unit)
    both = list(zip(now.segments, last.segments, strict=False))
    index = next((at for at, (ours, theirs) in enumerate(both) if ours.text != theirs.text), len(both))
    common = sum(ours.tokens for ours, _ in both[:index])
    if index < len(both):
        ours, theirs = both[index]
        common += ours.tokens * shared_beginning(ours.text, theirs.text) // max(1, len(ours.text))
    expected = common // unit * unit
    lost = sum(segment.tokens for segment in last.segments[index:] if segment.stable)
    stable_broken = index < len(last.segments) and last.segments[index].stable
    return Expectation(
        expected, now.total, _changed(now, last, index), stable_broken, lost if stable_broken else 0, unit
    )


def _changed(now: Sent, last: Sent, index: int) -> str:
    """The part to blame: the one that is new, gone, or different at the place where the two calls part."""
    if index >= len(last.segments) or index >= len(now.segments):
        return ""
    ours, theirs = now.segments[index].name, last.segments[index].name
    if ours == theirs:
        return ours
    return theirs if theirs not in {segment.name for segment in now.segments} else ours


def shared_beginning(one: str, other: str) -> int:
    """How many characters two texts have in common from the start."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
