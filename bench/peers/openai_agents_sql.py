"""openai-agents: an agent on chat completions, streamed, its session in PostgreSQL through SQLAlchemy."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from agents.extensions.memory import SQLAlchemySession
from agui_events import serve, speaking
from openai import AsyncOpenAI, DefaultAioHttpClient
from openai.types.responses import ResponseTextDeltaEvent
from sqlalchemy.ext.asyncio import create_async_engine

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled

set_tracing_disabled(True)
# Its SDK recommends aiohttp where many ask at once.
client = AsyncOpenAI(base_url=os.environ["VENDOR"], api_key="unused", http_client=DefaultAioHttpClient())
agent = Agent(
    name="assistant",
    instructions="You are a helpful assistant.",
    model=OpenAIChatCompletionsModel(model="scripted", openai_client=client),
)
engine = create_async_engine(os.environ["DATABASE"].replace("postgresql:", "postgresql+asyncpg:"), pool_size=20)


@asynccontextmanager
async def lifespan(_app: object) -> AsyncIterator[None]:
    """The tables, made before the first turn as its documentation asks of production."""
    await SQLAlchemySession("first", engine=engine, create_tables=True).get_items()
    yield
    await engine.dispose()


async def words(thread: str, message: str) -> AsyncIterator[str]:
    """One run."""
    result = Runner.run_streamed(agent, message, session=SQLAlchemySession(thread, engine=engine))
    async for event in result.stream_events():
        if event.type == "raw_response_event" and isinstance(event.data, ResponseTextDeltaEvent):
            yield event.data.delta


if __name__ == "__main__":
    serve(speaking(words, lifespan))
