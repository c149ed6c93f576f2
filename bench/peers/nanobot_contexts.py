"""What nanobot sends for a transcript, and how long its builder takes; runs in nanobot's own environment.

    python nanobot_contexts.py replay WORKSPACE < transcript.json   # each call as a line of JSON
    python nanobot_contexts.py build WORKSPACE < history.json       # milliseconds of each build

It imports nothing of Weft's. Its own classes do the work: the loop's registry gives the tools, the session the
history, `ContextBuilder` the messages.
"""

import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from loguru import logger
from nanobot.agent.loop import AgentLoop
from nanobot.agent.tools.registry import ToolRegistry
from nanobot.config.schema import Config
from nanobot.session.manager import Session

ROUNDS = 7


def made_loop(workspace: Path) -> Any:
    """The agent as its own command makes it; no vendor is called."""
    config = Config()
    config.agents.defaults.workspace = str(workspace)
    config.agents.defaults.model = "deepseek-chat"
    config.agents.defaults.provider = "deepseek"
    config.providers.deepseek.api_key = "unused"
    return AgentLoop.from_config(config, tool_registry=ToolRegistry())


class Replay:
    """Plays the turns and writes down each call."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.loop = made_loop(workspace)
        self.session = Session(key="cli:direct")

    def play(self, turn: dict[str, Any]) -> None:
        """One turn: a call with the words, and one after each tool."""
        if turn["restart"]:
            self.loop = made_loop(self.workspace)
        (self.workspace / "memory" / "MEMORY.md").write_text(turn["memory"], encoding="utf-8")
        asked = self.loop.context.build_messages(self.session.get_history(), turn["words"], channel="cli")
        self.write(asked)
        self.session.add_message("user", turn["words"])
        since = len(self.session.messages)
        for number, (name, arguments, result) in enumerate(turn["tools"]):
            self._tool(f"call_{turn['number']}_{number}", name, arguments, result)
            self.write([*asked, *self.session.messages[since:]])
        self.session.add_message("assistant", turn["answer"])

    def write(self, messages: list[dict[str, Any]]) -> None:
        """One call as it is sent."""
        sent = [{key: value for key, value in message.items() if key != "_meta"} for message in messages]
        call = {"tools": self.loop.tools.get_definitions(), "messages": sent}
        sys.stdout.write(json.dumps(call, ensure_ascii=False) + "\n")

    def _tool(self, call_id: str, name: str, arguments: dict[str, Any], result: str) -> None:
        function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
        call = {"id": call_id, "type": "function", "function": function}
        self.session.messages += [
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call_id, "name": name, "content": result},
        ]


def measure(workspace: Path, history: list[dict[str, Any]]) -> dict[str, float]:
    """The first build, and the median of those that follow and of their processor time, in milliseconds."""
    loop, session = made_loop(workspace), Session(key="cli:direct")
    session.messages += history
    spent, processor = [], []
    for number in range(ROUNDS + 1):
        started, worked = time.perf_counter(), time.process_time()
        loop.context.build_messages(session.get_history(), f"and now? ({number})", channel="cli")
        loop.tools.get_definitions()
        spent.append((time.perf_counter() - started) * 1000)
        processor.append((time.process_time() - worked) * 1000)
    return {
        "first": spent[0],
        "next": statistics.median(spent[1:]),
        "processor": statistics.median(processor[1:]),
    }


def main() -> None:
    """What the command line says."""
    logger.remove()
    what, workspace = sys.argv[1], Path(sys.argv[2])
    given = json.load(sys.stdin)
    if what == "replay":
        replay = Replay(workspace)
        for turn in given:
            replay.play(turn)
    else:
        print(json.dumps(measure(workspace, given)))


if __name__ == "__main__":
    main()
