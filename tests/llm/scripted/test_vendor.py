"""The scripted vendor does what its script says, over real HTTP, and writes down what it saw."""

import asyncio
import socket
import threading
import time

import httpx
import orjson
import pytest

from weft.llm.scripted import Answer, Counts, Fault, Framing, Refusal, ScriptedVendor
from weft.llm.types import ToolRequest

HI = {"model": "scripted", "messages": [{"role": "user", "content": "Hi"}]}
STREAM = {**HI, "stream": True, "stream_options": {"include_usage": True}}


async def post(
    vendor: ScriptedVendor, body: dict[str, object], path: str = "/chat/completions", key: str = "k"
) -> httpx.Response:
    async with httpx.AsyncClient(trust_env=False) as client:
        return await client.post(vendor.base_url + path, json=body, headers={"authorization": f"Bearer {key}"})


def events(response: httpx.Response) -> list[dict[str, object]]:
    blocks = [block for block in response.text.split("\n\n") if block.startswith("data: {")]
    return [orjson.loads(block.removeprefix("data: ")) for block in blocks]


def test_it_serves_from_a_thread_of_its_own() -> None:
    """INFRA-3: for tests without an event loop, and nothing of it is left afterwards."""
    with ScriptedVendor(Answer("Hello.")) as vendor:
        answer = httpx.post(f"{vendor.base_url}/chat/completions", json=HI, trust_env=False).json()
        vendor.wait_settled()
        port = vendor.port
    assert answer["choices"][0]["message"]["content"] == "Hello."
    assert not [thread for thread in threading.enumerate() if thread.name == "scripted-vendor"]
    with socket.socket() as caller:
        assert caller.connect_ex(("127.0.0.1", port)) != 0


async def test_it_answers_from_queue_rules_function_and_default() -> None:
    """INFRA-3: in this order; with nothing left it says so."""
    async with ScriptedVendor(Answer("queued"), default=Answer("default")) as vendor:
        vendor.when("RAIN", Answer("umbrella"))
        vendor.decide_with(lambda seen: Answer("decided") if "why" in seen.last_words else None)
        said = []
        for words in ("rain", "will it rain?", "why", "what"):
            response = await post(vendor, {**HI, "messages": [{"role": "user", "content": words}]})
            said.append(response.json()["choices"][0]["message"]["content"])
        assert said == ["queued", "umbrella", "decided", "default"]
    async with ScriptedVendor() as vendor:
        response = await post(vendor, HI)
        assert (response.status_code, "script" in response.text) == (500, True)


async def test_it_writes_down_the_exact_bytes_it_received(vendor: ScriptedVendor) -> None:
    """SEC-3: what a test must be able to assert on."""
    vendor.enqueue(Answer("Hello."))
    raw = b'{"model":"scripted",  "messages":[{"role":"user","content":"Hi"}]}'
    async with httpx.AsyncClient(trust_env=False) as client:
        await client.post(
            f"{vendor.base_url}/chat/completions?x=1",
            content=raw,
            headers={"X-Odd": "Caf\xe9".encode("latin-1")},
        )
    seen = vendor.log[0]
    assert seen.body == raw
    assert seen.path == "/v1/chat/completions?x=1"
    assert (b"X-Odd", b"Caf\xe9") in seen.headers
    assert seen.header("x-odd") == "Café"
    assert (seen.status, seen.complete, seen.disconnected) == (200, True, False)
    assert seen.usage == {
        "prompt_tokens": seen.counts.input,  # type: ignore[union-attr]
        "completion_tokens": seen.counts.output,  # type: ignore[union-attr]
        "total_tokens": seen.counts.input + seen.counts.output,  # type: ignore[union-attr]
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }


async def test_a_stream_is_cut_as_the_script_says(vendor: ScriptedVendor) -> None:
    """INFRA-3: by words or characters, with reasoning, tool calls and usage on a chunk of its own."""
    call = ToolRequest("call_1", "f", '{"a": 1, "b": 2}')
    vendor.enqueue(Answer("你好 all", by=2, reasoning="Hm"), Answer("one two", tool_calls=(call,)))
    first, second = events(await post(vendor, STREAM)), events(await post(vendor, STREAM))
    deltas = [event["choices"][0]["delta"] for event in first if event["choices"]]  # type: ignore[index]
    assert deltas[1:-1] == [
        {"reasoning_content": "Hm"},
        {"content": "你好"},
        {"content": " a"},
        {"content": "ll"},
    ]
    assert first[-1]["choices"] == []
    assert first[-1]["usage"] == vendor.log[0].usage
    pieces = [event["choices"][0]["delta"] for event in second if event["choices"]]  # type: ignore[index]
    assert [piece["content"] for piece in pieces if piece.get("content")] == ["one", " two"]
    assert len([piece for piece in pieces if "tool_calls" in piece]) == 3


async def test_usage_is_sent_only_where_it_was_asked_for(vendor: ScriptedVendor) -> None:
    """LED-7: as the real ones do; a client that forgets to ask gets none."""
    vendor.enqueue(Answer("a"), Answer("a", usage="deepseek", usage_at="finish", counts=Counts(100, 64, 7, 3)))
    silent = events(await post(vendor, {**HI, "stream": True}))
    assert not [event for event in silent if event.get("usage")]
    assert vendor.log[0].usage is None
    assert vendor.log[0].counts is not None
    told = events(await post(vendor, STREAM))
    assert told[-1]["usage"] == {
        "prompt_tokens": 100,
        "completion_tokens": 7,
        "total_tokens": 107,
        "prompt_cache_hit_tokens": 64,
        "prompt_cache_miss_tokens": 36,
        "prompt_tokens_details": {"cached_tokens": 64},
        "completion_tokens_details": {"reasoning_tokens": 3},
    }


async def test_the_prompt_cache_belongs_to_a_key(vendor: ScriptedVendor) -> None:
    """LED-8: the longest common prefix in whole units, of the same key and model only."""
    vendor.enqueue(*[Answer("a")] * 4)
    long = {**HI, "messages": [{"role": "user", "content": "many words " * 100}]}
    longer = {**HI, "messages": [{"role": "user", "content": "many words " * 100 + "and more"}]}
    for body, key in ((long, "one"), (longer, "one"), (long, "two"), ({**long, "model": "other"}, "one")):
        await post(vendor, body, key=key)
    first, second, *others = (exchange.counts for exchange in vendor.log)
    assert first is not None
    assert second is not None
    assert first.cached == 0
    assert second.cached == first.input // 64 * 64
    assert [other.cached for other in others if other] == [0, 0]


@pytest.mark.parametrize(
    ("framing", "expected"),
    [
        (Framing(), b'data: {"'),
        (Framing(space=False), b'data:{"'),
        (Framing(newline=b"\r\n"), b"}\r\n\r\n"),
        (Framing(comments=True), b": keep-alive\n\n"),
        (Framing(lines=True), b'data:   "choices": ['),
    ],
)
async def test_events_are_framed_as_the_script_says(vendor: ScriptedVendor, framing: Framing, expected: bytes) -> None:
    """INFRA-3: every framing that a vendor may use."""
    vendor.enqueue(Answer("a b", framing=framing))
    response = await post(vendor, STREAM)
    assert expected in response.content
    assert b"[DONE]" in response.content


async def test_a_stream_without_its_ends(vendor: ScriptedVendor) -> None:
    """INFRA-3: no [DONE], no last newline, no reason, or other bytes altogether."""
    vendor.enqueue(
        Answer("a", framing=Framing(done=False, last_newline=False)),
        Answer("a", finish=None),
        Answer(writes=[b"dat", b"a: x\n\n"]),
    )
    bodies = [(await post(vendor, STREAM)).content for _ in range(3)]
    assert b"DONE" not in bodies[0]
    assert not bodies[0].endswith(b"\n")
    assert b'"finish_reason":"stop"' not in bodies[1]
    assert bodies[2] == b"data: x\n\n"


async def test_refusals_carry_status_headers_and_body(vendor: ScriptedVendor) -> None:
    """INFRA-3: Retry-After and all."""
    vendor.enqueue(Refusal(429, b"slow", {"retry-after": "7"}))
    response = await post(vendor, HI)
    assert (response.status_code, response.headers["retry-after"], response.text) == (429, "7", "slow")


@pytest.mark.parametrize("kind", ["disconnect", "reset"])
async def test_a_connection_breaks_in_the_middle(vendor: ScriptedVendor, kind: str) -> None:
    """INFRA-3: the client sees it as what it is."""
    vendor.enqueue(Answer("a b c", fault=Fault(kind, after=2)))  # type: ignore[arg-type]
    with pytest.raises(httpx.RemoteProtocolError if kind == "disconnect" else httpx.ReadError):
        await post(vendor, STREAM)
    await vendor.settled()
    seen = vendor.log[0]
    assert (seen.events_sent, seen.complete, seen.disconnected, seen.usage) == (2, False, False, None)


async def test_a_client_that_leaves_is_noticed(vendor: ScriptedVendor) -> None:
    """INFRA-3: while it hangs, while it waits, and between two chunks."""
    vendor.enqueue(Answer("a b c", fault=Fault("hang", after=1)), Answer("a", first_delay=9), Answer("a b c", gap=9))
    for _ in range(3):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(post(vendor, STREAM), 0.2)
    await vendor.settled(1)
    assert [exchange.disconnected for exchange in vendor.log] == [True, True, True]
    assert [exchange.events_sent for exchange in vendor.log] == [1, 0, 1]


async def test_its_pace_is_the_script_s(vendor: ScriptedVendor) -> None:
    """FLOW-7: delays before the first token and between two."""
    vendor.enqueue(Answer("a b c", first_delay=0.1, gap=0.05))
    started = time.monotonic()
    await post(vendor, STREAM)
    assert 0.1 + 5 * 0.05 <= time.monotonic() - started < 1.5


async def test_a_key_can_be_demanded() -> None:
    """SEC-3: a wrong one is echoed, as real vendors do."""
    async with ScriptedVendor(Answer("a"), key="right") as vendor:
        wrong, right = await post(vendor, HI, key="wrong"), await post(vendor, HI, key="right")
        assert vendor.target().api_key == "right"
    assert (wrong.status_code, right.status_code) == (401, 200)
    assert "wrong" in wrong.text


async def test_models_and_embeddings(vendor: ScriptedVendor) -> None:
    """INFRA-1: the other endpoints that a registry asks."""
    async with httpx.AsyncClient(trust_env=False) as client:
        models = (await client.get(f"{vendor.base_url}/models")).json()
        missing = await client.get(f"{vendor.base_url}/nothing")
    assert [model["id"] for model in models["data"]] == ["scripted"]
    assert missing.status_code == 404
    body = {"model": "e", "input": ["你好", "hello", "你好"], "dimensions": 16}
    answer = (await post(vendor, body, "/embeddings")).json()
    vectors = [each["embedding"] for each in answer["data"]]
    assert vectors[0] == vectors[2] != vectors[1]
    assert [len(vector) for vector in vectors] == [16, 16, 16]
    assert sum(value * value for value in vectors[0]) == pytest.approx(1)
    assert answer["usage"] == {"prompt_tokens": 6, "total_tokens": 6}
