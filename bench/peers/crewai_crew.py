"""CrewAI: a crew of one agent and one task for each turn, streamed by its native asynchronous kickoff.

It keeps the outputs of the latest kickoff's tasks in an SQLite file of its own, as it does by itself.
"""

import os
from collections.abc import AsyncIterator

# Read when it is imported.
os.environ |= {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "CREWAI_DISABLE_VERSION_CHECK": "true",
}

from agui_events import serve, speaking
from crewai import LLM, Agent, Crew, Task

llm = LLM(model="openai/scripted", base_url=os.environ["VENDOR"], api_key="unused", stream=True)


async def words(_thread: str, message: str) -> AsyncIterator[str]:
    """One kickoff."""
    agent = Agent(role="assistant", goal="Answer.", backstory="You are a helpful assistant.", llm=llm)
    task = Task(description="{message}", expected_output="An answer.", agent=agent)
    crew = Crew(agents=[agent], tasks=[task], stream=True, tracing=False)
    async for chunk in await crew.akickoff(inputs={"message": message}):
        if chunk.content:
            yield chunk.content


if __name__ == "__main__":
    serve(speaking(words))
