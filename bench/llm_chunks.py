"""Processor time per streamed chunk: our direct lane, LiteLLM, the openai SDK and bare httpx with json."""

import asyncio
import gc
import json
import multiprocessing
import os
import platform
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import openai
import uvloop

from weft.llm import litellm_lane, openai_compatible
from weft.llm.fold import Fold
from weft.llm.litellm_library import library
from weft.llm.scripted import Answer, Framing, ScriptedVendor
from weft.llm.types import Completion, ModelCall, Target

CHUNKS = 500
ROUNDS = 9
SETTLING = 0.1
STREAMS_AT_ONCE = 500
CHUNKS_AT_ONCE = 100
MESSAGES = [{"role": "user", "content": "Tell me a story."}]
TEXT = " ".join(f"word{number:04}" for number in range(CHUNKS))
BURST = Answer(TEXT)
PACED = Answer(TEXT, gap=0.002)
BATCHED = Answer(TEXT, framing=Framing(per_write=8))
SLOW = Answer(" ".join(TEXT.split()[:CHUNKS_AT_ONCE]), first_delay=0.5, gap=0.1)

Contender = Callable[[Target], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Load:
    name: str
    answer: Answer
    rounds: int


LOADS = (
    Load("one event a write, as fast as it can", BURST, ROUNDS),
    Load("eight events a write", BATCHED, ROUNDS),
    Load("one event every 2 ms", PACED, 3),
)


async def ours(target: Target) -> str:
    fold = Fold()
    async with aclosing(openai_compatible.stream(target, ModelCall(MESSAGES))) as deltas:
        async for delta in deltas:
            fold.add(delta)
    return fold.completion().text


async def through_litellm(target: Target) -> str:
    fold = Fold()
    async with aclosing(litellm_lane.stream(target, ModelCall(MESSAGES))) as deltas:
        async for delta in deltas:
            fold.add(delta)
    return fold.completion().text


async def litellm_itself(target: Target) -> str:
    litellm = await library()
    answer = await litellm.acompletion(
        model=target.model,
        custom_llm_provider="openai",
        api_base=target.base_url,
        api_key=target.api_key,
        messages=MESSAGES,
        stream=True,
        stream_options={"include_usage": True},
    )
    return "".join([_said(chunk) async for chunk in answer])


def _said(chunk: Any) -> str:
    return chunk.choices[0].delta.content or "" if chunk.choices else ""


class OpenAiSdk:
    def __init__(self) -> None:
        self._client: Any = None

    async def __call__(self, target: Target) -> str:
        if self._client is None:
            self._client = openai.AsyncOpenAI(base_url=target.base_url, api_key=target.api_key, max_retries=0)
        answer = await self._client.chat.completions.create(
            model=target.model, messages=MESSAGES, stream=True, stream_options={"include_usage": True}
        )
        return "".join([_said(chunk) async for chunk in answer])


class Bare:
    """The least that can be done with httpx and json: no error is looked at, nothing is kept but the text."""

    def __init__(self, *, lines: bool) -> None:
        self._client: httpx.AsyncClient | None = None
        self._read = self._by_lines if lines else self._by_bytes

    async def __call__(self, target: Target) -> str:
        self._client = self._client or httpx.AsyncClient(trust_env=False)
        body = {"model": target.model, "messages": MESSAGES, "stream": True}
        body["stream_options"] = {"include_usage": True}
        url = f"{target.base_url}/chat/completions"
        async with self._client.stream("POST", url, json=body) as response:
            return await self._read(response)

    async def _by_lines(self, response: httpx.Response) -> str:
        text: list[str] = []
        async for line in response.aiter_lines():
            if line.startswith("data: ") and line != "data: [DONE]":
                chunk = json.loads(line[6:])
                if chunk["choices"]:
                    text.append(chunk["choices"][0]["delta"].get("content") or "")
        return "".join(text)

    async def _by_bytes(self, response: httpx.Response) -> str:
        text: list[str] = []
        rest = b""
        async for piece in response.aiter_bytes():
            *whole, rest = (rest + piece).split(b"\n\n")
            for event in whole:
                if event.startswith(b"data: ") and event != b"data: [DONE]":
                    chunk = json.loads(event[6:])
                    if chunk["choices"]:
                        text.append(chunk["choices"][0]["delta"].get("content") or "")
        return "".join(text)


def contenders() -> dict[str, Contender]:
    return {
        "httpx bytes + json": Bare(lines=False),
        "httpx lines + json": Bare(lines=True),
        "weft direct lane": ours,
        "openai SDK": OpenAiSdk(),
        "litellm": litellm_itself,
        "weft litellm lane": through_litellm,
    }


async def processor_time(target: Target, contender: Contender) -> float:
    """Microseconds of this process for each chunk of one stream."""
    await asyncio.sleep(SETTLING)  # LiteLLM goes on working after its stream has ended
    gc.collect()
    started = time.process_time()
    text = await contender(target)
    spent = time.process_time() - started
    if text != TEXT:
        raise AssertionError(f"a contender lost text: {len(text)} of {len(TEXT)} characters")
    return spent / CHUNKS * 1e6


async def compare(url: str) -> None:
    runners = contenders()
    for load in LOADS:
        target = _target(url, load.name)
        figures: dict[str, list[float]] = {name: [] for name in runners}
        for runner in runners.values():
            await runner(target)  # imports, connections and caches are not what is measured
        for turn in range(load.rounds):
            names = list(runners)
            for name in names[turn % len(names) :] + names[: turn % len(names)]:
                figures[name].append(await processor_time(target, runners[name]))
        _print(load, {name: median(each) for name, each in figures.items()})


async def many_at_once(url: str) -> None:
    """500 streams in one process: none fails, and what each of them holds in memory."""
    target = _target(url, "slow")
    await openai_compatible.complete(target, ModelCall(MESSAGES))
    gc.collect()
    before, started, spent = _resident(), time.monotonic(), time.process_time()
    tasks = [asyncio.create_task(_whole(target)) for _ in range(STREAMS_AT_ONCE)]
    await asyncio.sleep(0.5 + CHUNKS_AT_ONCE * 0.1 / 2)
    during = _resident()
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    failed = [answer for answer in answers if isinstance(answer, BaseException)]
    short = [answer for answer in answers if isinstance(answer, Completion) and answer.text != SLOW.text]
    spent, seconds = time.process_time() - spent, time.monotonic() - started
    print(f"\n{STREAMS_AT_ONCE} streams at once of {CHUNKS_AT_ONCE} chunks, direct lane")
    print(f"  failed {len(failed)}, incomplete {len(short)}, {seconds:.1f} s, processor {spent:.1f} s")
    print(f"  processor per chunk {spent / STREAMS_AT_ONCE / CHUNKS_AT_ONCE * 1e6:.0f} µs")
    print(f"  memory per stream {(during - before) / STREAMS_AT_ONCE / 1024:.1f} KiB")
    if failed or short:
        raise AssertionError(f"streams failed: {failed[:3]}")


async def _whole(target: Target) -> Completion:
    fold = Fold()
    async for delta in openai_compatible.stream(target, ModelCall(MESSAGES)):
        fold.add(delta)
    return fold.completion()


def _target(url: str, model: str) -> Target:
    return Target("openai", model, url, "openai_compatible", "sk-bench")


def _print(load: Load, figures: dict[str, float]) -> None:
    bare = min(figures["httpx bytes + json"], figures["httpx lines + json"])
    own = figures["weft direct lane"]
    print(f"\n{load.name}: {CHUNKS} chunks, median of {load.rounds} interleaved rounds")
    print(f"  {'':20} {'µs/chunk':>9} {'of bare':>8} {'of ours':>8}")
    for name, figure in figures.items():
        print(f"  {name:20} {figure:9.1f} {figure / bare:7.2f}x {figure / own:7.2f}x")


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _serve(ready: Connection) -> None:
    by_model = {load.name: load.answer for load in LOADS}
    with ScriptedVendor() as vendor:
        vendor.decide_with(lambda exchange: by_model.get(exchange.json["model"], SLOW))
        ready.send(vendor.base_url)
        ready.recv()


async def _run(url: str) -> None:
    await compare(url)
    await many_at_once(url)
    await openai_compatible.aclose()


def main() -> None:
    """Serve the vendor from a process of its own, so that only the client's work is counted."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    vendor = context.Process(target=_serve, args=(theirs,))
    vendor.start()
    try:
        print(f"Python {platform.python_version()}, {os.cpu_count()} cores, httpx {httpx.__version__}")
        uvloop.run(_run(ours.recv()))
    finally:
        ours.send("stop")
        vendor.join(10)


if __name__ == "__main__":
    main()
