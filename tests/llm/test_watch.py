"""Only waiting is timed, and only what waits too long is woken."""

import asyncio
import time

import pytest

from weft.llm.watch import Watch


async def test_a_wait_that_takes_too_long_ends() -> None:
    """INFRA-3: timeouts for the first token and for gaps."""
    started = time.monotonic()
    with pytest.raises(TimeoutError), Watch(0.05):
        await asyncio.sleep(5)
    assert 0.04 < time.monotonic() - started < 1
    await asyncio.sleep(0)  # nothing of it is left over


async def test_many_short_waits_are_none_too_long() -> None:
    """INFRA-3: the limit is for each gap, not for the whole."""
    with Watch(0.5) as watch:
        for _ in range(7):
            await asyncio.sleep(0.1)
            watch.stop()
            watch.start(0.5)


async def test_the_limit_can_change_on_the_way() -> None:
    """INFRA-3: the first token may take longer than a gap."""

    async def wait() -> None:
        with Watch(10) as watch:
            await asyncio.sleep(0)
            watch.stop()
            watch.start(0.05)
            await asyncio.sleep(5)

    with pytest.raises(TimeoutError):
        await wait()


async def test_the_work_of_the_consumer_is_not_timed() -> None:
    """INFRA-3: a slow reader is no slow vendor; and after its work the count begins anew."""
    with Watch(0.3) as watch:
        watch.stop()
        await asyncio.sleep(0.5)
        watch.start(0.3)
        await asyncio.sleep(0.05)


async def test_a_cancellation_from_outside_stays_a_cancellation() -> None:
    """INFRA-3: cancelling is not a timeout."""

    async def wait() -> None:
        with Watch(10):
            await asyncio.sleep(5)

    task = asyncio.create_task(wait())
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_cancellation_during_a_timeout_wins() -> None:
    """INFRA-3: whoever cancels must see it cancelled, even in the same instant."""

    async def wait() -> None:
        with Watch(0.03):
            try:
                await asyncio.sleep(5)
            finally:
                task.cancel()

    task = asyncio.create_task(wait())
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_it_fits_inside_a_timeout_of_the_caller() -> None:
    """INFRA-3: the caller's own deadline stays the caller's."""

    async def wait() -> None:
        async with asyncio.timeout(0.03):
            with Watch(10):
                await asyncio.sleep(5)

    with pytest.raises(TimeoutError):
        await wait()
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_it_follows_the_task_that_waits() -> None:
    """INFRA-3: a generator may be driven by one task now and by another later."""
    with Watch(10) as watch:
        watch.stop()

        async def wait() -> None:
            watch.start(0.03)
            await asyncio.sleep(5)

        with pytest.raises(asyncio.CancelledError):
            await asyncio.create_task(wait())
        assert watch.expired
