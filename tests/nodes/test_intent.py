"""FLOW-2, FLOW-3, FLOW-6: the intent answers or routes; what is off its contract is repaired once, never shown raw."""

import json
from datetime import timedelta

import pytest

from tests.turns import House, Told, calls
from weft.calls.service import CallService
from weft.llm.scripted import Answer, Fault, Refusal
from weft.llm.types import ToolRequest
from weft.sessions.metadata import StageAudit

NEEDS = {"route": "NEEDS_EXECUTION", "execution_brief": "list the files"}
DIRECT = {"route": "DIRECT_EXECUTION", "assistant_text": "Hello there."}


async def _asked(house: House, *answers: object) -> Told:
    house.says(*[Answer(json.dumps(each)) if isinstance(each, dict) else each for each in answers])  # type: ignore[arg-type]
    return await house.turn(await house.someone(), "look")


@pytest.mark.parametrize("order", [1, -1], ids=["route first", "text first"])
async def test_words_beside_a_route_to_execution_are_not_shown(house: House, order: int) -> None:
    """FLOW-6: where execution is needed, only the organization speaks, whatever the order of the fields."""
    fields = dict([*{**NEEDS, "assistant_text": "I did it already."}.items()][::order])
    house.says(Answer(json.dumps(fields), by=3), calls("list_dir", path="."), "Nothing there.")
    ann = await house.someone()
    told = await house.turn(ann, "look")
    assert told.text == "Nothing there."
    rows = await house.messages(ann, told.session_id)
    assert [row.content for row in rows if row.metadata.type == "assistant_output"] == ["Nothing there."]


@pytest.mark.parametrize("order", [1, -1], ids=["route first", "text first"])
async def test_a_direct_answer_in_json_is_shown_and_its_raw_form_kept(house: House, order: int) -> None:
    """FLOW-3, FLOW-7, LED-4: the text alone for the user; the object in an audit row, which books nothing twice."""
    ann = await house.someone()
    house.says(Answer(json.dumps(dict([*DIRECT.items()][::order])), by=4))
    told = await house.turn(ann, "hi")
    assert (told.text, len(house.asked)) == ("Hello there.", 1)
    audit = await house.messages(ann, told.session_id, audit=True)
    kept = [row.metadata.data for row in audit if isinstance(row.metadata, StageAudit)]
    assert [json.loads(each["raw"])["route"] for each in kept] == ["DIRECT_EXECUTION"]
    assert [row.call_id for row in audit] == [None]


async def test_what_stays_off_contract_fails_the_turn_and_is_not_shown(house: House) -> None:
    """FLOW-3, FLOW-6: told once what is wrong; then a clean end, and no raw object on anybody's screen."""
    told = await _asked(house, {"route": "NEEDS_EXECUTION"}, {"route": "NEEDS_EXECUTION"})
    assert (told.run.status, told.run.error_code, told.text) == ("failed", "model_off_contract", "")
    assert len(house.asked) == 2
    assert "execution_brief" in str(house.asked[1]["messages"][-1])


async def test_json_that_the_user_asked_for_is_an_answer(house: House) -> None:
    """FLOW-3: plain text is a direct answer, also where it happens to be JSON, once the model insists on it."""
    told = await _asked(house, Answer('{"red": "#f00"}'), Answer('{"red": "#f00"}'))
    assert (told.run.status, told.text) == ("completed", '{"red": "#f00"}')


async def test_an_expert_called_like_a_tool_is_put_right(house: House) -> None:
    """FLOW-3, SKILL-3: the model is told what can be called, and how an expert is; the first try is not shown."""
    wrong, right = {"name": "tarot", "arguments": {}}, {"name": "use_skill", "arguments": {"skill": "tarot"}}
    told = await _asked(house, wrong, right, "The cards, then.")
    assert (told.run.status, told.text) == ("completed", "The cards, then.")
    problem = str(house.asked[1]["messages"][-1])
    assert "for an expert use_skill" in problem
    assert "found tarot" in problem


async def test_both_calls_of_a_repair_count(house: House) -> None:
    """STATE-6: what the state says was used is what the ledger says."""
    ann = await house.someone()
    house.says(Answer('{"route":"NEEDS_EXECUTION"}'), "Hello.")
    told = await house.turn(ann, "hi")
    usage = {change["path"]: change["value"] for each in told.of("state_changed") for change in each.patch}
    made = told.of("call_made")
    assert len(made) == 2
    assert usage["/usage/total_tokens"] == sum(each.input_tokens + each.output_tokens for each in made)


async def test_whoever_watches_learns_how_each_call_went(house: House) -> None:
    """SURF-1, LED-6: the try that failed and the one that followed, with its first token, as the ledger has them."""
    ann = await house.someone()
    house.vendor.enqueue(Refusal(503), Answer("Hello.", first_delay=0.05))
    told = await house.turn(ann, "hi")
    made = told.of("call_made")
    assert {each.outcome: each.first_token_ms is None for each in made} == {"failed": True, "succeeded": False}
    async with house.database.transaction(ann) as tx:
        ledger = {str(call.id): call for call in await CallService(tx).of_turn(told.run.id)}
    for each in made:
        call = ledger[each.call_id]
        first = call.first_token_at
        took = None if first is None else round((first - call.started_at) / timedelta(milliseconds=1))
        assert (each.outcome, each.first_token_ms) == (call.outcome, took)


async def test_json_that_breaks_off_in_its_text_is_incomplete(house: House) -> None:
    """FLOW-7: what was shown stays, and nothing of the raw object is put behind it."""
    ann = await house.someone()
    house.says(Answer('{"route":"DIRECT_EXECUTION","assistant_text":"The first half of'))
    told = await house.turn(ann, "hi")
    (row,) = (each for each in await house.messages(ann, told.session_id) if each.metadata.type == "assistant_output")
    assert (row.content, row.metadata.incomplete, told.text) == ("The first half of", True, "The first half of")


async def test_an_answer_cut_by_its_length_is_incomplete(house: House) -> None:
    """FLOW-7: marked, as one whose stream broke."""
    told = await _asked(house, Answer("This is cut", finish="length"))
    assert (told.run.status, told.of("text_ended")[-1].incomplete) == ("completed", True)


async def test_calls_of_an_answer_that_broke_off_are_not_made(house: House) -> None:
    """FLOW-7, STATE-5: nobody knows whether the model had said all of them; what was shown ends as incomplete."""
    ann = await house.someone()
    broken = Answer("Let me look.", tool_calls=(calls("list_dir", path="."),), fault=Fault("disconnect", after=5))
    house.says(broken)
    told = await house.turn(ann, "look")
    assert (told.run.status, told.text, told.of("tool_called")) == ("completed", "Let me look.", [])
    assert (await house.messages(ann, told.session_id))[-1].metadata.incomplete


@pytest.mark.parametrize(
    "answer",
    ["a\x00b", json.dumps({**DIRECT, "assistant_text": "a\x00b"})],
    ids=["in words", "in JSON"],
)
async def test_what_no_database_can_hold_is_replaced(house: House, answer: str) -> None:
    """FLOW-7, LED-4: a NUL in an answer neither fails the turn nor asks the model again."""
    ann = await house.someone()
    house.says(answer)
    told = await house.turn(ann, "hi")
    assert (told.run.status, told.text, len(house.asked)) == ("completed", "a\ufffdb", 1)
    assert (await house.messages(ann, told.session_id))[-1].content == "a\ufffdb"


async def test_half_a_surrogate_pair_is_replaced(house: House) -> None:
    """FLOW-7: as JSON may spell it, in the text of an answer in JSON."""
    told = await _asked(house, Answer('{"route":"DIRECT_EXECUTION","assistant_text":"a\\ud83d b"}'))
    assert (told.run.status, told.text) == ("completed", "a\ufffd b")


async def test_first_calls_of_tools_that_there_are_not_are_told(house: House) -> None:
    """FLOW-3, TOOL-1: refused in words, judged, and answered; nothing of it fails the turn."""
    first = {
        **NEEDS,
        "first_calls": [{"name": "fly", "arguments": {}}, {"name": "list_dir", "arguments": {"path": "."}}],
    }
    told = await _asked(house, first, Answer('{"verdict":"give_up","why":"no wings"}'), "I cannot fly.")
    assert [(each.name, each.status) for each in told.of("tool_ended")] == [
        ("fly", "failed"),
        ("list_dir", "succeeded"),
    ]
    assert (told.text, told.run.status) == ("I cannot fly.", "completed")


async def test_the_answer_knows_what_the_intent_understood(house: House) -> None:
    """FLOW-2: the organization words it from intent and execution, safety flags included."""
    first = {**NEEDS, "intent_summary": "wants a list", "safety_flags": ["grief"]}
    first["first_calls"] = [{"name": "list_dir", "arguments": {"path": "."}}]
    await _asked(house, first, "Nothing there.")
    given = str(house.asked[-1]["messages"][-1]["content"])
    assert '"intent_summary":"wants a list"' in given
    assert '"safety_flags":["grief"]' in given
    assert "list_dir succeeded" in given


async def test_the_state_knows_how_and_as_what_to_answer(house: House) -> None:
    """STATE-1, STATE-4: style and structure once the intent is understood; the part is filled by the answer."""
    ann = await house.someone()
    house.says("Hello.")
    told = await house.turn(ann, "hi", voice_mode="calm")
    (said,) = (row for row in await house.messages(ann, told.session_id) if row.role == "assistant")
    shown = await house.actions(ann, told.run.id)
    changes = [change for action in shown if action["node"] == "intent" for change in action["changes"]]
    by_kind = {change["kind"]: change for change in changes}
    assert by_kind["set_output_style"]["output_style"] == "calm"
    assert by_kind["set_output_structure"]["output_structure"][0]["id"] == "answer"
    assert by_kind["fill_output"]["content"] == {"message_id": str(said.id)}


async def test_a_tool_call_without_arguments_or_id_is_a_call(house: House) -> None:
    """TOOL-1: what a vendor leaves out is made up for; an empty text means no arguments."""
    told = await _asked(house, ToolRequest("", "user_context", ""), "I know you.")
    (ended,) = told.of("tool_ended")
    assert (ended.status, told.run.status) == ("succeeded", "completed")
    assert ended.call_id


@pytest.mark.parametrize("after", [2, 3])
async def test_an_answer_that_breaks_off_before_anybody_saw_a_word_is_asked_for_again(house: House, after: int) -> None:
    """FLOW-7, LED-7: once; both calls are booked, and nothing of the broken one is carried out."""
    ann = await house.someone()
    arguments = json.dumps({"path": "notes/" + "x" * 400})
    broken = Answer(tool_calls=(ToolRequest("c", "list_dir", arguments),), by=8, fault=Fault("disconnect", after=after))
    house.says(broken, "Here I am.")
    told = await house.turn(ann, "look")
    assert (told.run.status, told.text, told.of("tool_called")) == ("completed", "Here I am.", []), told.run
    rows = await house.messages(ann, told.session_id) + await house.messages(ann, told.session_id, audit=True)
    assert len(house.asked) == 2 == sum(row.call_id is not None for row in rows)
    house.says(broken, broken)
    again = await house.turn(ann, "look", session_id=told.session_id)
    assert (again.run.status, again.run.error_code) == ("failed", "model_stream_broken")


async def test_the_second_try_is_read_like_the_first(house: House) -> None:
    """FLOW-6, TOOL-1: after an answer that broke off unseen, a tool's bare name is still a call and no words."""
    arguments = json.dumps({"path": "notes/" + "x" * 400})
    broken = Answer(tool_calls=(ToolRequest("c", "read_file", arguments),), by=8, fault=Fault("disconnect", after=9))
    house.says(broken, "list_dir", "It is empty.")
    told = await house.turn(await house.someone(), "look")
    assert [each.name for each in told.of("tool_called")] == ["list_dir"]
    assert told.text == "It is empty."
