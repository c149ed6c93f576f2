"""The 50-turn conversation of `context_cost` on a small real model: what it says was cached, and what we expected.

Each call is sent as compiled, and one token of an answer is asked for: the words of the conversation stay the same. The
model is one that writes its tools behind the system text, so that a changed system text costs it the tools as well.
"""

import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from bench._ground import run, table
from bench._small_model import ADDRESS, NotThereError, check
from bench._transcript import turns
from bench._weft_contexts import chart, conversation
from weft.context.compiling import Compiled
from weft.context.prefix import Sent, expectation
from weft.llm import openai_compatible
from weft.llm.errors import ModelError
from weft.llm.types import ModelCall, Target, Timeouts, Usage

CLOSE = 0.05  # of a call's tokens
TRIES = 3  # the server closes connections as it likes; Weft's gateway, which is not asked here, would try again
TARGET = Target("local", "small", ADDRESS, "openai_compatible", timeouts=Timeouts(first=1_200, gap=600))


@dataclass(frozen=True)
class Call:
    """One call as we saw it coming, and as the model counted it."""

    turn: int
    sent: Sent
    expected: float  # of its tokens, by the vendors that write tools first
    as_written: float  # of its tokens, by this model, which writes them after the system text
    part: str  # where it parts from the call before
    usage: Usage | None

    @property
    def reported(self) -> float:
        """Of its tokens, by the model."""
        return 0.0 if self.usage is None else self.usage.cached_input / self.usage.input

    @property
    def off(self) -> float:
        """How far the model's figure is from ours."""
        return self.reported - self.as_written


def tools_after_system(sent: Sent) -> Sent:
    """The same call as this model's template writes it."""
    names = [segment.name for segment in sent.segments]
    end = next(at for at, name in enumerate(names) if name == "system/end") + 1
    first = next(at for at, name in enumerate(names) if name == "policy")
    return Sent((*sent.segments[first:end], *sent.segments[:first], *sent.segments[end:]))


async def asked(made: Compiled) -> Usage | None:
    """What the model counts of a call; None where it takes none of that length."""
    call = ModelCall(made.messages, made.tools, max_output_tokens=1)
    for _ in range(TRIES):
        try:
            deltas = [delta async for delta in openai_compatible.stream(TARGET, call)]
            return next((delta.usage for delta in deltas if delta.usage is not None), None)
        except ModelError as error:
            print(f"not answered: {error.detail}", file=sys.stderr)
    return None


async def played(until: int) -> list[Call]:
    """The conversation, call by call."""
    calls: list[Call] = []
    async with conversation() as going:
        for turn in turns(await chart()):
            if turn.number > until:
                break
            before = len(going.made)
            await going.play(turn)
            for made in going.made[before:]:
                calls.append(await _one(turn.number, made, calls[-1].sent if calls else None))
    await openai_compatible.aclose()
    return calls


async def _one(turn: int, made: Compiled, last: Sent | None) -> Call:
    here = expectation(made.sent, last, 1)
    written = expectation(tools_after_system(made.sent), last and tools_after_system(last), 1)
    used = await asked(made)
    print(f"turn {turn}: {written.tokens} of {made.sent.total} expected, {used}", file=sys.stderr, flush=True)
    total = made.sent.total
    return Call(turn, made.sent, here.tokens / total, written.tokens / total, written.changed, used)


def told(calls: Sequence[Call]) -> None:
    """The tables."""
    heard = [call for call in calls if call.usage is not None and call.usage.input]
    total = sum(call.usage.input for call in heard if call.usage)
    cached = sum(call.usage.cached_input for call in heard if call.usage)
    written = sum(call.as_written * call.usage.input for call in heard if call.usage)
    expected = sum(call.expected * call.usage.input for call in heard if call.usage)
    off = [abs(call.off) for call in heard]
    rows = [
        ("calls that the model answered", f"{len(heard)} of {len(calls)}"),
        ("its tokens of input", total),
        ("cached, as it reports", f"{100 * cached / total:.1f} %"),
        ("cached, as we expected of its template, tools after the system text", f"{100 * written / total:.1f} %"),
        ("cached, as we expect of vendors that write the tools first", f"{100 * expected / total:.1f} %"),
        ("a call's difference, median", f"{100 * statistics.median(off):.1f} % of its tokens"),
        (f"calls that differ by more than {100 * CLOSE:.0f} % of their tokens", sum(each > CLOSE for each in off)),
    ]
    table(("", ""), rows)
    print()
    far = sorted((call for call in heard if abs(call.off) > CLOSE), key=lambda call: -abs(call.off))
    table(
        ("turn", "expected, %", "reported, %", "parts from the call before in"),
        [(call.turn, 100 * call.as_written, 100 * call.reported, call.part) for call in far],
    )


def main(until: str = "50") -> None:
    """Measure, up to this turn."""
    try:
        check()
    except NotThereError as error:
        print(error)
        return
    run(partial(_measure, int(until)))


async def _measure(until: int) -> None:
    told(await played(until))


if __name__ == "__main__":
    main(*sys.argv[1:])
