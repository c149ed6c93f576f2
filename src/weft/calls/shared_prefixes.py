"""What a vendor's cache may know from anybody's calls: the longest beginning that some call of the business had."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from uuid import UUID

from weft.context.blocks import MAY_INSTRUCT
from weft.context.manifest import Entry
from weft.context.prefix import Sent

MOST_PREFIXES = 100_000
HORIZON = 3_600.0  # seconds that a vendor's cache may hold what nobody sends


@dataclass(frozen=True, slots=True)
class Whose:
    """Whose caches are shared: one model's, within one business."""

    business_id: UUID
    user_id: UUID
    model: str


class SharedPrefixes:
    """Remembers, in this process and for an hour, with which texts calls began; texts themselves it does not hold.

    From the first text on that a user wrote or that came from outside, a beginning counts for that user alone: from
    no figure can it be told whether somebody else has a text.
    """

    def __init__(self, most: int = MOST_PREFIXES) -> None:
        self._most = most
        self._seen: OrderedDict[int, float] = OrderedDict()

    def common(self, whose: Whose, sent: Sent, hashes: Sequence[str], entries: Sequence[Entry]) -> int:
        """How many tokens this call has in common with the one that it shares the longest beginning with."""
        now = monotonic()
        found = tokens = 0
        for segment, link in zip(sent.segments, _chain(whose, sent, hashes, entries), strict=True):
            at = self._seen.get(link)
            if at is None or now - at > HORIZON:
                break
            tokens += segment.tokens
            found = tokens
        return found

    def note(self, whose: Whose, sent: Sent, hashes: Sequence[str], entries: Sequence[Entry]) -> None:
        """This was sent."""
        now = monotonic()
        for link in _chain(whose, sent, hashes, entries):
            self._seen[link] = now
            self._seen.move_to_end(link)
        while len(self._seen) > self._most:
            self._seen.popitem(last=False)


def _chain(whose: Whose, sent: Sent, hashes: Sequence[str], entries: Sequence[Entry]) -> Iterator[int]:
    """A number for each beginning of the call; Python's own hashes will do, for they never leave the process."""
    shared = {entry.id for entry in entries if entry.trust in MAY_INSTRUCT}
    link, private = hash((whose.business_id, whose.model)), False
    for segment, text_hash in zip(sent.segments, hashes, strict=True):
        if not private and segment.name not in shared:
            link, private = hash((link, whose.user_id)), True
        link = hash((link, text_hash))
        yield link


PREFIXES = SharedPrefixes()
