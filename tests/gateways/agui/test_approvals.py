"""Approvals over a real server: AG-UI's interrupts, and what a client says to them."""

from typing import Any

import pytest

from tests.gateways.agui.seen import custom, follow, of, paused, resumed, verify
from tests.gateways.conftest import Served
from tests.gateways.verifier import kinds
from tests.turns import calls
from weft.kit.ids import new_id


@pytest.mark.usefixtures("asks_first")
async def test_an_approved_call(served: Served) -> None:
    """TOOL-3: the run ends with an interrupt; the next one brings the result of that very call, and the answer."""
    given, client = await paused(served)
    (asked,) = client.interrupts
    assert (asked["reason"], asked["toolCallId"]) == ("tool_call", "call_1")
    assert "approved" in asked["responseSchema"]["required"]
    served.house.says("写好了。")
    again, before = resumed(given, client, approved=True), list(client.messages)
    events = await served.agui(again)
    verify(again, events)
    client.follow(events)
    assert kinds(events)[:3] == ["RUN_STARTED", "STATE_SNAPSHOT", "MESSAGES_SNAPSHOT"]
    assert of(events, "MESSAGES_SNAPSHOT")[0]["messages"] == before
    assert not of(events, "TOOL_CALL_START")
    assert of(events, "TOOL_CALL_RESULT")[0]["toolCallId"] == "call_1"
    assert (client.messages[-1]["content"], client.interrupts) == ("写好了。", [])
    assert custom(events, "weft.approval_decided")[0]["status"] == "approved"
    repeated = await served.agui(again)
    verify(again, repeated)
    assert repeated[-1]["outcome"] == {"type": "success"}
    client.follow(repeated)
    assert client.messages[-1]["content"] == "写好了。"


@pytest.mark.usefixtures("asks_first")
async def test_edited_arguments_take_the_place_of_all(served: Served) -> None:
    """TOOL-3: a full replacement, checked by the tool's schema."""
    given, client = await paused(served)
    wrong = resumed(given, client, approved=True, editedArgs={"path": "b.md"})
    answer = await served.client.post("/agui", json=wrong)
    assert (answer.status_code, answer.json()["code"]) == (422, "turn_invalid")
    served.house.says("写好了。")
    again = resumed(given, client, approved=True, editedArgs={"path": "b.md", "content": "乙"})
    events = await served.agui(again)
    verify(again, events)
    assert "b.md" in of(events, "TOOL_CALL_RESULT")[0]["content"]
    assert custom(events, "weft.approval_decided")[0]["status"] == "edited"


@pytest.mark.usefixtures("asks_first")
@pytest.mark.parametrize(
    "answer",
    [
        {"status": "cancelled"},
        {"status": "resolved"},
        {"status": "resolved", "payload": {"approved": "yes"}},
        {"status": "resolved", "payload": {"approved": False, "reason": "lieber nicht"}},
    ],
)
async def test_whatever_is_no_plain_yes_is_a_no(served: Served, answer: dict[str, Any]) -> None:
    """TOOL-3: denied by default."""
    given, client = await paused(served)
    served.house.says("好，那就不写。")
    again = {**resumed(given, client), "resume": [{"interruptId": client.interrupts[0]["id"], **answer}]}
    events = await served.agui(again)
    verify(again, events)
    assert of(events, "TOOL_CALL_RESULT")[0]["metadata"] == {"weft": {"status": "denied"}}
    assert custom(events, "weft.approval_decided")[0]["status"] == "denied"


@pytest.mark.usefixtures("asks_first")
async def test_an_answer_to_no_question_begins_nothing(served: Served) -> None:
    """TOOL-3: what resumes nothing is refused; it is not taken for the old message said once more."""
    given, client = await paused(served)
    for name in ("nonsense", str(new_id())):
        again = {**resumed(given, client), "resume": [{"interruptId": name, "status": "resolved"}]}
        answer = await served.client.post("/agui", json=again)
        assert (answer.status_code, answer.json()["code"]) in ((422, "turn_invalid"), (404, "approval_unknown"))
    served.house.says("好，那就不写。")
    await served.agui(resumed(given, client, approved=False))
    over = {**resumed(given, client), "resume": [{"interruptId": "nonsense", "status": "resolved"}]}
    assert (await served.client.post("/agui", json=over)).status_code == 422
    assert len((await served.client.get("/api/runs")).json()["items"]) == 1


@pytest.mark.usefixtures("asks_first")
async def test_what_was_not_answered_is_asked_again(served: Served) -> None:
    """TOOL-3: several at once; an uncovered interrupt stays open, and never ends as a success."""
    both = (calls("write_file", "x", path="x.md", content="1"), calls("write_file", "y", path="y.md", content="2"))
    served.house.says(both)
    given = served.input("写两个")
    client = follow(given, await served.agui(given))
    assert [each["toolCallId"] for each in client.interrupts] == ["x", "y"]
    first, second = client.interrupts
    again = resumed(given, client, approved=True)
    again["resume"] = again["resume"][:1]
    events = await served.agui(again)
    verify(again, events)
    client.follow(events)
    assert client.interrupts == [second]
    served.house.says("写好了。")
    rest = resumed(given, client, approved=True)
    events = await served.agui(rest)
    verify(rest, events)
    assert {each["toolCallId"] for each in of(events, "TOOL_CALL_RESULT")} == {"x", "y"}
    assert first["id"] != second["id"]


@pytest.mark.usefixtures("asks_first")
async def test_a_page_that_knows_nothing_goes_on_after_a_pause(served: Served) -> None:
    """SURF-1: a client without the conversation is shown it, with the call that is being answered."""
    given, client = await paused(served)
    served.house.says("写好了。")
    again = {**resumed(given, client, approved=True), "messages": given["messages"]}
    events = await served.agui(again)
    verify(again, events)
    fresh = follow(again, events)
    assert [message["role"] for message in fresh.messages] == ["user", "assistant", "tool", "assistant"]
    assert fresh.messages[0]["id"] == given["messages"][0]["id"]
