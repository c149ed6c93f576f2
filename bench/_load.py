"""Many turns at once over HTTP: what they cost the server and its database, and how soon they begin to answer."""

import asyncio
import re
import statistics
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import uvloop

from bench._client import post
from bench._clusters import Cluster
from bench._servers import Server
from bench._vendor import WORDS

ANSWER = "".join(f"word{number:04} " for number in range(WORDS)).strip().encode()
DELTA = re.compile(rb'"delta": ?"((?:[^"\\]|\\.)*)"')
CONTENT = b"TEXT_MESSAGE_CONTENT"
WARM_AT_ONCE = 20
REASON = 160  # letters of a reason that are told
End = tuple[float, int] | BaseException


@dataclass
class Tally:
    """What turns came to; milliseconds are those of one turn that ended well."""

    turns: int = 0
    wall: float = 0.0
    used: float = 0.0
    stored: float = 0.0
    written: float = 0.0
    firsts: list[float] = field(default_factory=list)
    events: list[int] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def __iadd__(self, other: "Tally") -> "Tally":
        for name in ("turns", "wall", "used", "stored", "written", "firsts", "events", "failures"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    @property
    def well(self) -> float:
        """How many ended well; what is divided by none of them is no number."""
        return len(self.firsts) or float("nan")

    @property
    def processor(self) -> float:
        """Milliseconds of the server."""
        return self.used / self.well * 1000

    @property
    def database(self) -> float:
        """Milliseconds of its database."""
        return self.stored / self.well * 1000

    @property
    def first(self) -> float:
        """Milliseconds to the first token, the median."""
        return statistics.median(self.firsts or [float("nan")]) * 1000

    @property
    def failed(self) -> str:
        """How many, and why most of them."""
        if not self.failures:
            return ""
        return f"{len(self.failures)} of {self.turns}: {Counter(self.failures).most_common(1)[0][0]}"


class TurnError(RuntimeError):
    """A turn did not end as it must."""


async def turn(url: str, message: str = "Tell me a story.") -> tuple[float, int]:
    """One turn of a new thread to its end: seconds to its first token, and how many events its text came in."""
    heard = await post(f"{url}/agui", _asked(message), CONTENT)
    if heard.status != 200 or b"RUN_FINISHED" not in heard.body[-2_000:]:
        raise TurnError(f"HTTP {heard.status}, and its end is {heard.body[-REASON // 2 :]!r}")
    told = b"".join(DELTA.findall(heard.body)).strip()
    if told != ANSWER:
        raise TurnError(f"the answer is not the vendor's: {len(told)} bytes instead of {len(ANSWER)}")
    return heard.first, heard.body.count(CONTENT)


def load(server: Server, cluster: Cluster | None, at_once: int, turns: int) -> Tally:
    """So many turns, so many of them at once, after some that warm it up."""
    uvloop.run(_turns(server.url, at_once, min(at_once, WARM_AT_ONCE)))
    written = cluster.written() if cluster else 0.0
    stored = cluster.processor_seconds() if cluster else 0.0
    used, begun = server.processor_seconds(), time.perf_counter()
    ends = uvloop.run(_turns(server.url, at_once, turns))
    wall, used = time.perf_counter() - begun, server.processor_seconds() - used
    well = [end for end in ends if not isinstance(end, BaseException)]
    return Tally(
        turns=turns,
        wall=wall,
        used=float("nan") if server.ended() else used,  # what a process used is gone with it
        stored=cluster.processor_seconds() - stored if cluster else 0.0,
        written=cluster.written() - written if cluster else 0.0,
        firsts=[first for first, _events in well],
        events=[events for _first, events in well],
        failures=[_reason(server, end) for end in ends if isinstance(end, BaseException)],
    )


async def _turns(url: str, at_once: int, turns: int) -> Sequence[End]:
    gate = asyncio.Semaphore(at_once)

    async def one() -> tuple[float, int]:
        async with gate:
            return await turn(url)

    return await asyncio.gather(*(one() for _ in range(turns)), return_exceptions=True)


def _reason(server: Server, failure: BaseException) -> str:
    if server.ended():
        return f"the server crashed ({server.process.returncode}): {server.last_words().strip()[-REASON:]}"
    return f"{type(failure).__name__} {failure}".strip()[:REASON]


def _asked(message: str) -> dict[str, object]:
    return {
        "threadId": str(uuid.uuid4()),
        "runId": str(uuid.uuid4()),
        "protocolVersion": "1.0",
        "state": {},
        "messages": [{"id": "u", "role": "user", "content": message}],
        "tools": [],
        "context": [],
        "forwardedProps": {},
    }
