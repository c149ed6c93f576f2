"""Runs under way in this process, as those who watch see them.

A run keeps what it told in one list, and each watcher only its place in it: a thousand watchers cost a thousand
numbers, and a slow one reads the pieces of a text that came meanwhile as one, but never more than so much at a time.
What is on its way to somebody who reads slowly is bounded so, and some seconds after its end a run forgets its words,
for they are stored by then: whoever has not read that far reads on there. Nobody who watches ever slows a run.
"""

import asyncio
from bisect import bisect_right
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from uuid import UUID
from weakref import ref

from weft.kit.actor import Actor
from weft.state.events import Event, TextGrew, ToolEnded

Told = tuple[int, Event]  # the number it is stored under, 0 for a piece of a text that is not stored yet
MOST_AT_ONCE = 32_768  # characters of a batch, but for the last thing in it
KEPT_SECONDS = 5.0  # after a run's end


@dataclass(slots=True, eq=False, weakref_slot=True)
class LiveRun:
    """What a run told since this process carries it out; what it told before has numbers up to `start`."""

    start: int
    user_id: UUID | None = None  # whose it is
    _log: list[Told] = field(default_factory=list)
    _seqs: list[int] = field(default_factory=list)
    _places: list[int] = field(default_factory=list)
    _waiting: list[asyncio.Future[None]] = field(default_factory=list)
    closed: bool = False

    def is_of(self, actor: Actor) -> bool:
        """Whether the actor is the user whose run it is, and needs to be asked about by nobody."""
        return self.user_id is not None and actor.user_id == self.user_id

    def tell(self, seq: int, event: Event) -> None:
        """Let everybody who watches know."""
        self._log.append((seq, event))
        if self._waiting:
            self._wake()

    def mark(self, seq: int) -> None:
        """Everything told so far is stored, up to this number."""
        self._seqs.append(seq)
        self._places.append(len(self._log))

    def close(self) -> None:
        """Nothing more comes."""
        self.closed = True
        self._wake()
        asyncio.get_running_loop().call_later(KEPT_SECONDS, _forget, ref(self))

    def forget(self) -> None:
        """Whoever still follows it hears nothing more of it here."""
        self._log, self._seqs, self._places = [], [], []

    async def follow(self, after: int) -> AsyncIterator[Sequence[Told]]:
        """Batch by batch what was told after this number, to the end, or to where it is forgotten.

        Whoever read the number in the table may have been quicker than the one who marks here what is stored.
        """
        place = self._place_after(after)
        while True:
            if place < len(self._log):
                until = self._until(place)
                fresh = [told for told in self._log[place:until] if not 0 < told[0] <= after]
                place = until
                if fresh:
                    yield merged(fresh)
            elif self.closed:
                return
            else:
                await self._more()

    def _until(self, place: int) -> int:
        """Where the batch that begins there ends."""
        length = 0
        while place < len(self._log) and length < MOST_AT_ONCE:
            event = self._log[place][1]
            if isinstance(event, TextGrew):
                length += len(event.text)
            elif isinstance(event, ToolEnded):
                length += len(event.content)
            place += 1
        return place

    def _place_after(self, seq: int) -> int:
        at = bisect_right(self._seqs, seq)
        return self._places[at - 1] if at else 0

    async def _more(self) -> None:
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        try:
            await waiting
        finally:
            if not waiting.done() or waiting.cancelled():
                self._waiting = [each for each in self._waiting if each is not waiting]

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            if not each.done():
                each.set_result(None)


def merged(told: Sequence[Told]) -> list[Told]:
    """The same with the pieces of a text that follow each other as one piece."""
    batch: list[Told] = []
    pieces: list[str] = []
    first: TextGrew | None = None
    last_seq = 0
    for seq, event in told:
        if isinstance(event, TextGrew):
            if first is not None and first.message_id == event.message_id:
                pieces.append(event.text)
            else:
                _close(batch, first, pieces, last_seq)
                first, pieces = event, [event.text]
            last_seq = seq
            continue
        _close(batch, first, pieces, last_seq)
        first, pieces = None, []
        batch.append((seq, event))
    _close(batch, first, pieces, last_seq)
    return batch


def _close(batch: list[Told], first: TextGrew | None, pieces: list[str], seq: int) -> None:
    if first is not None:
        whole = first if len(pieces) == 1 else TextGrew(first.message_id, first.offset, "".join(pieces))
        batch.append((seq, whole))


def _forget(live: "ref[LiveRun]") -> None:
    if (known := live()) is not None:
        known.forget()


class Hub:
    """The runs under way in this process."""

    def __init__(self) -> None:
        self._runs: dict[UUID, LiveRun] = {}

    def open(self, run_id: UUID, start: int, user_id: UUID | None = None) -> LiveRun:
        """A run is carried out here from now on."""
        live = self._runs[run_id] = LiveRun(start, user_id)
        return live

    def get(self, run_id: UUID) -> LiveRun | None:
        """The run, if it is under way here."""
        live = self._runs.get(run_id)
        return None if live is None or live.closed else live

    def drop(self, run_id: UUID, live: LiveRun) -> None:
        """It is not any more; those who follow it still see its end."""
        if self._runs.get(run_id) is live:
            del self._runs[run_id]
        if not live.closed:
            live.close()
