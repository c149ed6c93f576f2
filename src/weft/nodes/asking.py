"""A model is asked in a stage of a turn: the prompt compiled, the answer shown as it comes, each call accounted for."""

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from weft.kit.log import get_logger
from weft.kit.text import replace_unstorable
from weft.llm.contract import ContractError
from weft.llm.errors import ModelError
from weft.llm.fold import Fold
from weft.llm.ports import Strategy
from weft.llm.structured import structured
from weft.llm.types import Completion, Delta, Finish, ModelCall, ToolRequest
from weft.nodes.hearing import Hearing, spelled_calls
from weft.nodes.ports import CallSeen
from weft.nodes.rows import Row
from weft.nodes.sending import Sending, count_call, prepared
from weft.nodes.showing import Thought, voice_of
from weft.nodes.turn import Shape, Speech, Turn
from weft.state.token_usage import NO_USAGE, TokenUsage

log = get_logger(__name__)
_NOTHING: Mapping[str, Any] = {}
_LATE = (Strategy.PROMPT, Strategy.JSON_MODE, Strategy.NATIVE_SCHEMA)  # those that leave the prefix as it is
_CUT = (Finish.BROKEN, Finish.LENGTH, Finish.CONTENT_FILTER)  # then a text is not all that the model wanted to say
LONGEST_RAW = 20_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said. `call` is the one that brought it; `speech` what was shown of it."""

    completion: Completion
    call: CallSeen | None
    requests: tuple[ToolRequest, ...] = ()
    speech: Speech | None = None
    is_json: bool = False
    incomplete: bool = False
    usage: TokenUsage = NO_USAGE  # of this call and of those before it that came to nothing

    @property
    def call_id(self) -> UUID | None:
        """The call's id, to be booked on a message."""
        return None if self.call is None else self.call.id


async def ask(
    turn: Turn,
    task: str,
    found: Mapping[str, Any] = _NOTHING,
    *,
    speaks: bool = True,
    only_if: tuple[str, str] | None = None,
) -> Answer:
    """Ask the model of a task; what it says in words is shown while it says it, if it `speaks` to the user.

    With `only_if`, a field and its value, an answer in JSON is for the user only where it says so.
    """
    sending = await prepared(turn, task, found)

    async def heard() -> tuple[Hearing, Completion, bool]:
        hearing = Hearing(voice_of(turn, heard=speaks), only_if=only_if, tools=turn.tools.plain_names)
        return hearing, *await _heard(turn, sending, hearing, Thought(turn, heard=speaks))

    try:
        hearing, completion, broke_off = await heard()
    except ModelError as error:
        if not (error.passing and error.shown):  # else the gateway has tried again as often as it makes sense
            raise
        log.info("answer_asked_for_again", code=error.code)  # nobody has seen a word of it
        await count_call(turn)
        hearing, completion, broke_off = await heard()
    finally:
        turn.unbooked += sending.seen
    turn.book(_tried_again(task, sending.seen[:-1]))
    speech = turn.speech
    cut = broke_off or completion.finish is Finish.BROKEN
    requests = () if cut else completion.tool_calls
    if not requests and hearing.is_json:
        requests = spelled_calls(completion, turn.tools.names, _prefix(sending.seen))
    return Answer(
        completion,
        sending.seen[-1] if sending.seen else None,
        requests,
        speech,
        hearing.is_json and not requests,
        speech is not None and (cut or completion.finish in _CUT or hearing.cut_off),
        _usage(turn, sending, completion),
    )


async def ask_for(
    turn: Turn, task: str, shape: type[Shape], found: Mapping[str, Any]
) -> tuple[Shape | None, TokenUsage]:
    """Ask for a structured answer; one off contract is repaired once, with the error, and then fails the turn.

    None where the model wants tools instead: for it, the work is not done.
    """
    sending = await prepared(turn, task, found)
    strategy = sending.card.abilities.structured
    strategy = strategy if strategy in _LATE else Strategy.PROMPT
    first = True

    async def stream(asked: ModelCall) -> AsyncIterator[Delta]:
        nonlocal first
        if not first:
            await count_call(turn)  # a repair is a call like any other
        first = False
        async with aclosing(turn.models.stream(sending.agent, task, asked, sending.seen)) as deltas:
            async for delta in deltas:
                yield delta

    call = replace(sending.call, tool_choice="none")
    late = sending.card.abilities.late_system_message
    completions: tuple[Completion, ...] = ()
    try:
        result = await structured(stream, call, turn.contract(task, shape), strategy, late_system=late)
        completions = result.completions
    except ContractError as error:
        completions = error.completions
        raise
    finally:
        turn.unbooked += sending.seen
        turn.book([Row("stage_audit", stage=task, data=_raw(completions), call_id=each.id) for each in sending.seen])
    return result.value, sum((_usage(turn, sending, each) for each in completions), NO_USAGE)


async def _heard(turn: Turn, sending: Sending, hearing: Hearing, thought: Thought) -> tuple[Completion, bool]:
    """The answer, shown as it comes; and whether it broke off once some of it had been shown."""
    fold = Fold()
    try:
        async with aclosing(turn.models.stream(sending.agent, sending.task, sending.call, sending.seen)) as deltas:
            async for delta in deltas:
                fold.add(delta)
                if delta.reasoning:
                    thought.hear(delta.reasoning)
                if delta.text:
                    thought.end()
                    hearing.hear(delta.text)
    except ModelError as error:
        hearing.end()
        if turn.speech is None:
            raise  # nobody has seen a word of it: the run may fail as a whole
        call_id = str(sending.seen[-1].id) if sending.seen else None
        log.warning("answer_broke_off", code=error.code, call=call_id)
        return _storable(fold.completion()), True
    finally:
        thought.end()
    hearing.end()
    return _storable(fold.completion()), False


def _storable(completion: Completion) -> Completion:
    """The same without what no database can hold; what was shown of it was cleaned in the same way."""
    text, reasoning = replace_unstorable(completion.text), replace_unstorable(completion.reasoning)
    return replace(completion, text=text, reasoning=reasoning)


def _usage(turn: Turn, sending: Sending, completion: Completion) -> TokenUsage:
    """What was reported, or what we count where nothing was: a limit on tokens must hold for every vendor."""
    if completion.usage is not None:
        return TokenUsage.of(completion.usage)
    return TokenUsage.of(turn.models.estimated(sending.card, sending.call, completion))


def _tried_again(task: str, tries: list[CallSeen]) -> list[Row]:
    return [Row("stage_audit", stage=task, data={"outcome": "tried_again"}, call_id=each.id) for each in tries]


def _prefix(seen: list[CallSeen]) -> str:
    return f"call_{seen[-1].id.hex}" if seen else "call"


def _raw(completions: tuple[Completion, ...]) -> dict[str, Any]:
    return {"raw": [replace_unstorable(each.text[:LONGEST_RAW]) for each in completions]}
