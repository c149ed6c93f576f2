"""How long a model goes on after somebody asked for the end of its run: until the vendor sees the client leave."""

import asyncio
import statistics
import tempfile
import time
import uuid
from contextlib import AsyncExitStack
from pathlib import Path

import httpx

from bench._ground import table
from bench._servers import Server, weft_server
from bench.idle_streams import asked, stream
from weft.llm.scripted import Answer, Fault, ScriptedVendor

ROUNDS, OTHERS = 40, 50
STOPPED, TALKING = "Stop here.", "Go on."


def _vendor() -> ScriptedVendor:
    """Silent after a few words to those who will stop it, and talkative to everybody else."""
    vendor = ScriptedVendor(default=Answer(" ".join(["word"] * 3_000), gap=0.05))
    vendor.when(STOPPED, Answer(" ".join(["word"] * 20), fault=Fault("hang", after=5)))
    return vendor


async def _one(client: httpx.AsyncClient, vendor: ScriptedVendor) -> float:
    """Milliseconds of one."""
    run, before = asked(str(uuid.uuid4()), str(uuid.uuid4()), STOPPED), len(vendor.log)
    async with stream(client, run, b"TEXT_MESSAGE_CONTENT") as seen:
        exchange = next(each for each in vendor.log[before:] if STOPPED in each.last_words)
        run_id = seen.partition(b'"run_id":"')[2][:36].decode()
        since = time.monotonic()
        (await client.post(f"/api/runs/{run_id}/cancel")).raise_for_status()
        while exchange.ended_at is None:  # noqa: ASYNC110 - another thread's clock
            await asyncio.sleep(0.001)
    if not exchange.disconnected:
        raise RuntimeError("the vendor ended by itself")
    return (exchange.ended_at - since) * 1000


async def _measure(server: Server, vendor: ScriptedVendor, others: int) -> list[float]:
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=server.url, timeout=60, limits=limits) as client, AsyncExitStack() as stack:
        for _ in range(others):
            run = asked(str(uuid.uuid4()), str(uuid.uuid4()), TALKING)
            await stack.enter_async_context(stream(client, run, b"TEXT_MESSAGE_CONTENT"))
        return sorted([await _one(client, vendor) for _ in range(ROUNDS)])


def main() -> None:
    """Measure beside nobody, and beside others who are being answered."""
    rows = []
    with (
        tempfile.TemporaryDirectory(prefix="weft-bench-", ignore_cleanup_errors=True) as folder,
        _vendor() as vendor,
        weft_server(Path(folder) / "home", vendor.base_url) as server,
    ):
        for others in (0, OTHERS):
            found = asyncio.run(_measure(server, vendor, others))
            rows.append((others, statistics.median(found), found[int(len(found) * 0.9)], found[-1]))
    table(["others being answered", "ms, median", "ms, nine of ten", "ms, worst"], rows)


if __name__ == "__main__":
    main()
