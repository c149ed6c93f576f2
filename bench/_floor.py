"""The floor: a bare proxy that asks the vendor, parses each event and says it again as AG-UI; it keeps nothing."""

import os
import sys
from collections.abc import AsyncIterator

import httpx
import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

VENDOR = os.environ.get("VENDOR", "")
client = httpx.AsyncClient(timeout=120, limits=httpx.Limits(max_connections=512))


def _said(value: object) -> bytes:
    return b"data: " + orjson.dumps(value) + b"\n\n"


async def _turn(message: str) -> AsyncIterator[bytes]:
    body = {"model": "scripted", "stream": True, "messages": [{"role": "user", "content": message}]}
    yield _said({"type": "RUN_STARTED", "threadId": "t", "runId": "r"})
    yield _said({"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"})
    async with client.stream("POST", f"{VENDOR}/chat/completions", json=body) as answer:
        async for line in answer.aiter_lines():
            if line.startswith("data: {"):
                for choice in orjson.loads(line[6:])["choices"]:
                    if text := choice["delta"].get("content"):
                        yield _said({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": text})
    yield _said({"type": "TEXT_MESSAGE_END", "messageId": "m"})
    yield _said({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"})


async def agui(request: Request) -> StreamingResponse:
    """One turn."""
    asked = orjson.loads(await request.body())
    return StreamingResponse(_turn(asked["messages"][-1]["content"]), media_type="text/event-stream")


async def ready(_request: Request) -> JSONResponse:
    """It answers."""
    return JSONResponse({})


app = Starlette(routes=[Route("/agui", agui, methods=["POST"]), Route("/readyz", ready)])

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
