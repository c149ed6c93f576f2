"""The way of a tool call, from what a model asked for to what came of it."""

import pytest

from tests.state.histories import NOW
from weft.state import calls
from weft.state.calls import CallState, Decision, ToolCall, ToolOutcome
from weft.state.errors import StateInvalidError

WRITE = ToolCall("c1", "write_file", {"path": "a.md"}, "intent", "the user asked for it")
ASKED = calls.asked({}, (WRITE, ToolCall("c2", "read_file")))
WAITING = calls.waiting(ASKED, ("c1",), NOW)
DONE = ToolOutcome("c1", "succeeded", {"bytes": 3})


def test_a_call_is_asked_approved_started_and_done() -> None:
    """TOOL-3, STATE-5: each step is seen, and the call keeps one outcome."""
    approved = calls.decided(WAITING, "c1", "approved", None)
    started = calls.started(approved, "c1")
    done = calls.done(started, DONE)
    seen = [each["c1"].phase for each in (ASKED, WAITING, approved, started, done)]
    assert seen == ["asked", "waiting", "approved", "started", "done"]
    assert done["c1"] == CallState(WRITE, "done", expires_at=NOW, outcome=DONE)
    assert done["c2"].phase == "asked"


def test_edited_arguments_replace_all_and_what_the_model_asked_is_kept() -> None:
    """TOOL-3: a full replacement; both can be shown."""
    edited = calls.decided(WAITING, "c1", "edited", {"path": "b.md"})["c1"]
    assert (edited.phase, edited.call.arguments, edited.asked_as) == ("approved", {"path": "b.md"}, WRITE)


@pytest.mark.parametrize("decision", ["denied", "expired"])
def test_a_refused_call_is_never_started(decision: Decision) -> None:
    """TOOL-3: it can only end as denied."""
    refused = calls.decided(WAITING, "c1", decision, None)
    with pytest.raises(StateInvalidError, match="is denied; expected asked or approved"):
        calls.started(refused, "c1")
    with pytest.raises(StateInvalidError, match="is denied"):
        calls.done(refused, DONE)
    assert calls.done(refused, ToolOutcome("c1", "denied"))["c1"].phase == "done"


def test_a_call_that_waits_is_not_run() -> None:
    """TOOL-3: denied by default."""
    with pytest.raises(StateInvalidError, match="is waiting"):
        calls.started(WAITING, "c1")
    with pytest.raises(StateInvalidError, match="is waiting"):
        calls.done(WAITING, DONE)


def test_nothing_happens_twice_or_to_a_call_that_nobody_made() -> None:
    """STATE-5: an outcome is recorded once; a decision is made once."""
    done = calls.done(ASKED, DONE)
    for wrong in (
        lambda: calls.done(done, DONE),
        lambda: calls.started(done, "c1"),
        lambda: calls.decided(ASKED, "c1", "approved", None),
        lambda: calls.decided(WAITING, "c1", "approved", {}),
        lambda: calls.decided(WAITING, "c1", "edited", None),
        lambda: calls.waiting(WAITING, ("c1",), None),
        lambda: calls.started(ASKED, "c9"),
        lambda: calls.asked(ASKED, (WRITE,)),
    ):
        with pytest.raises(StateInvalidError):
            wrong()


def test_a_call_that_began_may_end_as_unknown() -> None:
    """STATE-5: said, never repeated silently."""
    unknown = calls.done(calls.started(ASKED, "c1"), ToolOutcome("c1", "unknown", error="the process died"))
    assert unknown["c1"].outcome is not None
    with pytest.raises(StateInvalidError):
        calls.started(unknown, "c1")
