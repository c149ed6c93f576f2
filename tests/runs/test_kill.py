"""STATE-5, LED-7: a real server, killed at every kind of moment, loses nothing and repeats nothing."""

import asyncio
import os
import random
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.runs.killing import TOOLS, Client, Server, World, play
from weft.accounts.authentication import LocalAuthentication
from weft.calls.service import CallService
from weft.kit.db import Database
from weft.llm.scripted import ScriptedVendor
from weft.runs.service import RunService
from weft.sessions.metadata import ToolResultGiven
from weft.sessions.service import SessionService

TURNS = int(os.environ.get("WEFT_KILL_TURNS", "24"))  # 200 for docs/performance.md
AT_ONCE = 8


@pytest.fixture
def world() -> Iterator[World]:
    world = World()
    yield world
    world.close()


@pytest.fixture
def vendor() -> Iterator[ScriptedVendor]:
    with ScriptedVendor() as vendor:
        vendor.decide_with(play)
        yield vendor


@pytest.fixture
async def database(new_database: Any) -> AsyncIterator[Database]:
    database = Database(await new_database("killed"))
    yield database
    await database.close()


@pytest.mark.timeout(1500)
async def test_nothing_is_lost_and_nothing_happens_twice(
    database: Database, world: World, vendor: ScriptedVendor, tmp_path: Path
) -> None:
    """STATE-5, LED-2, LED-7, SURF-1, TOOL-1: 8 turns at a time, a kill in the middle of them, and a server anew."""
    rng = random.Random(int(os.environ.get("WEFT_KILL_SEED", "7")))
    environment = {
        "WEFT_HOME": str(tmp_path / "home"),
        "WEFT_DATABASE_URL": database.url,
        "WEFT_LLM_BASE_URL": vendor.base_url,
        "WEFT_LLM_MODEL": "scripted",
        "WEFT_LEASE_SECONDS": "1",
        "WEFT_TOOL_APPROVALS": "touch_external=never",  # nobody is there to be asked
        "WORLD": world.url,
    }
    server = Server(tmp_path, environment)
    clients: list[Client] = []
    try:
        for begin in range(0, TURNS, AT_ONCE):
            clients += await _killed_once(server, range(begin, min(TURNS, begin + AT_ONCE)), rng)
    finally:
        await asyncio.to_thread(server.kill)
    await _check(database, world, vendor, clients)


async def _killed_once(server: Server, keys: range, rng: random.Random) -> list[Client]:
    at_step = rng.choice([0, *range(1, 40)])  # 0: at a random moment instead of a step
    await asyncio.to_thread(server.start, at_step, rng.choice(["before", "after"]))
    clients = [Client(server, f"{key}", f"thread-{key}") for key in keys]
    until = time.monotonic() + 240
    following = [asyncio.create_task(each.follow(until)) for each in clients]
    if at_step == 0:
        await asyncio.sleep(rng.uniform(0.5, 8.0))
        await asyncio.to_thread(server.kill)
    for _ in range(300):
        if not server.lives or all(each.done() for each in following):
            break
        await asyncio.sleep(0.1)
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)
    await asyncio.gather(*following)
    await asyncio.to_thread(server.kill)
    return clients


async def _check(database: Database, world: World, vendor: ScriptedVendor, clients: list[Client]) -> None:
    actor = (await LocalAuthentication.prepare(database)).actor
    unknown, answered = 0, 0
    async with database.transaction(actor) as tx:
        sessions, calls, runs = SessionService(tx), CallService(tx), RunService(tx)
        for client in clients:
            run = next(each for each in await runs.recent(None, None, 10_000) if _is(each, client))
            session = await sessions.get(run.session_id)
            assert run.status == "completed", run
            assert session.status == session.state_snapshot["status"] == "completed"
            rows = await sessions.messages(run.session_id, limit=200)
            audit = await sessions.messages(run.session_id, limit=200, audit=True)
            unknown += _effects_once(world, client, rows)
            made = await calls.of_turn(run.id)
            booked = [row.call_id for row in [*rows, *audit] if row.call_id]
            assert sorted(booked) == sorted(call.id for call in made), "each call stands on exactly one message"
            answered += sum(call.outcome == "succeeded" for call in made)
            _one_gapless_transcript(client, rows)
    whole = [each for each in vendor.log if each.complete]
    assert answered <= len(whole), "nothing is booked as answered that the vendor did not answer"
    joined = sum(client.joins > 1 for client in clients)
    assert joined > 0, f"of {len(clients)} turns none was killed; {unknown} calls are unknown"


def _is(run: Any, client: Client) -> bool:
    return bool(client.events) and str(run.session_id) == _session_of(client)


def _session_of(client: Client) -> str:
    states = [event["snapshot"] for event in client.events if event["type"] == "STATE_SNAPSHOT"]
    return str(states[0]["session_id"])


def _effects_once(world: World, client: Client, rows: list[Any]) -> int:
    """A finished call has happened exactly once; one of unknown outcome at most once, and it is told as unknown."""
    key = client.thread.removeprefix("thread-")
    results = {row.metadata.name: row.metadata for row in rows if isinstance(row.metadata, ToolResultGiven)}
    assert set(results) == set(TOOLS)
    unknown = 0
    for name, result in results.items():
        times = world.done[f"{name}/{key}"]
        if name == "touch_read":
            assert times >= 1
        elif result.status == "unknown":
            unknown += 1
            assert times <= 1, f"{name} of turn {key} happened {times} times"
        else:
            assert (result.status, times) == ("succeeded", 1), f"{name} of turn {key} happened {times} times"
    return unknown


def _one_gapless_transcript(client: Client, rows: list[Any]) -> None:
    """What the last join shows is what stands in the database, each text whole and once."""
    texts: dict[str, str] = {}
    for event in client.events:
        if event["type"] == "MESSAGES_SNAPSHOT":
            found = [each for each in event["messages"] if each["role"] == "assistant" and each.get("content")]
            texts |= {each["id"]: each["content"] for each in found}
        elif event["type"] == "TEXT_MESSAGE_CONTENT":
            texts[event["messageId"]] = texts.get(event["messageId"], "") + event["delta"]
    stored = {str(row.id): row.content for row in rows if row.metadata.type == "assistant_output"}
    assert texts == stored
