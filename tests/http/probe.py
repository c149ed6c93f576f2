"""An application with the product's frame and endpoints that do what a test asks of them."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
from fastapi import FastAPI
from prometheus_client import CollectorRegistry
from pydantic import BaseModel
from starlette.responses import StreamingResponse

from tests.clients import LOCAL_URL, client_of
from weft.http import problems
from weft.http.limits import LimitBody
from weft.http.metrics import HttpMetrics
from weft.http.middleware import Browsers, Observe
from weft.settings import is_loopback

LIMIT = 2048


class Body(BaseModel):
    """What `/body` takes."""

    count: int
    inner: dict[str, int] = {}


def probe(work: Callable[[], Any] = lambda: None, *, only_local: bool = False) -> FastAPI:
    """`/work` does the work, `/body` reads a body, `/stream` breaks off in the middle of its answer."""
    app = FastAPI()
    app.state.metrics = CollectorRegistry()
    problems.install(app)

    @app.api_route("/work/{item}", methods=["GET", "POST"])
    async def do_work(item: str) -> Any:
        return work()

    @app.post("/body")
    async def read_body(body: Body) -> Body:
        return body

    @app.get("/stream")
    async def break_off() -> StreamingResponse:
        return StreamingResponse(_broken())

    app.add_middleware(LimitBody, limit=LIMIT)
    app.add_middleware(Browsers, only_local=is_loopback if only_local else None)
    app.add_middleware(Observe, metrics=HttpMetrics(app.state.metrics))
    return app


async def _broken() -> AsyncIterator[bytes]:
    yield b"half"
    raise RuntimeError("broken in the middle")


async def ask(app: FastAPI, method: str, path: str, **options: Any) -> httpx.Response:
    """One request, one answer."""
    async with client_of(app, LOCAL_URL) as client:
        return await client.request(method, path, **options)
