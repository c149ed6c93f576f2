"""A thousand clients who have joined runs that say nothing: what each costs a real server."""

import asyncio
import tempfile
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from bench._ground import table
from bench._servers import Server, weft_server
from weft.llm.scripted import Answer, ScriptedVendor

STREAMS, RUNS, WATCHED_SECONDS = 1_000, 50, 30.0
SILENCE = 20.0  # between two words of the model
AT_ONCE = 50  # joins under way; a crowd that comes at one moment is another measurement
WORDS = "Think about it."
Asked = dict[str, Any]


@dataclass(frozen=True)
class Cost:
    """Of so many streams that are open."""

    opening_ms: float  # of processor, each
    memory: float  # KiB, each
    idle: float  # share of one processor, all together


def asked(thread: str, run: str, message: str, **changes: Any) -> Asked:
    """What a client of AG-UI sends."""
    said = [{"id": f"u-{run}", "role": "user", "content": message}]
    about = {"threadId": thread, "runId": run, "protocolVersion": "1.0", "messages": said}
    return {**about, "tools": [], "context": [], "state": {}, "forwardedProps": {}, **changes}


def _memory(server: Server) -> float:
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="ascii")
    return float(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")))


@asynccontextmanager
async def stream(client: httpx.AsyncClient, given: Asked, until: bytes) -> AsyncIterator[bytes]:
    """A stream that is read up to these words, and held; what was read."""
    async with client.stream("POST", "/agui", json=given) as answer:
        answer.raise_for_status()
        seen, pieces = b"", answer.aiter_raw()
        while until not in seen:
            piece = await anext(pieces, None)
            if piece is None:
                raise RuntimeError(f"the stream ended: {seen[-500:]!r}")
            seen += piece
        yield seen


async def _begun(client: httpx.AsyncClient, stack: AsyncExitStack, *, behind: bool) -> list[Asked]:
    """Runs under way; `behind` each of them another that waits for its turn. Those to join."""

    async def begin() -> Asked:
        run = asked(str(uuid.uuid4()), str(uuid.uuid4()), WORDS)
        await stack.enter_async_context(stream(client, run, b"TEXT_MESSAGE_CONTENT"))
        if behind:
            run = asked(run["threadId"], str(uuid.uuid4()), WORDS, forwardedProps={"when_busy": "queue"})
            await stack.enter_async_context(stream(client, run, b"STATE_SNAPSHOT"))
        return run

    return await asyncio.gather(*(begin() for _ in range(RUNS)))


async def _measure(server: Server, *, behind: bool) -> Cost:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    async with httpx.AsyncClient(base_url=server.url, timeout=300, limits=limits) as client, AsyncExitStack() as stack:
        runs = await _begun(client, stack, behind=behind)
        gate = asyncio.Semaphore(AT_ONCE)

        async def join(number: int) -> None:
            async with gate:
                await stack.enter_async_context(stream(client, runs[number % RUNS], b"MESSAGES_SNAPSHOT"))

        memory, used = _memory(server), server.processor_seconds()
        await asyncio.gather(*(join(number) for number in range(STREAMS)))
        opened, used = server.processor_seconds() - used, server.processor_seconds()
        since = time.perf_counter()
        await asyncio.sleep(WATCHED_SECONDS)
        idle = (server.processor_seconds() - used) / (time.perf_counter() - since)
        return Cost(opened / STREAMS * 1000, (_memory(server) - memory) / STREAMS, idle)


def main() -> None:
    """Measure, each kind on a server of its own."""
    rows = []
    words = Answer(" ".join(["thinking"] * 1_000), gap=SILENCE)
    for name, behind in (("runs that this process carries out", False), ("runs that wait for their turn", True)):
        with (
            tempfile.TemporaryDirectory(prefix="weft-bench-", ignore_cleanup_errors=True) as folder,
            ScriptedVendor(default=words) as vendor,
            weft_server(Path(folder) / "home", vendor.base_url) as server,
        ):
            cost = asyncio.run(_measure(server, behind=behind))
            rows.append((name, cost.memory, cost.opening_ms, cost.idle * 100))
    table([f"{STREAMS:,} streams of", "KiB each", "processor ms to join", "% of a processor, idle"], rows)


if __name__ == "__main__":
    main()
