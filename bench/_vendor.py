"""The vendor of a measurement as a process: 500 words, or as many as are wished, one event each."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator

import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

WORDS = int(os.environ.get("WORDS", "500"))


def _event(value: object) -> bytes:
    return b"data: " + orjson.dumps(value) + b"\n\n"


def _chunk(delta: dict[str, str], finish: str | None = None) -> dict[str, object]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": [choice]}


EVENTS = [
    _event(_chunk({"role": "assistant", "content": ""})),
    *(_event(_chunk({"content": f"word{number:04} "})) for number in range(WORDS)),
    _event(_chunk({}, "stop")),
    _event(
        {
            "id": "c",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "scripted",
            "choices": [],
            "usage": {"prompt_tokens": 1500, "completion_tokens": WORDS, "total_tokens": 1500 + WORDS},
        }
    ),
    b"data: [DONE]\n\n",
]


async def complete(request: Request) -> StreamingResponse:
    """The same answer to everybody, a token each two milliseconds or so, in writes of their own."""
    await request.body()

    async def events() -> AsyncIterator[bytes]:
        for at, event in enumerate(EVENTS):
            yield event
            if at % 8 == 7:
                await asyncio.sleep(0.002)

    return StreamingResponse(events(), media_type="text/event-stream")


async def ready(_request: Request) -> JSONResponse:
    """It answers."""
    return JSONResponse({"object": "list", "data": [{"id": "scripted", "object": "model"}]})


app = Starlette(routes=[Route("/v1/chat/completions", complete, methods=["POST"]), Route("/v1/models", ready)])

if __name__ == "__main__":
    # Connections are kept: one that closes just as it is used again would be the fault of nobody that is measured.
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error", timeout_keep_alive=3600)
