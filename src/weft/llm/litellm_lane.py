"""The wide lane: every vendor that LiteLLM knows, with the deltas, answers and errors of the direct lane."""

from collections.abc import AsyncGenerator, Iterable
from dataclasses import fields
from typing import Any

import httpx

from weft.llm.answers import ChunkReader, read_answer_object
from weft.llm.errors import AnswerTooLargeError, BrokenStreamError, ModelError, TimedOutError
from weft.llm.exchange import check_target, transport_problem
from weft.llm.fold import Fold
from weft.llm.litellm_errors import problem_below
from weft.llm.litellm_library import is_loaded, library, load
from weft.llm.request import request_fields
from weft.llm.types import Completion, Delta, ModelCall, Target, Usage
from weft.llm.usage import canonical_usage
from weft.llm.watch import Watch

__all__ = ["aclose", "complete", "load", "stream"]

_ADDED_FIELDS = ("content", "reasoning_content", "reasoning", "tool_calls")


async def stream(target: Target, call: ModelCall) -> AsyncGenerator[Delta, None]:
    """Call a model and give what it says as it says it; an answer that is not whole ends in an error."""
    check_target(target)
    litellm = await library()
    answer: Any = None
    reader = _Reader(target)
    problem: ModelError | None = None
    try:
        with Watch(target.timeouts.first) as watch:
            answer = await litellm.acompletion(
                **_arguments(litellm, target, call), stream=True, stream_options={"include_usage": True}
            )
            async for chunk in answer:
                watch.stop()
                if delta := reader.read(chunk, answer):
                    yield delta
                watch.start(target.timeouts.gap)
            if delta := reader.usage(answer.chunks):
                yield delta
    except ModelError as error:
        problem = error
    except TimeoutError as error:
        problem = reader.timed_out(error)
    except Exception as error:  # noqa: BLE001 - whatever a foreign library raises may hold the vendor's key
        problem = problem_below(target, error, streaming=answer is not None, partial=reader.partial())
    finally:
        if answer is not None:
            await answer.aclose()
    if problem := reader.verdict(problem):
        raise problem


async def complete(target: Target, call: ModelCall) -> Completion:
    """Call a model and give its whole answer."""
    check_target(target)
    litellm = await library()
    try:
        with Watch(target.timeouts.first):
            answer = await litellm.acompletion(**_arguments(litellm, target, call))
        return read_answer_object(target, answer.model_dump())
    except ModelError:
        raise
    except TimeoutError as error:
        problem = transport_problem(target, error)
    except Exception as error:  # noqa: BLE001 - whatever a foreign library raises may hold the vendor's key
        problem = problem_below(target, error, streaming=False)
    raise problem


async def aclose() -> None:
    """Close the clients that LiteLLM keeps, if anybody has needed it."""
    if not is_loaded():
        return
    litellm = await library()
    await litellm.close_litellm_async_clients()
    litellm.in_memory_llm_clients_cache.flush_cache()


class _Reader:
    """Reads LiteLLM's chunks, and tells what the vendor said from what LiteLLM made up."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._chunks = ChunkReader(target)
        self._fold = Fold()
        self._room = target.limits.answer

    def read(self, chunk: Any, answer: Any) -> Delta | None:
        if not chunk.choices:
            return None  # usage that LiteLLM has added up, or guessed
        choice = chunk.choices[0]
        # Without a reason from the vendor LiteLLM says "stop", also of a stream that was cut.
        given = answer.received_finish_reason or answer.intermittent_finish_reason
        reason = choice.finish_reason if given else None
        plain = {"id": chunk.id, "choices": [{"delta": _plain(choice.delta), "finish_reason": reason}]}
        delta = self._chunks.read_object(plain)
        if delta is not None:
            self._add(delta)
        return delta

    def usage(self, chunks: Iterable[Any]) -> Delta | None:
        """What the vendor reported, and only that: where it is silent, LiteLLM would count for itself."""
        raw = (getattr(chunk, "usage", None) for chunk in chunks)
        reported = (canonical_usage(usage.model_dump()) for usage in raw if usage is not None)
        counted = _largest([usage for usage in reported if usage is not None])
        if counted is None:
            return None
        delta = Delta(usage=counted)
        self._fold.add(delta)
        return delta

    def partial(self) -> Completion | None:
        return None if self._fold.empty and self._fold.usage is None else self._fold.completion()

    def timed_out(self, error: Exception) -> ModelError:
        if self._fold.empty:
            return transport_problem(self._target, error)
        detail = f"nothing for {self._target.timeouts.gap:g} s in the middle of the answer"
        return TimedOutError(detail, target=self._target, stage="gap")

    def verdict(self, problem: ModelError | None) -> ModelError | None:
        if problem is None and self._fold.finish is None:
            problem = BrokenStreamError("it ended without a reason to end", target=self._target)
        if problem is not None:
            problem.partial = self.partial()
        return problem

    def _add(self, delta: Delta) -> None:
        self._fold.add(delta)
        self._room -= len(delta.text) + len(delta.reasoning) + sum(len(tool.arguments) for tool in delta.tools)
        if self._room < 0:
            limit = self._target.limits.answer
            raise AnswerTooLargeError(f"the answer passes {limit} bytes; it was cut off", target=self._target)


def _arguments(litellm: Any, target: Target, call: ModelCall) -> dict[str, Any]:
    limits = target.timeouts
    # A Watch measures the waits; the library's own limits only must not be shorter.
    patience = limits.first + limits.gap
    known = target.vendor in litellm.provider_list
    return {
        "model": target.model,
        "custom_llm_provider": target.vendor if known else "openai",
        "api_base": target.base_url or None,
        "api_key": target.api_key or "none",  # else it would look for one in the environment
        "extra_headers": dict(target.extra_headers) or None,
        "timeout": httpx.Timeout(patience, connect=limits.connect),
        "num_retries": 0,
        "max_retries": 0,
        "_skip_mcp_handler": True,  # with tools it would import a server that is not installed
        **request_fields(target, call),
    }


def _plain(delta: Any) -> dict[str, Any]:
    added = {name: getattr(delta, name, None) for name in _ADDED_FIELDS}
    if added["tool_calls"]:
        added["tool_calls"] = [call.model_dump() for call in added["tool_calls"]]
    return added


def _largest(reported: list[Usage]) -> Usage | None:
    # Anthropic reports the input in its first event and the output in its last.
    if not reported:
        return None
    return Usage(*(max(getattr(usage, each.name) for usage in reported) for each in fields(Usage)))
