"""Issue 5 item 8: who watches never slows a run, and what is on its way to somebody slow is bounded."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from uuid import uuid4

import pytest

from weft.runs.live import MOST_AT_ONCE, Hub, LiveRun, Told, merged
from weft.state.events import Event, RunFinished, TextEnded, TextGrew, TextStarted, ToolEnded


def speak(live: LiveRun, pieces: Sequence[str], message: str = "m") -> None:
    """A text, piece by piece, none of it stored yet."""
    offset = 0
    for piece in pieces:
        live.tell(0, TextGrew(message, offset, piece))
        offset += len(piece)


def text_of(told: Sequence[Told]) -> str:
    return "".join(event.text for _, event in told if isinstance(event, TextGrew))


async def all_of(batches: AsyncIterator[Sequence[Told]]) -> list[Sequence[Told]]:
    return [batch async for batch in batches]


async def test_a_watcher_sees_every_piece_as_it_comes() -> None:
    """FLOW-7: nobody waits for more than there is."""
    live = LiveRun(0)
    watching = live.follow(0)
    for piece in ("一", "二"):
        live.tell(0, TextGrew("m", 0, piece))
        assert text_of(await anext(watching)) == piece


async def test_a_slow_watcher_reads_what_came_meanwhile_as_one() -> None:
    """Issue 5 item 8: pieces of one text are one piece, and nothing else is lost or moved."""
    live = LiveRun(0)
    live.tell(1, TextStarted("m"))
    speak(live, ["春", "江", "潮", "水"])
    live.tell(3, TextEnded("m"))
    live.tell(4, RunFinished())
    live.close()
    (batch,) = await all_of(live.follow(0))
    assert [event for _, event in batch] == [
        TextStarted("m"),
        TextGrew("m", 0, "春江潮水"),
        TextEnded("m"),
        RunFinished(),
    ]


async def test_a_batch_is_never_larger_than_that_and_its_last_piece() -> None:
    """Issue 5 item 8: bounded memory: ten megabytes are not one piece for somebody who was away."""
    live = LiveRun(0)
    piece = "x" * 1_000
    speak(live, [piece] * 10_000)
    for number in range(40):
        live.tell(number + 1, ToolEnded(str(number), "read_file", "succeeded", piece * 30, "r"))
    live.close()
    batches = await all_of(live.follow(0))
    sizes = [sum(len(getattr(each, "text", getattr(each, "content", ""))) for _, each in batch) for batch in batches]
    assert max(sizes) < MOST_AT_ONCE + len(piece) * 30
    assert sum(sizes) == len(piece) * (10_000 + 40 * 30)


async def test_a_watcher_that_never_reads_keeps_nobody_waiting() -> None:
    """Issue 5 item 8: telling waits for nobody."""
    live = LiveRun(0)
    stuck = live.follow(0)
    live.tell(1, TextStarted("m"))
    await anext(stuck)
    speak(live, ["x"] * 5_000)
    live.close()
    assert len(text_of([each for batch in await all_of(live.follow(0)) for each in batch])) == 5_000
    assert len(text_of([each for batch in await all_of(stuck) for each in batch])) == 5_000


async def test_a_watcher_that_goes_away_leaves_nothing_behind() -> None:
    """Issue 5 item 8: a thousand who came and went cost a run nothing."""
    live = LiveRun(0)
    watchers = [asyncio.ensure_future(anext(live.follow(0))) for _ in range(1_000)]
    await asyncio.sleep(0)
    assert len(live._waiting) == 1_000
    for watcher in watchers:
        watcher.cancel()
    await asyncio.gather(*watchers, return_exceptions=True)
    assert live._waiting == []


async def test_a_run_that_is_over_is_forgotten_whoever_still_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 5 item 8: who stopped reading holds nothing of a run that ended; it reads on where that is stored."""
    monkeypatch.setattr("weft.runs.live.KEPT_SECONDS", 0.0)
    live = LiveRun(0)
    stuck = live.follow(0)
    live.tell(1, TextStarted("m"))
    await anext(stuck)
    speak(live, ["x"] * 5_000)
    live.close()
    while live._log:  # noqa: ASYNC110 - a timer's work
        await asyncio.sleep(0)
    assert await all_of(stuck) == []


async def test_following_begins_where_everything_after_is_still_known() -> None:
    """SURF-1: from a number that is stored on; between two of them, without what has been read."""
    live = LiveRun(10)
    live.tell(11, TextStarted("m"))
    speak(live, ["一"])
    live.mark(12)
    live.tell(13, TextEnded("m"))
    live.mark(13)
    live.close()
    expected: list[tuple[int, list[Event]]] = [
        (10, [TextStarted("m"), TextGrew("m", 0, "一"), TextEnded("m")]),
        (11, [TextGrew("m", 0, "一"), TextEnded("m")]),
        (12, [TextEnded("m")]),
    ]
    for after, events in expected:
        (batch,) = await all_of(live.follow(after))
        assert [event for _, event in batch] == events
    assert await all_of(live.follow(13)) == []


def test_texts_that_take_turns_are_kept_apart() -> None:
    """FLOW-7: only pieces of one text that follow each other are joined."""
    told: list[Told] = [(0, TextGrew("a", 0, "1")), (0, TextGrew("b", 0, "2")), (5, TextGrew("b", 1, "3"))]
    assert merged(told) == [(0, TextGrew("a", 0, "1")), (5, TextGrew("b", 0, "23"))]


@pytest.mark.parametrize("closed", [False, True])
async def test_a_run_that_was_taken_up_again_is_not_dropped_with_the_old_one(closed: bool) -> None:
    """STATE-5: whoever carried it out before takes nothing away from whoever does now."""
    hub, run_id = Hub(), uuid4()
    old = hub.open(run_id, 0)
    if closed:
        old.close()
    new = hub.open(run_id, 5)
    hub.drop(run_id, old)
    assert hub.get(run_id) is new
    assert (old.closed, new.closed) == (True, False)


@pytest.mark.parametrize("marked", [0, 1, 2])
async def test_what_was_read_in_the_table_is_not_told_again(marked: int) -> None:
    """SURF-1: a watcher that read the table before its writer marked it as stored sees each event once."""
    live = LiveRun(0)
    ended = [ToolEnded(str(number), "read_file", "succeeded", "", "r") for number in (1, 2, 3)]
    for number in (1, 2, 3):
        live.tell(number, ended[number - 1])
        if number == marked:
            live.mark(number)
    live.close()
    assert await all_of(live.follow(2)) == [[(3, ended[2])]]


async def test_what_was_read_in_the_table_is_not_told_later() -> None:
    """SURF-1: what is shown once it is stored comes after somebody has read it there."""
    live = LiveRun(0)
    watching = asyncio.ensure_future(all_of(live.follow(2)))
    await asyncio.sleep(0)
    live.tell(1, TextStarted("m"))
    live.tell(2, TextEnded("m"))
    live.tell(3, RunFinished())
    live.close()
    assert [told for batch in await watching for told in batch] == [(3, RunFinished())]
