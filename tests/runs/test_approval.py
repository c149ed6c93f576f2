"""TOOL-3: a call that needs somebody's word pauses the run durably, until somebody gives it, from anywhere."""

import pytest

from tests.turns import House, calls
from weft.kit.errors import ConflictError, InvalidError, NotFoundError
from weft.runs.schemas import Decision, TurnRequest
from weft.runs.service import RunService


async def _asked(house: House, *letters: str):
    ann = await house.someone()
    house.says([calls("send_mail", f"call_{to}", to=to, text="hi") for to in letters])
    return ann, await house.turn(ann, "写信")


async def test_a_paused_run_waits_and_says_for_what(house: House) -> None:
    """TOOL-3, LED-2: nothing is sent; the session stays running and names the calls that wait."""
    ann, told = await _asked(house, "bob", "eve")
    assert (told.kinds[-1], told.run.status, house.sent) == ("run_paused", "waiting", [])
    session = await house.session(ann, told.session_id)
    assert session.status == "running"
    assert session.state_snapshot["pending_tool_call_id"] == "call_bob"
    assert session.state_snapshot["pending_tool_call_ids"] == ["call_bob", "call_eve"]
    assert [each.name for each in await house.desk.approvals(ann, told.run.id)] == ["send_mail", "send_mail"]


async def test_yes_yes_with_changes_and_no(house: House) -> None:
    """TOOL-3: approved as it is, edited, denied; each exactly once, and the model hears of it."""
    ann, told = await _asked(house, "bob", "eve", "tom")
    bob, eve, tom = told.of("approval_asked")
    house.says("两封信寄出去了。")
    await house.desk.decide(ann, bob.approval_id, Decision(approved=True))
    await house.desk.decide(ann, eve.approval_id, Decision(approved=True, edited_args={"to": "eve", "text": "hello"}))
    view = await house.desk.decide(ann, tom.approval_id, Decision(approved=False, reason="not tom"))
    assert view.status == "denied"
    rest = await house.hear(ann, told.accepted, after=await _paused_at(house, ann, told))
    assert rest.run.status == "completed", rest.run
    assert [(letter.to, letter.text) for letter in house.sent] == [("bob", "hi"), ("eve", "hello")]
    assert [each.status for each in rest.of("tool_ended")] == ["succeeded", "succeeded", "denied"]
    assert rest.text == "两封信寄出去了。"
    assert (await house.session(ann, told.session_id)).status == "completed"


async def _paused_at(house: House, actor, told) -> int:
    async with house.database.transaction(actor) as tx:
        events = await RunService(tx).events(told.run.id, 0, 500)
    return next(event.seq for event in events if event.type == "run_paused")


async def test_a_decision_is_made_once(house: House) -> None:
    """TOOL-3: the same again is nothing; another one is refused, and changes nothing."""
    ann, told = await _asked(house, "bob", "eve")
    (bob, _) = told.of("approval_asked")
    first = await house.desk.decide(ann, bob.approval_id, Decision(approved=False))
    assert await house.desk.decide(ann, bob.approval_id, Decision(approved=False)) == first
    with pytest.raises(ConflictError, match="denied already"):
        await house.desk.decide(ann, bob.approval_id, Decision(approved=True))
    assert house.sent == []


async def test_nobody_else_can_decide(house: House) -> None:
    """SEC-1: somebody else's approval answers like one that does not exist."""
    _, told = await _asked(house, "bob")
    (bob,) = told.of("approval_asked")
    eve = await house.someone()
    with pytest.raises(NotFoundError):
        await house.desk.decide(eve, bob.approval_id, Decision(approved=True))
    assert house.sent == []


async def test_edited_arguments_must_fit_the_tool(house: House) -> None:
    """TOOL-3: a replacement that the schema refuses is told with its place, and decides nothing."""
    ann, told = await _asked(house, "bob")
    (bob,) = told.of("approval_asked")
    with pytest.raises(InvalidError, match="'to' is a required property"):
        await house.desk.decide(ann, bob.approval_id, Decision(approved=True, edited_args={"text": "x"}))
    assert [each.status for each in await house.desk.approvals(ann, told.run.id)] == ["pending"]


async def test_resuming_under_a_new_name_asks_again_for_what_is_open(house: House) -> None:
    """SURF-1: what is not covered is asked again; the same name again decides nothing anew."""
    ann = await house.someone()
    house.says([calls("send_mail", "call_bob", to="bob"), calls("send_mail", "call_eve", to="eve")])
    told = await house.turn(ann, "写信", thread="letters", client_run_id="one")
    bob, eve = told.of("approval_asked")
    half = await house.desk.resume(ann, "letters", "two", [(bob.approval_id, Decision(approved=True))])
    heard = await house.hear(ann, half)
    assert (heard.kinds, heard.events[-1].pending) == (["run_paused"], (eve.approval_id,))
    assert house.sent == []
    house.says("好了。")
    rest = await house.desk.resume(ann, "letters", "three", [(eve.approval_id, Decision(approved=True))])
    heard = await house.hear(ann, rest)
    assert heard.run.status == "completed", heard.run
    again = await house.desk.resume(ann, "letters", "three", [(eve.approval_id, Decision(approved=True))])
    assert (again.fresh, again.run.id) == (False, told.run.id)
    assert [letter.to for letter in house.sent] == ["bob", "eve"]


async def test_a_new_turn_is_refused_while_one_waits(house: House) -> None:
    """LED-2: one active run a session; the refusal names it."""
    ann, told = await _asked(house, "bob")
    with pytest.raises(ConflictError, match=str(told.run.id)):
        await house.desk.accept(ann, TurnRequest(message="hi", session_id=told.session_id))


async def test_a_waiting_run_can_be_cancelled(house: House) -> None:
    """LED-2: it ends completed with the outcome cancelled; what waited is withdrawn and never done."""
    ann, told = await _asked(house, "bob")
    await house.desk.cancel(ann, told.run.id)
    heard = await house.hear(ann, told.accepted, after=await _paused_at(house, ann, told))
    assert heard.run.status == "cancelled"
    session = await house.session(ann, told.session_id)
    assert (session.status, session.state_snapshot["outcome"]) == ("completed", "cancelled")
    assert (house.sent, await house.desk.approvals(ann, told.run.id)) == ([], [])
    house.says("你好！")
    assert (await house.turn(ann, "你好", session_id=told.session_id)).run.status == "completed"
