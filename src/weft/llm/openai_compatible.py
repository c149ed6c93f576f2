"""The direct lane: chat completions over httpx, for every vendor that speaks the OpenAI protocol."""

from collections.abc import AsyncGenerator, AsyncIterator

import httpx

from weft.llm.answers import read_answer
from weft.llm.clients import aclose
from weft.llm.errors import ModelError, TimedOutError
from weft.llm.exchange import check_target, opened, transport_problem, whole_body
from weft.llm.request import request_body
from weft.llm.transcript import Transcript
from weft.llm.types import Completion, Delta, ModelCall, Target
from weft.llm.watch import Watch

__all__ = ["aclose", "complete", "stream"]

DRAIN_SECONDS = 0.05
_LOST = (httpx.HTTPError, httpx.StreamError, TimeoutError)


async def stream(target: Target, call: ModelCall) -> AsyncGenerator[Delta, None]:
    """Call a model and give what it says as it says it; an answer that is not whole ends in an error.

    Whoever stops early closes the generator (`contextlib.aclosing`); that closes the connection at once.
    """
    check_target(target)
    body = request_body(target, call, stream=True)
    transcript = Transcript(target)
    problem: ModelError | None = None
    try:
        with Watch(target.timeouts.first) as watch:
            async with opened(target, body) as response:
                transcript.open(response.headers.get("content-type", ""))
                pieces = response.aiter_bytes()
                async for piece in pieces:
                    deltas = transcript.feed(piece)
                    if deltas is None:
                        continue  # no event yet: the wait goes on
                    watch.stop()
                    for delta in deltas:
                        yield delta
                    if transcript.over:
                        break
                    watch.start(target.timeouts.gap)
                if transcript.done:
                    await _drain(pieces, watch)
    except ModelError as error:
        problem = error
    except _LOST as error:
        problem = _lost(target, transcript, error)
    for delta in transcript.end():
        yield delta
    # Raised outside the handlers: the library's error may hold what the vendor echoed.
    if problem := problem or transcript.verdict():
        raise problem


async def complete(target: Target, call: ModelCall) -> Completion:
    """Call a model and give its whole answer."""
    check_target(target)
    body = request_body(target, call, stream=False)
    try:
        with Watch(target.timeouts.first):
            async with opened(target, body) as response:
                answer = await whole_body(response, target)
        return read_answer(target, answer)
    except _LOST as error:
        problem = transport_problem(target, error)
    raise problem


def _lost(target: Target, transcript: Transcript, error: Exception) -> ModelError | None:
    """The error for a connection that was lost; None if all that mattered had come."""
    if transcript.whole or transcript.over:
        return None
    if isinstance(error, TimeoutError) and transcript.began:
        detail = f"nothing for {target.timeouts.gap:g} s in the middle of the answer"
        return TimedOutError(detail, target=target, stage="gap", partial=transcript.partial())
    if isinstance(error, TimeoutError) or not transcript.opened:
        return transport_problem(target, error)
    return transcript.verdict(f"{type(error).__name__}: {error}")


async def _drain(pieces: AsyncIterator[bytes], watch: Watch) -> None:
    """Read the end of a body that is done, so that its connection can serve the next call."""
    watch.start(DRAIN_SECONDS)
    async for _ in pieces:
        pass
