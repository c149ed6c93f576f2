"""Agno: an agent with its asynchronous PostgreSQL storage behind AgentOS and its own AG-UI interface."""

import os

from agno.agent import Agent
from agno.db.postgres import AsyncPostgresDb
from agno.models.openai.like import OpenAILike
from agno.os import AgentOS
from agno.os.interfaces.agui import AGUI
from agui_events import ready, serve
from sqlalchemy.ext.asyncio import create_async_engine

# psycopg_async is the driver of its documentation.
engine = create_async_engine(os.environ["DATABASE"].replace("postgresql:", "postgresql+psycopg_async:"), pool_size=20)
agent = Agent(
    name="assistant",
    model=OpenAILike(id="scripted", base_url=os.environ["VENDOR"], api_key="unused"),
    db=AsyncPostgresDb(db_engine=engine),
    instructions="You are a helpful assistant.",
    telemetry=False,
)
app = AgentOS(agents=[agent], interfaces=[AGUI(agent=agent)], telemetry=False).get_app()
app.add_route("/readyz", ready)

if __name__ == "__main__":
    serve(app)
