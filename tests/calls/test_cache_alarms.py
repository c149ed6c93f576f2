"""The alarm about a prefix: it fires where something broke it that nobody meant to, and on nothing else."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from types import MappingProxyType
from typing import Any

import pytest
from structlog.testing import capture_logs

from tests.calls.conftest import Recorder, compiled
from tests.context.blocks import conversation, data, says, usual
from tests.sessions.conftest import START
from weft.calls.cache_alarms import COLLAPSED, FELL_SHORT
from weft.context.blocks import Scope, Trust
from weft.context.compiling import Compiled

LONG = says("guidelines", "Read before you change. " * 60)


@contextmanager
def alarms() -> Iterator[list[str]]:
    """What is warned of meanwhile."""
    told: list[str] = []
    with capture_logs() as logs:
        yield told
    told += [each["event"] for each in logs if each["log_level"] == "warning"]


def _counted(counter: Any, **labels: str) -> float:
    return sum(
        sample.value
        for metric in counter.collect()
        for sample in metric.samples
        if sample.name.endswith("_total") and labels.items() <= sample.labels.items()
    )


HIT = {"input_tokens": 2_000, "cached_input_tokens": 64}


async def _two(
    recorder: Recorder, first: Compiled, second: Compiled, before: Any = MappingProxyType(HIT), **booked: Any
) -> list[str]:
    """The second after the first: what is warned of, in the log and in the answer."""
    await recorder.call(first, **before)
    facts = {"input_tokens": 2_000, "cached_input_tokens": second.manifest.expected.tokens} | booked
    with alarms() as told:
        call_id = await recorder.call(second, **facts)
    async with recorder.database.transaction(recorder.actor) as tx:
        view = await recorder.service(tx).view(call_id)
    assert [f"prompt_{alarm.code}" for alarm in view.cache.alarms] == told
    return [alarm.detail for alarm in view.cache.alarms]


async def test_ordinary_growth_is_no_alarm(recorder: Recorder) -> None:
    """SKILL-10, SKILL-11: the next turn, and the one after it."""
    first = compiled([LONG, *usual()], conversation(1))
    assert await _two(recorder, first, compiled([LONG, *usual()], conversation(2), after=first)) == []


async def test_a_block_that_breaks_the_prefix_is_named(recorder: Recorder) -> None:
    """SKILL-11: in the log, among the figures and in the answer."""
    before = _counted(COLLAPSED, block="guidelines", why="unplanned")
    first = compiled([LONG, *usual()], conversation(1))
    changed = compiled([says("guidelines", "Other."), *usual()], conversation(2), after=first)
    (detail,) = await _two(recorder, first, changed)
    assert "block guidelines" in detail
    assert _counted(COLLAPSED, block="guidelines", why="unplanned") == before + 1


async def test_a_skill_that_is_taken_on_is_counted_and_is_no_alarm(recorder: Recorder) -> None:
    """SKILL-11: what is meant to cost something is no news."""
    before = _counted(COLLAPSED, why="skill")
    first = compiled([LONG, *usual()], conversation(1))
    others = [block for block in usual() if block.id != "persona"]
    switched = compiled([LONG, *others, says("persona", "Another.")], conversation(2), after=first)
    assert await _two(recorder, first, switched) == []
    assert _counted(COLLAPSED, why="skill") == before + 1


async def test_a_users_own_skill_that_is_taken_on_is_no_alarm_either(recorder: Recorder) -> None:
    """SKILL-11: it speaks with the core's voice, so that the first to change is another block."""
    before = _counted(COLLAPSED, block="own_skill", why="skill")
    first = compiled([LONG, *usual()], conversation(1))
    own = data("own_skill", Scope.SKILL, Trust.USER, shrinks="text", name="mine", text="Be kind.")
    use = says("own_skill/use", scope=Scope.SKILL, trust=Trust.POLICY)
    switched = compiled([LONG, *usual(use, own)], conversation(2), after=first)
    assert await _two(recorder, first, switched) == []
    assert _counted(COLLAPSED, block="own_skill", why="skill") == before + 1


async def test_a_step_of_the_window_is_counted_and_is_no_alarm(recorder: Recorder) -> None:
    """SKILL-10: one call in several begins its history later; that is what the window is for."""
    before = _counted(COLLAPSED, why="window")
    first = compiled([LONG, *usual()], conversation(10))
    stepped = compiled([LONG, *usual()], conversation(11), after=first)
    assert stepped.manifest.window[0] > first.manifest.window[0]
    assert await _two(recorder, first, stepped) == []
    assert _counted(COLLAPSED, why="window") == before + 1


async def test_a_report_far_below_the_expectation_is_an_alarm(recorder: Recorder) -> None:
    """SKILL-11: the bytes were the same, and the vendor read them anew."""
    before = _counted(FELL_SHORT)
    first = compiled([LONG, *usual()], conversation(1))
    second = compiled([LONG, *usual()], conversation(2), after=first)
    assert second.manifest.expected.tokens >= 256
    (detail,) = await _two(recorder, first, second, cached_input_tokens=0)
    assert str(second.manifest.expected.tokens) in detail
    assert _counted(FELL_SHORT) == before + 1


@pytest.mark.parametrize(
    "booked",
    [
        {"started_at": START + timedelta(hours=2), "ended_at": START + timedelta(hours=2)},
        {"key": "deepseek/other"},
        {"usage_source": "estimated"},
        {"outcome": "failed"},
    ],
)
async def test_a_vendor_that_cannot_know_is_not_blamed(recorder: Recorder, booked: dict[str, Any]) -> None:
    """SKILL-11: after hours, over another key, without a report of its own, or where the call failed."""
    first = compiled([LONG, *usual()], conversation(1))
    second = compiled([LONG, *usual()], conversation(2), after=first)
    assert await _two(recorder, first, second, cached_input_tokens=0, **booked) == []


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ({"input_tokens": 2_000, "cached_input_tokens": 0}, 0),
        ({"input_tokens": 2_000, "cached_input_tokens": 0, "cache_write_tokens": 1_000}, 1),
    ],
)
async def test_a_vendor_without_a_cache_is_not_blamed(recorder: Recorder, before: dict[str, int], told: int) -> None:
    """SKILL-11: until it has read from one or written to one there is no telling whether it has one."""
    first = compiled([LONG, *usual()], conversation(1))
    second = compiled([LONG, *usual()], conversation(2), after=first)
    assert len(await _two(recorder, first, second, before, cached_input_tokens=0)) == told


async def test_a_step_that_is_written_again_alarms_once(recorder: Recorder) -> None:
    """SKILL-11: a turn that resumes records its calls again."""
    first = compiled([LONG, *usual()], conversation(1))
    changed = compiled([says("guidelines", "Other."), *usual()], conversation(2), after=first)
    await recorder.call(first)
    call_id = await recorder.call(changed)
    with alarms() as told:
        async with recorder.database.transaction(recorder.actor) as tx:
            await recorder.service(tx).record([call_id], changed)
    assert told == []
