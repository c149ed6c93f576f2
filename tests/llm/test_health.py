"""What is left alone, and for how long."""

from weft.llm.health import FIRST_COOLING, LONGEST_COOLING, Health


class _Time:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_what_nobody_complained_about_is_ready() -> None:
    assert Health().ready_in("key a", "endpoint b") == 0


def test_a_cool_down_ends_by_itself() -> None:
    """INFRA-3: cool-down of failing ones."""
    time = _Time()
    health = Health(time)
    health.cool("a", 10)
    health.cool("a", 4)
    assert health.ready_in("a", "b") == 10
    time.now += 10
    assert health.ready_in("a") == 0


def test_failures_in_a_row_cool_longer_and_longer_and_a_success_forgets_them() -> None:
    """INFRA-3: a blip is forgiven, a failure that lasts is gone round."""
    time = _Time()
    health = Health(time)
    waits = []
    for _ in range(12):
        health.failed("a")
        waits.append(health.ready_in("a"))
        time.now += health.ready_in("a")
    assert waits[:5] == [0, 0, FIRST_COOLING, 2 * FIRST_COOLING, 4 * FIRST_COOLING]
    assert waits[-1] == LONGEST_COOLING
    time.now += LONGEST_COOLING
    health.succeeded("a")
    health.failed("a")
    assert health.ready_in("a") == 0


def test_a_success_that_began_before_does_not_end_a_cool_down() -> None:
    """INFRA-3: a stream that ends well after a 429 says nothing about the 429."""
    health = Health(_Time())
    health.cool("key a", 60)
    health.succeeded("key a")
    assert health.ready_in("key a") == 60
