"""A server as each of the others' programs sees it: none refuses anything, and none has anything to warn of."""

import asyncio
import json
import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.gateways.agui.programs import DRIVER, Node, checking_script, validator
from tests.gateways.client import Client
from tests.gateways.conftest import Served
from tests.gateways.verifier import events_in, kinds

Seen = dict[str, Any]  # events, messages, state, interrupts


async def _run(program: list[str | Path], given: bytes = b"", **environment: str) -> tuple[int, bytes]:
    process = await asyncio.create_subprocess_exec(
        *program,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, **environment},
    )
    out, _ = await process.communicate(given)
    return process.returncode or 0, out


@dataclass
class Official(ABC):
    """One of the programs, and a server for it."""

    served: Served

    @property
    def url(self) -> str:
        """Where the agent is."""
        return f"{self.served.url}/agui"

    @abstractmethod
    async def run(self, given: dict[str, Any]) -> Seen:
        """A run as the program sees it."""

    async def leave(self, given: dict[str, Any], pieces: int) -> list[Any]:
        """Begin a run, and go away after so many pieces of its answer; the messages that are left."""
        async with self.served.watching(given) as watching:
            await watching.until("TEXT_MESSAGE_CONTENT", pieces)
        client = Client(list(given["messages"]))
        client.follow(watching.events)
        return client.messages


@dataclass
class HttpAgent(Official):
    """The official client; one from before 1.0 where its package is named so."""

    node: Node
    package: str
    unversioned: bool = False
    path: str = "/agui"

    @property
    def url(self) -> str:
        """Where it looks for the agent."""
        return self.served.url + self.path

    async def connect(self, given: dict[str, Any]) -> Seen:
        """It asks what there is, and says nothing."""
        return await self._driven(given, connect=True)

    async def run(self, given: dict[str, Any]) -> Seen:
        """What its own verifier lets through, with its own copy of the conversation."""
        return await self._driven(given)

    async def leave(self, given: dict[str, Any], pieces: int) -> list[Any]:
        """It aborts the run by itself."""
        messages: list[Any] = (await self._driven(given, fails=True, dropAfter=pieces))["messages"]
        return messages

    async def _driven(self, given: dict[str, Any], *, fails: bool = False, **options: Any) -> Seen:
        about = {"client": self.package, "url": self.url, "unversioned": self.unversioned, "input": given, **options}
        _, out = await _run([self.node.path, DRIVER], json.dumps(about).encode())
        seen: Seen = json.loads(out)
        assert fails or seen["said"] or seen["failure"] is None, seen
        assert seen["warnings"] == [], seen
        return seen


@dataclass
class Script(Official):
    """The client once more, and rules that it does not know."""

    node: Node
    file: Path

    async def run(self, given: dict[str, Any]) -> Seen:
        """What the script says of it, which must be nothing."""
        await asyncio.to_thread(self.file.write_text, json.dumps(given), "utf-8")
        program = [self.node.path, checking_script(), self.url, "--input", self.file, "--json"]
        _, out = await _run([*program], AGUI_JS=str(self.node.packages))
        seen: Seen = json.loads(out)
        assert seen["ok"], seen["violations"]
        return seen | {"interrupts": seen["pendingInterrupts"], "said": seen["runError"]}


@dataclass
class Validator(Official):
    """A validator of streams that nobody of AG-UI wrote."""

    unversioned: bool = False

    async def run(self, given: dict[str, Any]) -> Seen:
        """The bytes of a run, validated; what follows of them is told by our own client."""
        asked = {key: value for key, value in given.items() if not (self.unversioned and key == "protocolVersion")}
        answer = await self.served.client.post("/agui", json=asked)
        status, out = await _run([validator(), "-", "--json", "--max-warnings", "0"], answer.content)
        assert status == 0, out.decode()
        events = events_in(answer.content)
        client = Client(list(given["messages"]))
        client.follow(events)
        said = events[-1] if events[-1]["type"] == "RUN_ERROR" else None
        seen = {"messages": client.messages, "state": client.state, "interrupts": client.interrupts, "said": said}
        return seen | {"events": kinds(events)}
