"""The contexts of a 50-turn conversation at deepseek-chat's prices: Weft's against nanobot's, on one transcript.

Both get the same workspace, skills, words, answers and tool results. Ours come the way that a turn takes, with the
database, the skills and the tools that Weft ships; theirs from nanobot's own loop, session and `ContextBuilder`.
"""

import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import _nanobot
from bench._ground import run, table
from bench._transcript import FILES, RESTART, Turn, turns
from bench._vendor_cache import MODEL, Booked, as_sent
from bench._weft_contexts import OURS, WITHOUT, Way, chart, conversation
from weft.llm.tokens import TokenCounter
from weft.skills.library import SHIPPED


def told(turn: Turn) -> dict[str, Any]:
    """A turn as nanobot takes it: an expert is called in by reading the skill, as its prompt says."""
    tools: list[Any] = []
    if turn.switches:
        path = f"skills/{turn.skill}/SKILL.md"
        tools.append(("read_file", {"path": path}, (SHIPPED / turn.skill / "SKILL.md").read_text(encoding="utf-8")))
    if turn.result is not None:
        tools.append(("exec" if turn.switches else "grep", {"pattern": turn.words[:12]}, turn.result))
    said = {"number": turn.number, "words": turn.words, "answer": turn.answer, "memory": turn.memory}
    return said | {"tools": tools, "restart": turn.number == RESTART}


def theirs(played: Sequence[Turn]) -> Booked:
    """What nanobot sends."""
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as place:
        workspace = Path(place)
        for name, text in FILES.items():
            (workspace / name).write_text(text, encoding="utf-8")
        (workspace / "memory").mkdir()
        for skill in sorted(SHIPPED.iterdir()):
            if (skill / "SKILL.md").is_file():
                shutil.copytree(skill, workspace / "skills" / skill.name)
        counter = TokenCounter()
        calls = _nanobot.ask("replay", workspace, [told(turn) for turn in played])
        return Booked.of(as_sent(call, counter) for call in calls)


async def ours(played: Sequence[Turn], way: Way = OURS) -> Booked:
    """What Weft sends."""
    async with conversation(way) as made:
        for turn in played:
            await made.play(turn)
    return Booked.of(made.sent)


def _row(name: str, booked: Booked, base: Booked) -> tuple[Any, ...]:
    usage = booked.usage
    share, cost = f"{100 * booked.share:.1f} %", f"{booked.cost:.4f}"
    first, times = booked.calls[0].total, float(booked.cost / base.cost)
    return name, len(booked.calls), first, booked.largest, usage.input, share, cost, times


def _new(played: Sequence[Turn]) -> int:
    """What no cache can know."""
    counter = TokenCounter()
    texts = [text for turn in played for text in (turn.words, turn.answer, turn.result or "") if text]
    return sum(counter.raw_count(MODEL, text) for text in texts)


async def compare() -> None:
    """Print the table."""
    played = list(turns(await chart()))
    weft = await ours(played)
    rows = [_row("Weft", weft, weft)]
    try:
        rows.append(_row(f"nanobot {_nanobot.VERSION}", await asyncio.to_thread(theirs, played), weft))
    except _nanobot.NotThereError as error:
        print(f"{error}\n")
    rows += [_row(f"Weft, {way.name}", await ours(played, way), weft) for way in WITHOUT]
    table(("", "calls", "first call", "largest", "input tokens", "cached", "CNY", "times ours"), rows)
    print(f"\nNew in each call, whoever builds it: {_new(played)} tokens of words, answers and tool results.")


def main() -> None:
    """Run it."""
    run(compare)


if __name__ == "__main__":
    main()
