"""What the peers without an AG-UI of their own share: their words said as AG-UI, as cheaply as the floor says them.

The scripts beside it run in environments of their own; nothing of Weft's is imported here.
"""

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route

Words = Callable[[str, str], AsyncIterator[str]]  # thread, message: each piece of the answer
Lifespan = Callable[[Any], AbstractAsyncContextManager[None]]


def said(kind: str, **fields: str) -> bytes:
    """One event."""
    return b"data: " + orjson.dumps({"type": kind, **fields}) + b"\n\n"


async def _turn(words: Words, thread: str, run: str, message: str) -> AsyncIterator[bytes]:
    yield said("RUN_STARTED", threadId=thread, runId=run)
    yield said("TEXT_MESSAGE_START", messageId="m", role="assistant")
    async for text in words(thread, message):
        yield said("TEXT_MESSAGE_CONTENT", messageId="m", delta=text)
    yield said("TEXT_MESSAGE_END", messageId="m")
    yield said("RUN_FINISHED", threadId=thread, runId=run)


async def ready(_request: Request) -> JSONResponse:
    """It answers."""
    return JSONResponse({})


def speaking(words: Words, lifespan: Lifespan | None = None) -> Starlette:
    """The application around what a peer answers."""

    async def agui(request: Request) -> StreamingResponse:
        asked = orjson.loads(await request.body())
        turn = _turn(words, asked["threadId"], asked["runId"], asked["messages"][-1]["content"])
        return StreamingResponse(turn, media_type="text/event-stream")

    routes = [Route("/agui", agui, methods=["POST"]), Route("/readyz", ready)]
    return Starlette(routes=routes, lifespan=lifespan)


def serve(app: Any) -> None:
    """One process with uvloop and httptools, on the port of the command line."""
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error", access_log=False)
