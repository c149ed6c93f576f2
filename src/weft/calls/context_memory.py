"""What this process remembers of calls, so that what the database has is neither sent to it nor read from it again."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from weft.context.prefix import Sent

MOST_TEXTS = 200_000  # hashes known to be stored: about 40 MB at the most
MOST_CHARACTERS = 24_000_000  # of the last calls of conversations


@dataclass(frozen=True, slots=True)
class Kept:
    """A call that is stored."""

    call_id: UUID
    sent: Sent
    characters: int


class ContextMemory:
    """Bounded, and never more than a short way: what it has forgotten, or never knew, the database says.

    That a text is stored holds for the hour it was last sent in: the sweep leaves such a text alone.
    """

    def __init__(self, texts: int = MOST_TEXTS, characters: int = MOST_CHARACTERS) -> None:
        self._most_texts = texts
        self._most_characters = characters
        self._stored: OrderedDict[tuple[UUID, str], datetime] = OrderedDict()
        self._last: OrderedDict[UUID, Kept] = OrderedDict()
        self._characters = 0

    def unknown(self, user_id: UUID, hashes: Iterable[str], hour: datetime) -> list[str]:
        """Those of the hashes whose texts may not have been stored this hour, sorted, each once."""
        stored = self._stored
        return sorted({each for each in hashes if stored.get((user_id, each)) != hour})

    def note_stored(self, user_id: UUID, hashes: Iterable[str], hour: datetime) -> None:
        """These texts are stored; committed, not merely written."""
        for each in hashes:
            self._stored[user_id, each] = hour
            self._stored.move_to_end((user_id, each))
        while len(self._stored) > self._most_texts:
            self._stored.popitem(last=False)

    def last(self, session_id: UUID) -> Kept | None:
        """The conversation's last call, as far as this process knows."""
        found = self._last.get(session_id)
        if found is not None:
            self._last.move_to_end(session_id)
        return found

    def note_last(self, session_id: UUID, kept: Kept) -> None:
        """This is the conversation's last call now."""
        before = self._last.pop(session_id, None)
        if before is not None:
            self._characters -= before.characters
        if kept.characters > self._most_characters // 4:
            return  # one with many pictures in it: it is not worth all the others
        self._last[session_id] = kept
        self._characters += kept.characters
        while self._characters > self._most_characters:
            _, gone = self._last.popitem(last=False)
            self._characters -= gone.characters


MEMORY = ContextMemory()
