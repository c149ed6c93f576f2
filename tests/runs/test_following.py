"""Issue 5 item 8: one log a run, tailed from any process: nothing is missed, nothing is told twice."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.people import People
from tests.turns import House, a_house, calls
from weft.kit import clock
from weft.kit.actor import Actor
from weft.kit.db import Database
from weft.kit.db.listen import Listener
from weft.kit.ids import new_id
from weft.llm.scripted import Answer
from weft.nodes.ports import Ending
from weft.runs import following
from weft.runs.desk import Desk
from weft.runs.ending_anyway import end_anyway
from weft.runs.engine import Engine
from weft.runs.errors import RunUnknownError
from weft.runs.following import Bell, Follower
from weft.runs.live import Hub
from weft.runs.repository import EVENTS_CHANNEL, Owner, RunRepository
from weft.runs.schemas import TurnRequest
from weft.runs.service import RunKeeper
from weft.state.events import Event, RunFinished, TextEnded, TextGrew, TextStarted, dump

NEVER = 3_600.0


@pytest.fixture
def never_looks_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table is looked at when something was heard, and at no other time."""
    monkeypatch.setattr(following, "LOOK_SECONDS", NEVER)


@dataclass(frozen=True)
class Elsewhere:
    """Another process: it takes runs on and follows them, and carries none out."""

    engine: Engine
    people: People
    hub: Hub
    bell: Bell
    follower: Follower

    @classmethod
    @asynccontextmanager
    async def than(cls, house: House) -> AsyncIterator["Elsewhere"]:
        """Over the same database, hearing what is told there."""
        hub, bell = Hub(), Bell()
        follower = Follower(house.database, hub, bell)
        async with Listener(house.database.url) as listener, listener.hearing(EVENTS_CHANNEL, bell.ring):
            yield cls(house.runtime.engine, house.people, hub, bell, follower)

    async def waiting_run(self) -> tuple[Actor, Owner]:
        """A run that nobody carries out."""
        ann = await self.people.user()
        accepted = await Desk(self.engine).accept(ann, TurnRequest(message="hello"))
        assert ann.business_id is not None
        return ann, Owner(accepted.run.id, accepted.session_id, ann.business_id, ann.owner_id)

    async def tell(self, actor: Actor, owner: Owner, *events: Event) -> None:
        """Append these to what a run tells."""
        async with self.engine.database.transaction(actor) as tx:
            runs = RunRepository(tx.connection)
            first = await runs.last_seq(owner.run_id) + 1
            rows = [
                {"seq": first + at, "type": event.type, "data": dump(event), "at": clock.now()}
                for at, event in enumerate(events)
            ]
            await runs.tell(owner, rows)

    async def followed(self, actor: Actor, run_id: UUID) -> list[Event]:
        """What somebody sees who follows a run from its beginning."""
        return await followed(self.follower, actor, run_id)


async def followed(follower: Follower | Desk, actor: Actor, run_id: UUID) -> list[Event]:
    """The events of a run to its end."""
    async with asyncio.timeout(30):
        return [event async for batch in follower.follow(actor, run_id) for _, event in batch]


@pytest.fixture
async def elsewhere(new_database: Any, tmp_path: Path) -> AsyncIterator[Elsewhere]:
    """Alone in its database: what it takes on stays queued."""
    database = Database(await new_database("following"))
    async with a_house(database, tmp_path, works=False) as house, Elsewhere.than(house) as elsewhere:
        yield elsewhere
    await database.close()


def joined(events: Sequence[Event]) -> list[Event]:
    """The same with each text in one piece, however it came."""
    texts: dict[str, str] = {}
    for event in events:
        if isinstance(event, TextGrew):
            texts[event.message_id] = texts.get(event.message_id, "")[: event.offset] + event.text
    ends = [TextGrew(event.message_id, 0, texts[event.message_id]) for event in events if isinstance(event, TextEnded)]
    return [*(event for event in events if not isinstance(event, TextGrew)), *ends]


@pytest.mark.usefixtures("never_looks_by_itself")
async def test_a_run_of_another_process_is_followed_word_by_word(house: House) -> None:
    """SURF-1, SCALE-1: whoever is connected elsewhere sees the same, while it happens."""
    ann = await house.someone()
    house.says(calls("list_dir", path="."), Answer("春江潮水连海平，海上明月共潮生。" * 4, by=2, gap=0.03))
    async with Elsewhere.than(house) as elsewhere:
        accepted = await house.desk.accept(ann, TurnRequest(message="背一首诗"))
        there, here = await asyncio.gather(
            elsewhere.followed(ann, accepted.run.id), followed(house.desk, ann, accepted.run.id)
        )
    assert joined(there) == joined(here)
    assert sum(isinstance(event, TextGrew) for event in there) > 1  # it did not come all at once, at the end


@pytest.mark.usefixtures("never_looks_by_itself")
async def test_what_is_told_during_a_look_is_not_missed(elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch) -> None:
    """SURF-1: a notification that comes while the table is being read leads to another look."""
    ann, owner = await elsewhere.waiting_run()
    look, looks = elsewhere.follower._look, 0

    async def look_while_it_is_told(*about: Any) -> Any:
        nonlocal looks
        found, looks = await look(*about), looks + 1
        if looks == 1:
            with elsewhere.bell.hearing(owner.run_id) as rung:
                await elsewhere.tell(ann, owner, RunFinished())
                await rung.wait()
        return found

    monkeypatch.setattr(elsewhere.follower, "_look", look_while_it_is_told)
    assert await elsewhere.followed(ann, owner.run_id) == [RunFinished()]
    assert looks == 2


async def test_a_run_that_ends_during_a_look_is_told_to_its_end(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SURF-1: whichever is read first, its status or its events, a run is not over without having said how."""
    ann, owner = await elsewhere.waiting_run()
    held = await RunKeeper(elsewhere.engine.database).claim("somebody", 60)
    assert held is not None
    assert held.owner == owner
    reads = 0

    def ending_after(read: Any) -> Any:
        async def read_and_end(self: Any, *about: Any) -> Any:
            nonlocal reads
            found, reads = await read(self, *about), reads + 1
            if reads == 2:  # the first one asks whether there is such a run
                await end_anyway(elsewhere.engine, held, Ending("failed", (new_id(), "too_bad", "it failed")))
            return found

        return read_and_end

    for name in ("get", "events"):
        monkeypatch.setattr(RunRepository, name, ending_after(getattr(RunRepository, name)))
    (failed,) = await elsewhere.followed(ann, owner.run_id)
    assert failed.type == "run_failed"


@pytest.mark.usefixtures("never_looks_by_itself")
async def test_a_run_that_another_process_takes_over_is_told_on_from_there(elsewhere: Elsewhere) -> None:
    """STATE-5, SURF-1: what was told live is not told again from the table, but for words, which carry their place."""
    ann, owner = await elsewhere.waiting_run()
    live = elsewhere.hub.open(owner.run_id, 0, ann.owner_id)
    watching = elsewhere.follower.follow(ann, owner.run_id)
    live.tell(1, TextStarted("m"))
    live.tell(0, TextGrew("m", 0, "一二"))
    told = list(await anext(aiter(watching)))
    whole = [TextStarted("m"), TextGrew("m", 0, "一二三"), TextEnded("m"), RunFinished()]
    await elsewhere.tell(ann, owner, *whole)
    elsewhere.hub.drop(owner.run_id, live)
    async with asyncio.timeout(30):
        async for batch in watching:
            told += batch
    assert [event for _, event in told] == [whole[0], TextGrew("m", 0, "一二"), *whole[1:]]


@pytest.mark.usefixtures("never_looks_by_itself")
async def test_a_queued_run_is_followed_as_soon_as_this_process_takes_it_on(house: House) -> None:
    """FLOW-7: who waits for a run's turn sees its words as they come, from the first."""
    ann = await house.someone()
    house.says(Answer("first " * 10, gap=0.03), Answer("word " * 60, gap=0.03))
    one = await house.desk.accept(ann, TurnRequest(message="one"))
    two = await house.desk.accept(ann, TurnRequest(message="two", session_id=one.session_id, when_busy="queue"))
    told = await followed(house.desk, ann, two.run.id)
    assert sum(isinstance(event, TextGrew) for event in told) > 15  # what is read from the table comes in five or so


async def test_who_stopped_reading_reads_on_from_the_table(elsewhere: Elsewhere) -> None:
    """Issue 5 item 8: a run that has ended and is forgotten here is told on from where it is stored, to its end."""
    ann, owner = await elsewhere.waiting_run()
    live = elsewhere.hub.open(owner.run_id, 0, ann.owner_id)
    slow = elsewhere.follower.follow(ann, owner.run_id)
    live.tell(1, TextStarted("m"))
    told = list(await anext(aiter(slow)))
    whole = [TextStarted("m"), TextGrew("m", 0, "一二三"), TextEnded("m"), RunFinished()]
    live.tell(0, whole[1])
    await elsewhere.tell(ann, owner, *whole)
    live.tell(3, whole[2])
    live.tell(4, whole[3])
    elsewhere.hub.drop(owner.run_id, live)
    live.forget()
    async with asyncio.timeout(30):
        async for batch in slow:
            told += batch
    assert [event for _, event in told] == whole


async def test_a_run_that_could_not_be_taken_up_says_why(elsewhere: Elsewhere) -> None:
    """LED-2: a run that told nothing here and ended elsewhere in the same breath is told as it ended."""
    ann, owner = await elsewhere.waiting_run()
    held = await RunKeeper(elsewhere.engine.database).claim("somebody", 60)
    assert held is not None
    live = elsewhere.hub.open(owner.run_id, 0, ann.owner_id)
    watching = asyncio.ensure_future(elsewhere.followed(ann, owner.run_id))
    await asyncio.sleep(0)
    await end_anyway(elsewhere.engine, held, Ending("failed", (new_id(), "rights_lost", "not any more")))
    elsewhere.hub.drop(owner.run_id, live)
    (failed,) = await watching
    assert (failed.type, failed.code) == ("run_failed", "rights_lost")


async def test_a_run_out_of_reach_is_unknown(elsewhere: Elsewhere) -> None:
    """SEC-1: somebody else's run, here or elsewhere, answers like one that does not exist."""
    _, owner = await elsewhere.waiting_run()
    eve = await elsewhere.people.user()
    for run_id in (owner.run_id, uuid4()):
        with pytest.raises(RunUnknownError, match=f"no run {run_id}"):
            await elsewhere.followed(eve, run_id)
    elsewhere.hub.open(owner.run_id, 0, owner.user_id)
    with pytest.raises(RunUnknownError):
        await elsewhere.followed(eve, owner.run_id)


def test_a_notification_wakes_those_of_its_run_and_a_lost_connection_all() -> None:
    """Issue 5 item 8: a thousand who wait for other runs are not asked to look."""
    bell, one, other = Bell(), uuid4(), uuid4()
    with bell.hearing(one) as first, bell.hearing(one) as second, bell.hearing(other) as third:
        bell.ring(f"{one}:7")
        assert (first.is_set(), second.is_set(), third.is_set()) == (True, True, False)
        first.clear()
        bell.ring(None)
        assert (first.is_set(), third.is_set()) == (True, True)
    assert bell._hearing == {}
    bell.ring(f"{one}:8")
