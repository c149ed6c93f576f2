"""A streamed turn over HTTP with real commits: processor time and turns a second, beside a proxy that keeps nothing."""

import asyncio
import tempfile
import time
import uuid
from pathlib import Path

import httpx

from bench._ground import table
from bench._servers import Server, python_server, weft_server

AT_ONCE = ((1, 30), (50, 150), (200, 400))  # how many at once, how many in all
FIRST_TOKENS = 30


async def _turn(client: httpx.AsyncClient, url: str, message: str) -> float:
    """One turn to its end; seconds to its first token."""
    body = {
        "threadId": str(uuid.uuid4()),
        "runId": str(uuid.uuid4()),
        "protocolVersion": "1.0",
        "state": {},
        "messages": [{"id": "u", "role": "user", "content": message}],
        "tools": [],
        "context": [],
        "forwardedProps": {},
    }
    begun, first, last = time.perf_counter(), 0.0, b""
    async with client.stream("POST", f"{url}/agui", json=body) as answer:
        answer.raise_for_status()
        async for piece in answer.aiter_bytes():
            if not first and b"TEXT_MESSAGE_CONTENT" in piece:
                first = time.perf_counter() - begun
            last = (last + piece)[-2_000:]
    if b"RUN_FINISHED" not in last:
        raise RuntimeError(f"the turn did not end well: {last[-500:]!r}")
    return first


async def _load(server: Server, at_once: int, turns: int) -> tuple[float, float, float]:
    """Processor milliseconds a turn, turns a second, median milliseconds to the first token."""
    limits = httpx.Limits(max_connections=at_once, max_keepalive_connections=at_once)
    async with httpx.AsyncClient(timeout=300, limits=limits) as client:
        gate = asyncio.Semaphore(at_once)

        async def one() -> float:
            async with gate:
                return await _turn(client, server.url, "Tell me a story.")

        await asyncio.gather(*(one() for _ in range(min(at_once, 20))))
        before, begun = server.processor_seconds(), time.perf_counter()
        firsts = sorted(await asyncio.gather(*(one() for _ in range(turns))))
        wall, used = time.perf_counter() - begun, server.processor_seconds() - before
    return used / turns * 1000, turns / wall, firsts[len(firsts) // 2] * 1000


def main() -> None:
    """Measure."""
    rows = []
    with (
        tempfile.TemporaryDirectory(prefix="weft-bench-", ignore_cleanup_errors=True) as folder,
        python_server("bench._vendor", "/v1/models", {}) as vendor,
    ):
        base = f"{vendor.url}/v1"
        with python_server("bench._floor", "/readyz", {"VENDOR": base}) as floor:
            rows += [("bare proxy", at_once, *asyncio.run(_load(floor, at_once, turns))) for at_once, turns in AT_ONCE]
        with weft_server(Path(folder) / "home", base) as weft:
            rows += [("Weft", at_once, *asyncio.run(_load(weft, at_once, turns))) for at_once, turns in AT_ONCE]
    floors = {row[1]: row[2] for row in rows if row[0] == "bare proxy"}
    told = [(*row, row[2] / floors[row[1]]) for row in rows]
    table(["", "at once", "processor ms a turn", "turns/s", "first token ms", "times the floor"], told)


if __name__ == "__main__":
    main()
