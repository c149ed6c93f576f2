"""A model is asked in a stage of a turn: the prompt compiled, the answer shown as it comes, each call accounted for."""

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from uuid import UUID

from pydantic import BaseModel

from weft.context.stages import AgentType
from weft.kit.ids import new_id
from weft.kit.log import get_logger
from weft.llm.contract import ContractError
from weft.llm.errors import ModelError
from weft.llm.fold import Fold
from weft.llm.ports import ModelCard, Strategy
from weft.llm.structured import structured
from weft.llm.types import Completion, Delta, Finish, ModelCall, ToolRequest
from weft.nodes.errors import LimitReachedError
from weft.nodes.hearing import Hearing, spelled_calls
from weft.nodes.ports import CallSeen, Sent
from weft.nodes.rows import Row
from weft.nodes.turn import Speech, Turn
from weft.state.events import TextEnded, TextGrew, TextStarted
from weft.state.token_usage import NO_USAGE, TokenUsage

log = get_logger(__name__)
_NOTHING: Mapping[str, Any] = {}
_LATE = (Strategy.PROMPT, Strategy.JSON_MODE, Strategy.NATIVE_SCHEMA)  # those that leave the prefix as it is
Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said. `call` is the one that brought it; `speech` what was shown of it."""

    completion: Completion
    call: CallSeen | None
    requests: tuple[ToolRequest, ...] = ()
    speech: Speech | None = None
    is_json: bool = False
    incomplete: bool = False

    @property
    def call_id(self) -> UUID | None:
        """The call's id, to be booked on a message."""
        return None if self.call is None else self.call.id

    @property
    def usage(self) -> TokenUsage:
        """What it used, as an action has it."""
        return NO_USAGE if self.completion.usage is None else TokenUsage.of(self.completion.usage)


async def ask(turn: Turn, task: str, found: Mapping[str, Any] = _NOTHING, *, speaks: bool = True) -> Answer:
    """Ask the model of a task; what it says in words is shown while it says it, if it `speaks` to the user."""
    agent = turn.texts.agent_of(task).type
    call, seen = await _call(turn, task, agent, found)
    hearing = Hearing(_voice(turn) if speaks else _unheard)
    fold, thought = Fold(), _Thought(turn)
    incomplete = False
    try:
        async with aclosing(turn.models.stream(agent, task, call, seen)) as deltas:
            async for delta in deltas:
                fold.add(delta)
                if delta.reasoning and speaks:
                    thought.hear(delta.reasoning)
                if delta.text:
                    thought.end()
                    hearing.hear(delta.text)
    except ModelError as error:
        if turn.speech is None:
            raise  # nobody has seen a word of it: the run may fail as a whole
        log.warning("answer_broke_off", code=error.code, call=str(seen[-1].id) if seen else None)
        incomplete = True
    finally:
        turn.unbooked += seen
        thought.end()
    hearing.end()
    completion = fold.completion()
    tries = seen[:-1]
    turn.book([Row("stage_audit", stage=task, data={"outcome": "tried_again"}, call_id=each.id) for each in tries])
    requests = completion.tool_calls or (
        spelled_calls(completion, turn.tools.names, _prefix(seen)) if hearing.is_json else ()
    )
    speech, turn.speech = turn.speech, None
    broken = incomplete or (speech is not None and completion.finish is Finish.BROKEN)
    return Answer(completion, seen[-1] if seen else None, requests, speech, hearing.is_json and not requests, broken)


async def ask_for(turn: Turn, task: str, shape: type[Shape], found: Mapping[str, Any]) -> tuple[Shape, TokenUsage]:
    """Ask for a structured answer; one off contract is repaired once, with the error, and then fails the turn."""
    agent = turn.texts.agent_of(task).type
    seen: list[CallSeen] = []
    call, seen = await _call(turn, task, agent, found)
    card = await turn.models.card(agent)
    strategy = card.abilities.structured if card.abilities.structured in _LATE else Strategy.PROMPT

    def stream(asked: ModelCall) -> AsyncIterator[Delta]:
        return turn.models.stream(agent, task, asked, seen)

    try:
        result = await structured(
            stream, replace(call, tool_choice="none"), shape, strategy, late_system=card.abilities.late_system_message
        )
    finally:
        turn.unbooked += seen
    turn.book([Row("stage_audit", stage=task, data=_raw(result.completions), call_id=each.id) for each in seen])
    if result.value is None:
        raise ContractError("$", f"the result of {task} as JSON", "tool calls", raw="")
    usages = [each.usage for each in result.completions if each.usage is not None]
    return result.value, TokenUsage.of(*usages)


def tool_row(answer: Answer, request: ToolRequest, arguments: Mapping[str, Any], *, first: bool) -> Row:
    """A tool call as the conversation keeps it; the first of an answer books the call and keeps what was said."""
    return Row(
        "tool_call",
        answer.speech.text if first and answer.speech else None,
        answer.speech.message_id if first and answer.speech else new_id(),
        tool_call_id=request.id,
        name=request.name,
        arguments=arguments,
        call_id=answer.call_id if first else None,
    )


def closing(answer: Answer) -> list[TextEnded]:
    """What ends the text that an answer has shown."""
    return [TextEnded(str(answer.speech.message_id), answer.incomplete)] if answer.speech else []


async def _call(turn: Turn, task: str, agent: AgentType, found: Mapping[str, Any]) -> tuple[ModelCall, list[CallSeen]]:
    await _check_limits(turn)
    card = await turn.models.card(agent)
    compiled = turn.prompts.compiled(task, card, _shown_tools(turn, card), found)
    seen: list[CallSeen] = []
    turn.note_sent(Sent(compiled, seen))
    turn.asked_models += 1
    # The last call that a turn may make has to be the answer: the tools stay, for the prefix's sake, and are not to
    # be used.
    choice = "none" if turn.asked_models == turn.limits.calls and compiled.tools else "auto"
    cache_key = str(turn.models.caller.session_id or "")
    return ModelCall(compiled.messages, compiled.tools, choice, cache_key=cache_key), seen


def _shown_tools(turn: Turn, card: ModelCard) -> Any:
    return turn.tools.specs if card.abilities.tools else ()


async def _check_limits(turn: Turn) -> None:
    limits = turn.limits
    if turn.asked_models >= limits.calls:
        raise LimitReachedError(f"this turn has called models {turn.asked_models} times, which is all it may")
    if turn.state.turn.usage.total_tokens >= limits.tokens:
        raise LimitReachedError(f"this turn has used {turn.state.turn.usage.total_tokens} tokens, which is all it may")
    await turn.budget.check()


def _voice(turn: Turn) -> Any:
    def show(piece: str) -> None:
        speech = turn.speech
        if speech is None:
            speech = turn.speech = Speech(new_id())
            turn.show(TextStarted(str(speech.message_id)))
        turn.show(TextGrew(str(speech.message_id), speech.length, piece))
        speech.pieces.append(piece)
        speech.length += len(piece)

    return show


def _unheard(_piece: str) -> None:
    """What execution says is never forwarded (FLOW-6)."""


class _Thought:
    """What a model thinks aloud before it speaks: shown apart, and no part of the answer."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._id: str | None = None
        self._length = 0
        self._over = False

    def hear(self, piece: str) -> None:
        """More of it."""
        if not piece or self._over:
            return
        if self._id is None:
            self._id = str(new_id())
            self._turn.show(TextStarted(self._id, "reasoning"))
        self._turn.show(TextGrew(self._id, self._length, piece))
        self._length += len(piece)

    def end(self) -> None:
        """It speaks now, or is done."""
        if self._id is not None and not self._over:
            self._turn.show(TextEnded(self._id))
        self._over = self._over or self._id is not None


def _prefix(seen: list[CallSeen]) -> str:
    return f"call_{seen[-1].id.hex}" if seen else "call"


def _raw(completions: tuple[Completion, ...]) -> dict[str, Any]:
    return {"raw": [each.text[:20_000] for each in completions]}
