"""What a run tells: shown at once to those who watch here, stored with its next step or a moment later.

Pieces of a text are stored together: one row a token would be the slowest thing that a runtime can do.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from weft.kit import clock
from weft.runs.live import LiveRun
from weft.state.events import Event, TextGrew, dump

Row = dict[str, Any]


class Telling:
    """The one that numbers the events of a run."""

    def __init__(self, live: LiveRun) -> None:
        self._live = live
        self._seq = live.start
        self._unsaved: list[Row] = []
        self._text: list[TextGrew] = []
        self._since: datetime | None = None

    @property
    def last(self) -> int:
        """The last number that was given."""
        return self._seq

    @property
    def waiting(self) -> bool:
        """Whether something that was shown is not stored yet."""
        return bool(self._unsaved or self._text)

    def show(self, event: Event) -> None:
        """Show it now and store it soon."""
        if isinstance(event, TextGrew):
            if self._text and self._text[0].message_id != event.message_id:
                self._close_text()
            if not self._text:
                self._since = clock.now()
            self._text.append(event)
            self._live.tell(0, event)
            return
        self._close_text()
        row = self._row(event, clock.now())
        self._unsaved.append(row)
        self._live.tell(row["seq"], event)

    def rows(self, more: Sequence[Event] = ()) -> list[Row]:
        """What is to be stored now: all that was shown, then these, which are shown once they are stored."""
        self._close_text()
        now = clock.now()
        return [*self._unsaved, *(self._row(event, now) for event in more)]

    def stored(self, rows: Sequence[Row], more: Sequence[Event] = ()) -> None:
        """These rows are stored; what was shown meanwhile is not among them."""
        saved = len(rows) - len(more)
        del self._unsaved[:saved]
        for row, event in zip(rows[saved:], more, strict=True):
            self._live.tell(row["seq"], event)
        if rows and not self.waiting:
            self._live.mark(rows[-1]["seq"])

    def _close_text(self) -> None:
        if not self._text:
            return
        first = self._text[0]
        whole = TextGrew(first.message_id, first.offset, "".join(piece.text for piece in self._text))
        self._unsaved.append(self._row(whole, self._since or clock.now()))
        self._text = []

    def _row(self, event: Event, at: datetime) -> Row:
        self._seq += 1
        return _row(self._seq, event, at)


def numbered(events: Sequence[Event], last_seq: int) -> list[Row]:
    """Events of a run that nobody carries out, as they are stored after the last of it."""
    return [_row(seq, event, clock.now()) for seq, event in enumerate(events, last_seq + 1)]


def _row(seq: int, event: Event, at: datetime) -> Row:
    return {"seq": seq, "type": event.type, "data": dump(event), "at": at}
