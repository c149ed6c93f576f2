"""What the kill test works with: a real server that is killed, a world that counts, and a vendor that plays along."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx

from weft.llm.scripted import Answer
from weft.llm.scripted.journal import Exchange
from weft.llm.types import ToolRequest

TOOLS = ("touch_read", "touch_write", "touch_external")
PLUGIN = '''
"""Three tools that do something to a world which counts, and a process that kills itself at a step of its choice."""
import os
import signal
import httpx
from weft.runs.journal import RunJournal
from weft.tools.tool import Approval, Effect, Tool, ToolInput, ToolResult

class Touched(ToolInput):
    key: str

def _tool(effect):
    class Touch(Tool):
        name = f"touch_{effect.value}"
        description = "Touch the world."
        input = Touched
        approval = Approval.NEVER
        async def run(self, state):
            async with httpx.AsyncClient() as client:
                await client.post(os.environ["WORLD"] + "/" + self.name + "/" + self.arguments(state).key)
            return ToolResult.of({"touched": self.arguments(state).key})
    Touch.effect = effect
    return Touch()

def make(ports):
    return [_tool(effect) for effect in Effect]

steps_left = int(os.environ.get("KILL_AT_STEP", "0"))
when = os.environ.get("KILL_WHEN", "before")
write = RunJournal.write

async def counted(self, step):
    global steps_left
    steps_left -= 1
    if steps_left == 0 and when == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    await write(self, step)
    if steps_left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

RunJournal.write = counted
'''


class World:
    """Counts what is done to it."""

    def __init__(self) -> None:
        self.done: Counter[str] = Counter()
        world = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                world.done[self.path.lstrip("/")] += 1
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Nothing is logged."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def play(exchange: Exchange) -> Answer:
    """Each turn uses three tools, one after the other, and says so; each call is told from what the prompt shows."""
    messages = exchange.json["messages"]
    asked = max(at for at, each in enumerate(messages) if each["role"] == "user")
    words = str(messages[asked]["content"])
    key = words.rpartition("turn-")[2].split()[0].strip('"}')
    results = [each for each in messages[asked:] if each["role"] == "tool"]
    instructions = " ".join(str(each["content"]) for each in messages if each["role"] == "system")
    if "Reflection as JSON" in instructions.rpartition("# Task")[2]:
        return Answer('{"verdict":"done","why":"it is unknown"}')
    if len(results) < len(TOOLS):
        name = TOOLS[len(results)]
        return Answer(tool_calls=(ToolRequest(f"call_{key}_{name}", name, json.dumps({"key": key})),), gap=0.005)
    return Answer(" ".join(f"{key}-{number}" for number in range(40)), gap=0.005)


class Server:
    """`weft serve` as a process that may die at any moment."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._folder = folder
        self._environment = environment
        plugin = folder / "plugin"
        info = plugin / "weft_touch-1.0.dist-info"
        info.mkdir(parents=True, exist_ok=True)
        (plugin / "weft_touch.py").write_text(PLUGIN)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: weft-touch\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[weft.tools]\ntouch = weft_touch:make\n")
        self._path = os.pathsep.join([str(plugin), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.url = ""
        self._process: subprocess.Popen[str] | None = None
        self._reading: threading.Thread | None = None

    def start(self, at_step: int = 0, when: str = "before") -> None:
        """Start it; it kills itself at that step, if one is named."""
        settings = {"KILL_AT_STEP": str(at_step), "KILL_WHEN": when, "PYTHONPATH": self._path, "WEFT_PORT": "0"}
        command = [sys.executable, "-m", "weft", "serve", "--json"]
        environment = {**os.environ, **self._environment, **settings}
        with (self._folder / "server.log").open("a") as log:
            self._process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{") and '"ready":true' in line.replace(" ", ""):
                self.url = json.loads(line)["url"]
                break
        else:
            raise RuntimeError((self._folder / "server.log").read_text()[-2_000:])
        self._reading = threading.Thread(target=_read_out, args=(self._process.stdout,), daemon=True)
        self._reading.start()

    @property
    def lives(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """SIGKILL: nothing of it is cleaned up."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            if self._reading is not None:
                self._reading.join()


def _read_out(stdout: Any) -> None:
    """A pipe that nobody reads stops the one who writes."""
    with stdout:
        stdout.read()


class Client:
    """Somebody who asks, loses the stream, and joins again until the turn is over."""

    def __init__(self, server: Server, key: str, thread: str) -> None:
        self._server = server
        self.thread = thread
        self.run_id = f"run-{key}"
        said = [{"id": f"u-{key}", "role": "user", "content": f"turn-{key}"}]
        first = {"threadId": thread, "runId": self.run_id, "protocolVersion": "1.0", "messages": said}
        self._body = {**first, "tools": [], "context": [], "forwardedProps": {}, "state": {}}
        self.joins = 0
        self.events: list[dict[str, Any]] = []  # of the last join, which tells all

    async def follow(self, until: float) -> None:
        """To the end of the turn, however often the server dies meanwhile."""
        while time.monotonic() < until:
            self.events = []
            self.joins += 1
            with suppress(httpx.HTTPError):
                async with (
                    httpx.AsyncClient(timeout=60) as client,
                    client.stream("POST", f"{self._server.url}/agui", json=self._body) as answer,
                ):
                    async for line in answer.aiter_lines():
                        if line.startswith("data: "):
                            self.events.append(json.loads(line[6:]))
            if self.events and self.events[-1]["type"] in ("RUN_FINISHED", "RUN_ERROR"):
                return
            await asyncio.sleep(0.3)
        raise TimeoutError(f"{self.run_id} did not end")
