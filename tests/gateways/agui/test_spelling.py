"""Whatever a run tells, its AG-UI stream is well-formed, says everything once, and can be joined at any place."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gateways.client import Client
from tests.gateways.told_runs import FRONTEND, Told, runs
from tests.gateways.verifier import Verifier, ViolationError, Wire, kinds
from weft.gateways.agui.history import Transcript
from weft.gateways.agui.shared_state import first_state
from weft.gateways.agui.spelling import Spelling
from weft.state import events as told
from weft.state.events import ENDS, Event

THREAD, RUN = "thread", "run"
FIRST = first_state("s", "r", 1)
MANY = settings(max_examples=300, deadline=None, database=None, derandomize=True)
modern_or_not = st.booleans()


def spelling(modern: bool = True) -> Spelling:
    return Spelling(THREAD, RUN, dict(FIRST), modern=modern)


def spelled(events: list[Event], modern: bool = True) -> list[Wire]:
    """A fresh stream."""
    one = spelling(modern)
    return [one.run_started, one.state_snapshot, *(wire for event in events for wire in one.spell(event))]


def part(run: Told, after: int) -> list[Event]:
    """What is told after this number, to the next pause or the end."""
    events: list[Event] = []
    for seq, event in run.events:
        if seq > after:
            events.append(event)
            if isinstance(event, ENDS):
                break
    return events


def continued(run: Told, after: int, modern: bool = True) -> list[Wire]:
    """The stream of a run that goes on after a pause."""
    one, past = spelling(modern), Transcript(modern=modern)
    for seq, event in run.events:
        if seq <= after:
            one.recall(event)
            past.take(event)
    one.new_part()
    first = [one.run_started, one.state_snapshot, {"type": "MESSAGES_SNAPSHOT", "messages": past.messages}]
    return [*first, *(wire for event in part(run, after) for wire in one.spell(event))]


def joined(run: Told, after: int, at: int, modern: bool = True) -> list[Wire]:
    """The stream of somebody who joins that part when `at` of its events have been told."""
    one, past = spelling(modern), Transcript(modern=modern)
    for seq, event in run.events:
        if seq <= after:
            one.recall(event)
            past.take(event)
    one.new_part()
    events = part(run, after)
    for event in events[:at]:
        one.recall(event)
        past.take(event)
    first = [one.run_started, one.state_snapshot, {"type": "MESSAGES_SNAPSHOT", "messages": past.messages}]
    return [*first, *one.reopened(), *(wire for event in events[at:] for wire in one.spell(event))]


def verify(events: list[Wire], modern: bool = True) -> None:
    Verifier(THREAD, RUN, modern, FRONTEND).verify(events)


def texts(client: Client) -> dict[str, Any]:
    return {message["id"]: message for message in client.messages}


@MANY
@given(runs(FIRST), modern_or_not)
def test_every_part_of_a_run_is_a_well_formed_stream(run: Told, modern: bool) -> None:
    """SURF-1: order, pairs and outcome, with 1.0 and with older clients; nothing is open at the end."""
    verify(spelled(part(run, 0), modern), modern)
    for pause in run.pauses:
        verify(continued(run, pause, modern), modern)


@MANY
@given(runs(FIRST), st.data(), modern_or_not)
def test_a_run_can_be_joined_at_any_place(run: Told, data: Any, modern: bool) -> None:
    """SURF-1: who joins in the middle, or at the end, sees what those saw who were there from the beginning."""
    after = data.draw(st.sampled_from([0, *run.pauses]))
    events = part(run, after)
    at = data.draw(st.integers(0, len(events) - 1))  # the end itself is always told anew
    stream = joined(run, after, at, modern)
    verify(stream, modern)

    there, late, again = Client(), Client(), Client()
    whole = spelled(events, modern) if after == 0 else continued(run, after, modern)
    there.follow(whole)
    late.follow(stream)
    seen = spelled(events[:at], modern) if after == 0 else []
    again.follow(seen[: data.draw(st.integers(0, len(seen)))])  # the connection broke; it still has what it saw
    again.follow(stream)
    assert late.messages == there.messages
    assert texts(again) == texts(there)
    assert late.state == again.state == there.state
    assert late.interrupts == there.interrupts


@MANY
@given(runs(FIRST))
def test_the_state_a_client_holds_is_the_one_that_was_told(run: Told) -> None:
    """SURF-1: every patch fits the copy that it is for, from the first to the last."""
    client = Client()
    client.follow(spelled(run.plain))
    assert client.state == run.state


@MANY
@given(runs(FIRST))
def test_every_word_is_told_once(run: Told) -> None:
    """FLOW-7: pieces that come twice, as after a process died, are told once."""
    client = Client()
    client.follow(spelled(run.plain))
    expected: dict[str, str] = {}
    for event in run.plain:
        if isinstance(event, told.TextGrew):
            said = expected.get(event.message_id, "")
            expected[event.message_id] = said[: event.offset] + event.text
    assert {name: texts(client)[name]["content"] for name in expected} == expected


def test_a_state_told_whole_is_a_snapshot() -> None:
    """SURF-1: what a patch of the whole document says goes out as a snapshot."""
    one = spelling()
    whole = told.StateChanged(({"op": "replace", "path": "", "value": {"skill": "tarot"}},))
    assert list(one.spell(whole)) == [{"type": "STATE_SNAPSHOT", "snapshot": {"skill": "tarot"}}]
    more = told.StateChanged(({"op": "replace", "path": "/usage/total_tokens", "value": 3},))
    changed = next(iter(one.spell(more)))
    assert changed == {"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/usage", "value": {"total_tokens": 3}}]}


def test_an_incomplete_answer_is_marked() -> None:
    """FLOW-7: a stream that breaks ends as a marked, incomplete answer."""
    broken = [told.TextStarted("m"), told.TextGrew("m", 0, "half"), told.TextEnded("m", incomplete=True)]
    events = spelled(broken)
    assert events[-1] == {"type": "TEXT_MESSAGE_END", "messageId": "m", "metadata": {"weft": {"incomplete": True}}}
    assert {"type": "CUSTOM", "name": "weft.incomplete", "value": {"messageId": "m"}} in events
    assert "metadata" not in spelled(broken, modern=False)[-1]


def test_an_interrupt_says_what_is_asked_and_which_answers_there_are() -> None:
    """TOOL-3: everything that a client needs to ask a person."""
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    asked = told.ApprovalAsked("a1", "c1", "write_file", {"path": "x"}, "Write x?", schema, "2026-12-01T00:00:00+00:00")
    called = told.ToolCalled("c1", "write_file", '{"path":"x"}', "m1")
    finished = spelled([called, asked, told.RunPaused(("a1",))])[-1]
    (interrupt,) = finished["outcome"]["interrupts"]
    assert (interrupt["id"], interrupt["reason"], interrupt["toolCallId"]) == ("a1", "tool_call", "c1")
    assert (interrupt["message"], interrupt["expiresAt"]) == ("Write x?", "2026-12-01T00:00:00+00:00")
    assert interrupt["responseSchema"]["properties"]["editedArgs"] == schema


def test_usage_has_one_entry_a_model_and_parts_stay_within_totals() -> None:
    """LED-7: cached tokens are a part of the input, never more of it."""
    calls = [told.CallMade(str(at), "intent", "m", 10, 6, 2, "0.1", "CNY") for at in range(2)]
    nothing_known = told.CallMade("3", "intent", "n", 0, 0, 0, None, "CNY", outcome="failed")
    finished = spelled([*calls, nothing_known, told.RunFinished()])[-1]
    assert finished["usage"] == [
        {"model": "m", "inputTokens": 20, "cachedInputTokens": 12, "outputTokens": 4, "totalTokens": 24}
    ]


def test_a_frontend_call_of_an_earlier_part_is_named_again() -> None:
    """SURF-1: a client that is to carry out a call learns of it, its arguments said once."""
    run = Told()
    for event in (
        told.ToolCalled("f", "show_chart", '{"a":1}', "m", frontend=True),
        told.ToolCalled("c", "write_file", "{}", "m"),
        told.ApprovalAsked("a", "c", "write_file", {}, "?", {}, "2026-12-01T00:00:00+00:00"),
        told.RunPaused(("a",)),
        told.ToolEnded("c", "write_file", "denied", "no", "r"),
        told.RunFinished(pending_tool_calls=("f",)),
    ):
        run.add(event)
    stream = continued(run, 4)
    verify(stream)
    assert kinds(stream)[-3:] == ["TOOL_CALL_START", "TOOL_CALL_END", "RUN_FINISHED"]
    assert stream[-1]["outcome"] == {"type": "success", "pendingToolCallIds": ["f"]}


BROKEN = [
    ([{"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}], "first"),
    ([{"type": "RUN_STARTED", "threadId": THREAD, "runId": "other", "protocolVersion": "1.0"}], "ids"),
]


@pytest.mark.parametrize(("events", "why"), BROKEN)
def test_the_verifier_sees_what_is_wrong_at_the_start(events: list[Wire], why: str) -> None:
    with pytest.raises(ViolationError, match=why):
        verify(events)


@pytest.mark.parametrize(
    ("inner", "why"),
    [
        ([{"type": "STEP_FINISHED", "stepName": "intent"}], "not open"),
        ([{"type": "STEP_STARTED", "stepName": "intent"}], "open at the end"),
        ([{"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x"}], "not open"),
        ([{"type": "REASONING_MESSAGE_START", "messageId": "m", "role": "assistant"}], "reasoning"),
        ([{"type": "TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "c", "content": ""}], "nobody made"),
        (
            [
                {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "read_file"},
                {"type": "TOOL_CALL_END", "toolCallId": "c"},
            ],
            "unanswered",
        ),
        ([{"type": "CUSTOM", "name": "skill", "value": {}}], "CUSTOM"),
        ([{"type": "STATE_DELTA", "delta": None}], "STATE_DELTA"),
        ([{"type": "RUN_FINISHED", "threadId": THREAD, "runId": RUN}], "after the end"),
    ],
)
def test_the_verifier_sees_what_is_wrong(inner: list[Wire], why: str) -> None:
    """The rules of this suite can fail."""
    start = {"type": "RUN_STARTED", "threadId": THREAD, "runId": RUN, "protocolVersion": "1.0"}
    end = {"type": "RUN_FINISHED", "threadId": THREAD, "runId": RUN}
    verify([start, end])
    with pytest.raises(ViolationError, match=why):
        verify([start, *inner, end])
