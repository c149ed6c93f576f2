"""A proxy in front of a real model: it always takes the likeliest word, and says no more than is wanted of it."""

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
LONGEST = int(os.environ.get("LONGEST", "160"))  # tokens of an answer
client = httpx.AsyncClient(timeout=1_200, limits=httpx.Limits(max_keepalive_connections=0))


async def complete(request: Request) -> StreamingResponse:
    """Ask the model; a caller that hangs up hangs up on the model too."""
    body = {**orjson.loads(await request.body()), "temperature": 0, "seed": 1, "max_tokens": LONGEST, "stream": True}

    async def events() -> AsyncIterator[bytes]:
        async with client.stream("POST", f"{VENDOR}/chat/completions", json=body) as answer:
            async for piece in answer.aiter_bytes():
                yield piece

    return StreamingResponse(events(), media_type="text/event-stream")


async def ready(_request: Request) -> JSONResponse:
    """It answers."""
    return JSONResponse({"object": "list", "data": []})


app = Starlette(routes=[Route("/v1/chat/completions", complete, methods=["POST"]), Route("/v1/models", ready)])

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
