"""Where 60 labelled messages go first, on a small real model: through Weft, and through a plain tool-calling loop.

`python -m bench.routing held_out` takes the 24 that were held out.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from bench._first_decisions import PlainLoop, WeftServer
from bench._ground import table
from bench._routing_messages import Said, descriptions, messages
from bench._servers import weft_server
from bench._small_model import NotThereError, check, steady
from weft.llm import openai_compatible
from weft.tools.builtin import built_in
from weft.tools.toolbox import Toolbox

WEFT = "Weft"


class Way(Protocol):
    """Somebody who is told something."""

    async def decide(self, said: Said) -> str:
        """What is done first."""


async def decided(way: Way, said: Sequence[Said]) -> list[str]:
    """One after the other: the model has few slots, and each keeps one beginning of a prompt."""
    return [await way.decide(each) for each in said]


def plain_loops(vendor: str) -> dict[str, PlainLoop]:
    """The loop that knows the experts by name, and the one that is told what they are for."""
    experts = descriptions()
    tools = Toolbox(built_in(None, tuple(experts))).specs  # type: ignore[arg-type]  # described here, never run
    return {
        "plain loop": PlainLoop(vendor, tools, {}),
        "plain loop, told of the skills": PlainLoop(vendor, tools, experts),
    }


async def _all(vendor: str, weft: WeftServer, said: Sequence[Said]) -> dict[str, list[str]]:
    await weft.patient()
    ways: dict[str, Way] = {WEFT: weft, **plain_loops(vendor)}
    found = {}
    for name, way in ways.items():
        began = time.monotonic()
        found[name] = await decided(way, said)
        print(f"{name}: {len(said)} messages in {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    await openai_compatible.aclose()
    return found


def scores(said: Sequence[Said], found: Mapping[str, Sequence[str]]) -> list[list[object]]:
    """How many of each class went where they belong."""
    classes = list(dict.fromkeys(each.want for each in said))
    groups = [(name, [at for at, each in enumerate(said) if each.want == name]) for name in classes]
    groups += [
        ("Chinese", [at for at, each in enumerate(said) if each.chinese]),
        ("English", [at for at, each in enumerate(said) if not each.chinese]),
        ("all", list(range(len(said)))),
    ]
    return [
        [name, len(places), *(sum(way[at] == said[at].want for at in places) for way in found.values())]
        for name, places in groups
    ]


def misses(said: Sequence[Said], found: Mapping[str, Sequence[str]]) -> list[list[object]]:
    """Every message that somebody led astray, and where to."""
    return [
        [each.words, each.want, *("" if way[at] == each.want else way[at] for way in found.values())]
        for at, each in enumerate(said)
        if any(way[at] != each.want for way in found.values())
    ]


def main(part: str = "messages") -> None:
    """Measure."""
    said = messages(part)
    try:
        check()
    except NotThereError as error:
        print(error)
        return
    with (
        tempfile.TemporaryDirectory(prefix="weft-bench-", ignore_cleanup_errors=True) as folder,
        steady() as vendor,
        weft_server(Path(folder) / "home", vendor, "small") as weft,
    ):
        found = asyncio.run(_all(vendor, WeftServer(weft.url), said))
    table(["first", "messages", *found], scores(said, found))
    print("\nMisses:\n")
    table(["message", "wanted", *found], misses(said, found))


if __name__ == "__main__":
    main(*sys.argv[1:])
