"""What an error means for the next try: another way, the same way later, or none."""

import random
from dataclasses import dataclass
from enum import Enum

from weft.llm import errors
from weft.llm.errors import ModelError
from weft.llm.health import Health
from weft.llm.ports import Candidate

MOST_ATTEMPTS = 5
LONGEST_WAIT = 10.0
_RATE_LIMIT_COOLING = 5.0
_REFUSED_KEY_COOLING = 600.0


class Next(Enum):
    """Where to go after a failure."""

    NOWHERE = "nowhere"
    ELSEWHERE = "elsewhere"  # only another way can help
    ANYWHERE = "anywhere"  # the same way may work a moment later


def key_name(candidate: Candidate) -> str:
    """What health knows the candidate's key by."""
    return f"key {candidate.key}"


def endpoint_name(candidate: Candidate) -> str:
    """What health knows the candidate's endpoint by."""
    return f"endpoint {candidate.card.vendor}/{candidate.endpoint}"


def judge(error: ModelError) -> Next:
    """What may be tried after this error. Nothing may, once a piece of an answer has been passed on."""
    if error.retry_safe:
        return Next.ANYWHERE
    return Next.ELSEWHERE if error.elsewhere and not error.shown else Next.NOWHERE


def note(health: Health, candidate: Candidate, error: ModelError) -> None:
    """Hold the error against whichever is to blame: the key or the endpoint."""
    if isinstance(error, errors.RateLimitedError):
        health.cool(key_name(candidate), error.retry_after or _RATE_LIMIT_COOLING)
    elif isinstance(error, errors.KeyRefusedError | errors.OutOfCreditError):
        health.cool(key_name(candidate), _REFUSED_KEY_COOLING)
    elif error.passing:
        health.failed(endpoint_name(candidate))


def wait_before(attempt: int, error: ModelError, rng: random.Random) -> float | None:
    """Seconds to wait before the same way is tried again; None where the vendor asks for more than we wait."""
    asked: float | None = getattr(error, "retry_after", None)
    if asked is not None and asked > LONGEST_WAIT:
        return None
    longest = min(0.25 * float(2**attempt), LONGEST_WAIT)
    # spread over half of the wait: callers that failed together must not come back together
    jittered = longest * (0.5 + rng.random() / 2)
    return max(jittered, asked or 0.0)


@dataclass(frozen=True, slots=True)
class Way:
    """A candidate and how long health would have it left alone."""

    candidate: Candidate
    ready_in: float


def ways(candidates: list[Candidate], health: Health) -> list[Way]:
    """The candidates in their order, those that cool down behind the others, the soonest first."""
    found = [Way(each, health.ready_in(key_name(each), endpoint_name(each))) for each in candidates]
    return sorted(found, key=lambda way: way.ready_in)
