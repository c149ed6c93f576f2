"""What is done first about a message: by Weft's server, and by a plain loop on the same model with the same tools."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass

import httpx
import orjson

from bench._routing_messages import Said
from weft.llm import openai_compatible
from weft.llm.fold import Fold
from weft.llm.tolerant_json import loads
from weft.llm.types import ModelCall, Target, Timeouts, ToolRequest, ToolSpec
from weft.nodes.hearing import Hearing, spelled_calls

DIRECT, UNREADABLE = "direct", "unreadable"
ENOUGH = 160  # characters of words; who has said so much to the user is not about to call a tool
PATIENCE = Timeouts(first=1_200, gap=600)
_PLAIN = "You are a helpful assistant. Call a tool where one helps; otherwise answer in words."


@dataclass(frozen=True)
class WeftServer:
    """A running Weft, asked over HTTP, each message in a conversation of its own."""

    url: str

    async def patient(self) -> None:
        """Let the model take its time: a small one on a busy machine needs minutes for a long prompt."""
        async with httpx.AsyncClient(base_url=self.url) as client:
            found = (await client.get("/api/infra/endpoints", params={"vendor": "env"})).raise_for_status().json()
            fields = {"first_seconds": PATIENCE.first, "gap_seconds": PATIENCE.gap}
            for endpoint in found["items"]:
                (await client.patch(f"/api/infra/endpoints/{endpoint['id']}", json=fields)).raise_for_status()

    async def decide(self, said: Said) -> str:
        """The first tool that the turn calls, or that it answers; the run is cancelled then."""
        body = {"message": said.words, "stream": True} | ({"skill": said.skill} if said.skill else {})
        async with httpx.AsyncClient(base_url=self.url, timeout=PATIENCE.first) as client:
            run, decision = "", UNREADABLE
            async with aclosing(_events(client, body)) as events:
                text = ""
                async for name, event in events:
                    run = event.get("run_id", run)
                    if name == "tool":
                        decision = _named(event["name"], event["arguments"])
                        break
                    text += event["text"] if name == "text" else ""
                    decision = _spoken(text)
                    if len(text) >= ENOUGH or name in ("done", "error"):
                        break
            await client.post(f"/api/runs/{run}/cancel")
        return decision


@dataclass(frozen=True)
class PlainLoop:
    """What anybody would write first: a sentence, the tools, the message. Its answers are read as Weft reads them."""

    vendor: str
    tools: Sequence[ToolSpec]
    experts: Mapping[str, str]  # what it is told of them besides their names

    async def decide(self, said: Said) -> str:
        """The first tool that the model calls, or that it answers."""
        call = ModelCall([{"role": "system", "content": self._system(said)}, _user(said)], tuple(self.tools))
        target = Target("env", "small", self.vendor, "openai_compatible", timeouts=PATIENCE)
        shown: list[str] = []
        fold, hearing = Fold(), Hearing(shown.append)
        async with aclosing(openai_compatible.stream(target, call)) as deltas:
            async for delta in deltas:
                fold.add(delta)
                hearing.hear(delta.text)
                if len("".join(shown)) >= ENOUGH:
                    break
        hearing.end()
        answer = fold.completion()
        names = frozenset(tool.name for tool in self.tools)
        calls: Sequence[ToolRequest] = answer.tool_calls or (
            spelled_calls(answer, names, "call") if hearing.is_json else ()
        )
        return _named(calls[0].name, calls[0].arguments) if calls else _spoken(answer.text)

    def _system(self, said: Said) -> str:
        lines = [_PLAIN]
        if self.experts:
            lines += ["Skills:", *(f"- {name}: {description}" for name, description in self.experts.items())]
        if said.skill:
            lines.append(f"The skill {said.skill} is active.")
        return "\n".join(lines)


def _user(said: Said) -> dict[str, str]:
    return {"role": "user", "content": said.words}


def _spoken(text: str) -> str:
    """Words are an answer; JSON that calls nothing is none."""
    return UNREADABLE if not text.strip() or text.lstrip().startswith(("{", "```", "<tool_call>")) else DIRECT


def _named(tool: str, arguments: str) -> str:
    if tool != "use_skill":
        return tool
    try:
        return f"{tool}/{loads(arguments)['skill']}"
    except (ValueError, KeyError, TypeError):
        return f"{tool}/?"


async def _events(client: httpx.AsyncClient, body: Mapping[str, object]) -> AsyncIterator[tuple[str, dict[str, str]]]:
    async with client.stream("POST", "/api/chat", json=body) as answer:
        answer.raise_for_status()
        name = ""
        async for line in answer.aiter_lines():
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                yield name, orjson.loads(line[6:])
