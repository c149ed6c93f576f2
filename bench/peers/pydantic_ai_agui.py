"""pydantic-ai behind its own AG-UI adapter. It keeps nothing itself: the messages of a finished run are stored in
PostgreSQL by the hook that it has for this."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
from agui_events import ready, serve
from pydantic_ai import Agent, AgentRunResult
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

TABLE = "CREATE TABLE IF NOT EXISTS runs (id bigserial PRIMARY KEY, thread text NOT NULL, messages jsonb NOT NULL)"
KEEP = "INSERT INTO runs (thread, messages) VALUES ($1, $2)"

provider = OpenAIProvider(base_url=os.environ["VENDOR"], api_key="unused")
agent = Agent(OpenAIChatModel("scripted", provider=provider), instructions="You are a helpful assistant.")
pools: list[Any] = []


@asynccontextmanager
async def lifespan(_app: object) -> AsyncIterator[None]:
    """The pool and the table."""
    async with asyncpg.create_pool(os.environ["DATABASE"], min_size=4, max_size=20) as pool:
        await pool.execute(TABLE)
        pools.append(pool)
        yield


async def agui(request: Request) -> Response:
    """One turn."""
    thread = (await request.json())["threadId"]

    async def keep(result: AgentRunResult[Any]) -> None:
        await pools[0].execute(KEEP, thread, result.new_messages_json().decode())

    return await AGUIAdapter.dispatch_request(request, agent=agent, on_complete=keep)


if __name__ == "__main__":
    serve(Starlette(routes=[Route("/agui", agui, methods=["POST"]), Route("/readyz", ready)], lifespan=lifespan))
