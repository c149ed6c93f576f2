"""A whole turn at turn 5 and at turn 5,000 of one conversation: processor time, ours and the database's, and bytes.

The turns are real ones, over the embedded database, with a vendor that says ten words. Turn 5 is that of as many
conversations as turns are measured; turn 5,000 is that of one, made as long by copying its last turn in every table.
"""

import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import asyncpg

from bench._ground import run, table
from bench._growing import analyze, grow
from bench._processes import processor_seconds
from bench._servers import python_server
from weft.accounts.authentication import LocalAuthentication
from weft.compose import Weft, open_weft
from weft.kit import log
from weft.kit.actor import Actor
from weft.kit.db.listen import Listener
from weft.runs.schemas import TurnRequest
from weft.runtime import Runtime, make_runtime
from weft.settings import Settings

EARLY, LATE = 5, 5_000
ROUNDS = 40
BYTES = """
    SELECT (SELECT sum(pg_column_size(body)) FROM agent_actions WHERE run_id = $1)::float8 AS actions,
      (SELECT pg_column_size(state) FROM agent_turn_snapshots WHERE run_id = $1)::float8 AS snapshot,
      (SELECT sum(pg_column_size(data)) FROM agent_run_events WHERE run_id = $1)::float8 AS events
"""


@dataclass
class Cost:
    """Of one turn, in milliseconds."""

    run_id: UUID
    wall: float
    ours: float
    database: float


class Bench:
    """Turns in a process that does nothing else."""

    def __init__(self, weft: Weft, runtime: Runtime, actor: Actor, postmaster: int) -> None:
        self._desk, self.weft, self._actor, self._postmaster = runtime.desk, weft, actor, postmaster

    async def turn(self, session_id: UUID | None) -> tuple[Cost, UUID]:
        """One, from the request to its last event."""
        begun, ours, theirs = time.perf_counter(), time.process_time(), processor_seconds(self._postmaster)
        accepted = await self._desk.accept(self._actor, TurnRequest(message="Go on.", session_id=session_id))
        async for _ in self._desk.follow(self._actor, accepted.run.id):
            pass
        spent = time.process_time() - ours  # before the database is looked at: that takes time of ours
        database = processor_seconds(self._postmaster) - theirs
        cost = Cost(accepted.run.id, (time.perf_counter() - begun) * 1000, spent * 1000, database * 1000)
        return cost, accepted.session_id

    async def early(self) -> tuple[list[Cost], UUID]:
        """The fifth turns of as many conversations; and the last of these."""
        costs = []
        for _ in range(ROUNDS):
            _, session_id = await self.turn(None)
            for _ in range(EARLY - 2):
                await self.turn(session_id)
            cost, _ = await self.turn(session_id)
            costs.append(cost)
        return costs, session_id

    async def late(self, session_id: UUID) -> list[Cost]:
        """As many turns of one, which had as many before."""
        for _ in range(2):
            await self.turn(session_id)
        return [(await self.turn(session_id))[0] for _ in range(ROUNDS)]


@asynccontextmanager
async def _ready(folder: Path) -> AsyncIterator[Bench]:
    log.configure("ERROR", plain=True)  # the vendor knows no cache, and is warned of for it
    async with AsyncExitStack() as stack:
        vendor = stack.enter_context(python_server("bench._vendor", "/v1/models", {"WORDS": "10"}))
        settings = Settings(home=folder / "home", llm_base_url=f"{vendor.url}/v1", llm_model="scripted")
        weft = await stack.enter_async_context(open_weft(settings))
        runtime = make_runtime(weft)
        listener = await stack.enter_async_context(Listener(weft.database.url))
        await stack.enter_async_context(runtime.working(listener))
        await runtime.flow.load()
        actor = (await LocalAuthentication.prepare(weft.database)).actor
        pid = next((folder / "home").rglob("postmaster.pid")).read_text().split()[0]
        yield Bench(weft, runtime, actor, int(pid))


async def _bytes(url: str, run_id: UUID) -> tuple[float, ...]:
    connection = await asyncpg.connect(url)
    try:
        return tuple(await connection.fetchrow(BYTES, run_id))
    finally:
        await connection.close()


async def work() -> None:
    """Measure both, one after the other, in one process."""
    with tempfile.TemporaryDirectory(prefix="weft-bench-", ignore_cleanup_errors=True) as folder:
        async with _ready(Path(folder)) as bench:
            url = bench.weft.database.url
            early, session_id = await bench.early()
            await grow(url, early[-1].run_id, LATE - EARLY - 2)
            await analyze(url)
            late = await bench.late(session_id)
            sizes = [await _bytes(url, costs[-1].run_id) for costs in (early, late)]
    rows: list[tuple[object, ...]] = []
    for name in ("ours", "database", "wall"):
        first, second = (
            (statistics.mean if name == "database" else statistics.median)(getattr(each, name) for each in costs)
            for costs in (early, late)
        )
        rows.append((f"ms of {'wall time' if name == 'wall' else f'processor, {name}'}", first, second, second / first))
    for name, first, second in zip(("its actions", "its snapshot", "its events"), *sizes, strict=True):
        rows.append((f"bytes of {name}", first, second, second / first))
    table(("a turn", f"turn {EARLY}", f"turn {LATE:,}", "ratio"), rows)


def main() -> None:
    """Print the figures."""
    run(work)
