"""Building one context at 0 to 200 skills with 200 messages: Weft and nanobot, same workspace, skills and history.

Each build is a turn of its own with a new user message. Ours is timed from the database to the finished messages:
skills and workspace looked at, session, profile and history read, blocks gathered, compiled, counted and compared.
Theirs is timed over `Session.get_history`, `ContextBuilder.build_messages` and the tools' definitions; its session is
in memory already.
"""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import _nanobot
from bench._ground import run, table
from bench._transcript import FILES, Turn, turns
from bench._weft_contexts import Conversation, conversation
from weft.sessions.metadata import AssistantOutput, UserInput
from weft.sessions.schemas import NewMessage

SIZES = (0, 50, 100, 200)
MESSAGES, ROUNDS = 200, 30
SKILL = """---
name: {name}
description: Reads the {number} kinds of reports somebody may bring and says what matters. Use when a report comes.
license: Apache-2.0
---
# {name}

{body}
"""
BODY = "Read the report first. 先读完报告，再回答。 Then say what matters, briefly, with the page.\n" * 20


def write_skills(root: Path, count: int) -> None:
    """So many skills."""
    for number in range(count):
        folder = root / f"report-{number:03}"
        folder.mkdir(parents=True)
        text = SKILL.format(name=folder.name, number=number, body=BODY)
        (folder / "SKILL.md").write_text(text, encoding="utf-8")


def texts() -> list[str]:
    """The history: user and assistant in turn."""
    said = [text for turn in turns("") for text in (turn.words, turn.answer)]
    return [f"{said[at % len(said)]} [{at}]" for at in range(MESSAGES)]


async def _built(made: Conversation, turn: Turn) -> tuple[float, float]:
    """Milliseconds of one build in a new turn: on the clock, and of our processor."""
    await made.say(NewMessage(content=turn.words, metadata=UserInput()))
    wall, processor = time.perf_counter(), time.process_time()
    await made.call(turn, "intent")
    spent = (time.perf_counter() - wall) * 1000, (time.process_time() - processor) * 1000
    await made.say(NewMessage(content=turn.answer, metadata=AssistantOutput()))
    made.sent.clear()
    return spent


async def ours(count: int) -> tuple[float, float, float]:
    """The first build in a process, then the median of those that follow: wall, wall, processor."""
    async with conversation() as made:
        await asyncio.to_thread(write_skills, made.weft.skills.roots.operator, count)
        await made.workspace.write_text("memory/MEMORY.md", next(turns("")).memory)
        kinds = (UserInput, AssistantOutput)
        said = [NewMessage(content=text, metadata=kinds[at % 2]()) for at, text in enumerate(texts())]
        await made.say(*said)
        played = [Turn(1, f"and now? ({number})", f"Let us see. ({number})") for number in range(ROUNDS + 1)]
        first, *others = [await _built(made, turn) for turn in played]
    walls, processors = zip(*others, strict=True)
    return first[0], statistics.median(walls), statistics.median(processors)


def theirs(count: int) -> tuple[float, float, float]:
    """The first build in a process, then the median of those that follow: wall, wall, processor."""
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as place:
        workspace = Path(place)
        for name, text in FILES.items():
            (workspace / name).write_text(text, encoding="utf-8")
        (workspace / "memory").mkdir()
        (workspace / "memory" / "MEMORY.md").write_text(next(turns("")).memory, encoding="utf-8")
        write_skills(workspace / "skills", count)
        roles = ("user", "assistant")
        history = [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts())]
        (spent,) = _nanobot.ask("build", workspace, history)
    return spent["first"], spent["next"], spent["processor"]


async def compare() -> None:
    """Print the table."""
    rows: list[Sequence[Any]] = []
    for count in SIZES:
        mine = await ours(count)
        try:
            other = await asyncio.to_thread(theirs, count)
        except _nanobot.NotThereError as error:
            print(f"{error}\n")
            other = (float("nan"),) * 3
        ratios = [f"{theirs_took / ours_took:.0f}" for theirs_took, ours_took in zip(other[1:], mine[1:], strict=True)]
        rows.append((count, *mine, *other, *ratios))
    kinds = ("first", "each turn", "processor")
    names = [f"{name}, {kind}" for name in ("Weft", "nanobot") for kind in kinds]
    table(("skills", *names, "ratio", "of processor"), rows)


def main() -> None:
    """Run it."""
    run(compare)


if __name__ == "__main__":
    main()
