"""Tool calls: what was asked for, what was decided about it, and what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic import AwareDatetime, with_config

from weft.state.closed import CLOSED, Json, JsonObject, Line, Long, Name
from weft.state.errors import StateInvalidError

Decision = Literal["approved", "edited", "denied", "expired"]
Phase = Literal["asked", "waiting", "approved", "denied", "started", "done"]
REFUSED: frozenset[Decision] = frozenset({"denied", "expired"})


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that a stage wants to be run; `arguments` are valid JSON, whether its schema takes them or not."""

    id: Name
    name: Name
    arguments: JsonObject = field(default_factory=dict)
    stage: Line = ""
    why: Line = ""


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What came of a call; `unknown` when it had begun and nobody saw its end."""

    call_id: Name
    status: Literal["succeeded", "failed", "denied", "unknown"]
    content: Json = None
    error: Long | None = None


@dataclass(frozen=True, slots=True)
class CallState:
    """How far a call has come in this turn."""

    call: ToolCall
    phase: Phase = "asked"
    asked_as: ToolCall | None = None  # the call as the model made it, where a person has edited it
    expires_at: AwareDatetime | None = None
    reason: str | None = None  # what the person who decided said of it
    outcome: ToolOutcome | None = None


Calls = Mapping[str, CallState]


def asked(calls: Calls, more: tuple[ToolCall, ...]) -> Calls:
    """The calls and more; an id is never used twice in a turn."""
    merged = dict(calls)
    for call in more:
        if call.id in merged:
            raise StateInvalidError.at(("tools_asked", call.id), "is the id of an earlier call of this turn")
        merged[call.id] = CallState(call)
    return merged


def waiting(calls: Calls, call_ids: tuple[str, ...], expires_at: AwareDatetime | None) -> Calls:
    """The calls, these of them waiting for a person."""
    merged = dict(calls)
    for call_id in call_ids:
        merged[call_id] = replace(_in(calls, call_id, "asked"), phase="waiting", expires_at=expires_at)
    return merged


def decided(
    calls: Calls, call_id: str, decision: Decision, arguments: Mapping[str, Any] | None, reason: str | None = None
) -> Calls:
    """The calls after a person's word; edited arguments take the place of all that the model gave."""
    before = replace(_in(calls, call_id, "waiting"), reason=reason)
    if (decision == "edited") != (arguments is not None):
        raise StateInvalidError.at(("approval_decided", "arguments"), "belong to the decision 'edited', and only to it")
    if decision in REFUSED:
        return {**calls, call_id: replace(before, phase="denied")}
    if arguments is None:
        return {**calls, call_id: replace(before, phase="approved")}
    edited = replace(before.call, arguments=arguments)
    return {**calls, call_id: replace(before, call=edited, phase="approved", asked_as=before.call)}


def started(calls: Calls, call_id: str) -> Calls:
    """The calls, this one begun: from here on its side effect may have happened."""
    return {**calls, call_id: replace(_in(calls, call_id, "asked", "approved"), phase="started")}


def done(calls: Calls, outcome: ToolOutcome) -> Calls:
    """The calls with what came of one; a call has one outcome for ever."""
    open_phases: tuple[Phase, ...] = ("asked", "approved", "started")
    if outcome.status == "denied":
        open_phases = ("asked", "waiting", "denied")
    return {
        **calls,
        outcome.call_id: replace(_in(calls, outcome.call_id, *open_phases), phase="done", outcome=outcome),
    }


def _in(calls: Calls, call_id: str, *phases: Phase) -> CallState:
    state = calls.get(call_id)
    if state is None:
        raise StateInvalidError.at(("calls", call_id), "nobody asked for this call in this turn")
    if state.phase not in phases:
        raise StateInvalidError.at(("calls", call_id), f"is {state.phase}; expected {' or '.join(phases)}")
    return state
