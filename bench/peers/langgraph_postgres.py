"""LangGraph: a graph of one model node with its asynchronous PostgreSQL checkpointer, its messages streamed."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from agui_events import serve, speaking
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import START, MessagesState, StateGraph
from openai import DefaultAioHttpClient
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

CONNECTION = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}  # as its documentation asks

model = ChatOpenAI(
    model="scripted",
    base_url=os.environ["VENDOR"],
    api_key="unused",
    http_async_client=DefaultAioHttpClient(),  # the SDK recommends it where many ask at once
    streaming=True,
    stream_usage=True,
)
graphs: list[Any] = []


async def answer(state: MessagesState) -> dict[str, Any]:
    """The one node."""
    return {"messages": [await model.ainvoke(state["messages"])]}


@asynccontextmanager
async def lifespan(_app: object) -> AsyncIterator[None]:
    """The pool, the tables and the graph."""
    async with AsyncConnectionPool(os.environ["DATABASE"], min_size=4, max_size=20, kwargs=CONNECTION) as pool:
        saver = AsyncPostgresSaver(pool)
        await saver.setup()
        graphs.append(
            StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer").compile(checkpointer=saver)
        )
        yield


async def words(thread: str, message: str) -> AsyncIterator[str]:
    """One turn of the graph."""
    given = {"messages": [{"role": "user", "content": message}]}
    config = {"configurable": {"thread_id": thread}}
    async for chunk, _about in graphs[0].astream(given, config, stream_mode="messages"):
        if chunk.content:
            yield chunk.content


if __name__ == "__main__":
    serve(speaking(words, lifespan))
