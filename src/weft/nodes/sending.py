"""What a model is about to be sent: the prompt of a task, within what the turn may still use."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from weft.context.stages import AgentType
from weft.llm.ports import ModelCard
from weft.llm.types import ModelCall
from weft.nodes.errors import LimitReachedError
from weft.nodes.ports import CallSeen, Sent
from weft.nodes.turn import Turn


@dataclass(frozen=True, slots=True)
class Sending:
    """A call, and the tries at it that were made so far."""

    task: str
    agent: AgentType
    card: ModelCard
    call: ModelCall
    seen: list[CallSeen] = field(default_factory=list)


async def prepared(turn: Turn, task: str, found: Mapping[str, Any]) -> Sending:
    """The call of a task, counted; what was `found` goes with it."""
    await count_call(turn)
    agent = turn.texts.agent_of(task).type
    card = await turn.models.card(agent)
    tools = turn.tools.specs if card.abilities.tools else ()
    compiled = turn.prompts.compiled(task, card, tools, found)
    # The last call that a turn may make has to be the answer: the tools stay, for the prefix's sake, and are not to
    # be used.
    choice = "none" if turn.asked_models == turn.limits.calls and compiled.tools else "auto"
    cache_key = str(turn.models.caller.session_id or "")
    call = ModelCall(compiled.messages, compiled.tools, choice, cache_key=cache_key)
    sending = Sending(task, agent, card, call)
    turn.note_sent(Sent(compiled, sending.seen))
    return sending


async def count_call(turn: Turn) -> None:
    """Count one call more, or refuse it where it passes what the turn, or its conversation, may use."""
    limits = turn.limits
    if turn.asked_models >= limits.calls:
        raise LimitReachedError(f"this turn has called models {turn.asked_models} times, which is all it may")
    if turn.state.turn.usage.total_tokens >= limits.tokens:
        raise LimitReachedError(f"this turn has used {turn.state.turn.usage.total_tokens} tokens, which is all it may")
    await turn.budget.check()
    turn.asked_models += 1


def last_call(turn: Turn) -> bool:
    """Whether the next call is the last one that the turn may make: it belongs to the answer."""
    return turn.asked_models + 1 >= turn.limits.calls
