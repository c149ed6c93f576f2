"""The built-in model that needs no key: a lane without a vendor, deterministic, honest about it (INFRA-4)."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterator

from weft.llm.fold import Fold
from weft.llm.offline_mind import decide
from weft.llm.tokens import TokenCounter
from weft.llm.tool_pieces import made_id
from weft.llm.types import Completion, Delta, Finish, ModelCall, Target, ToolDelta, Usage

__all__ = ["MODEL", "aclose", "complete", "load", "stream"]

MODEL = "offline"
_PIECE = re.compile(r"[A-Za-z0-9_]+\s*|[\u3400-\u9fff]{1,2}|.", re.DOTALL)
_counter = TokenCounter(remembered=1024)


async def stream(target: Target, call: ModelCall) -> AsyncGenerator[Delta, None]:
    """Answer in small pieces, usage and finish on the last, as a vendor would."""
    for delta in _deltas(call):
        yield delta
        await asyncio.sleep(0)  # others get their turn between two pieces, as they do with a vendor


async def complete(target: Target, call: ModelCall) -> Completion:
    """The whole answer at once; the same as the stream's."""
    fold = Fold()
    for delta in _deltas(call):
        fold.add(delta)
    return fold.completion()


async def aclose() -> None:
    """Nothing is open."""


def load() -> None:
    """Nothing has to be loaded."""


def _deltas(call: ModelCall) -> Iterator[Delta]:
    decision = decide(call)
    prompt = _counter.raw_count_messages(MODEL, call.messages, call.tools)
    if decision.tool:
        written = _json(decision.arguments)
        number = made_id(f"{call.messages}", len(call.messages))
        yield Delta(tools=(ToolDelta(0, number, decision.tool),))
        yield from (Delta(tools=(ToolDelta(0, arguments=piece),)) for piece in _PIECE.findall(written))
        yield _end(prompt, _tokens(decision.tool + written), Finish.TOOL_CALLS)
        return
    text = decision.text if decision.arguments is None else _json(decision.arguments)
    whole, said = _tokens(text), _cut(text, call.max_output_tokens)
    yield from (Delta(piece) for piece in _PIECE.findall(said))
    yield _end(prompt, min(whole, _tokens(said)), Finish.STOP if said == text else Finish.LENGTH)


def _cut(text: str, limit: int | None) -> str:
    tokens = _tokens(text)
    return text if limit is None or tokens <= limit else text[: len(text) * limit // tokens]


def _end(prompt: int, output: int, finish: Finish) -> Delta:
    return Delta(usage=Usage(input=prompt, output=output), finish=finish)


def _tokens(text: str) -> int:
    return _counter.raw_count(MODEL, text)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
