"""TOOL-1, STATE-4, STATE-5: calls run in their order, reads that stand together side by side; none ends the turn."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.turns import House, a_house, calls
from weft.kit.db import Database
from weft.llm.scripted import Answer, Counts
from weft.llm.types import ToolRequest
from weft.runs.schemas import Decision, TurnRequest
from weft.state.changes import SetTaskGoal
from weft.state.runtime import RuntimeState
from weft.tools.tool import Approval, Effect, Kind, Tool, ToolInput, ToolResult

GIVEN_UP = Answer('{"verdict":"give_up","why":"it does not work"}')
Work = Callable[[], Awaitable[Any]]


class _Text(ToolInput):
    text: str = ""


class Odd(Tool[_Text]):
    """A tool of somebody else's, with whatever it does."""

    description = "Do something."
    input = _Text
    approval = Approval.NEVER

    def __init__(self, name: str, work: Work, effect: Effect = Effect.READ, **more: Any) -> None:
        self.name, self.effect, self._work = name, effect, work  # type: ignore[misc]
        for attribute, value in more.items():
            setattr(self, attribute, value)

    async def run(self, state: RuntimeState) -> ToolResult:
        result: ToolResult = await self._work()
        return result


@asynccontextmanager
async def _with(database: Database, home: Path, *tools: Tool[Any], **settings: Any) -> AsyncIterator[House]:
    async with a_house(database, home, more=tools, **settings) as house:
        yield house


async def test_what_was_written_first_is_read_after_it(house: House) -> None:
    """STATE-4: in one answer, a read that stands behind a change sees it; results keep the order of the calls."""
    ann = await house.someone()
    house.says(
        (
            calls("write_file", "w", path="n.md", content="milk"),
            calls("read_file", "r", path="n.md"),
            calls("use_skill", "s", skill="career"),
            calls("user_context", "u"),
        ),
        "Noted.",
    )
    told = await house.turn(ann, "note it")
    ended = told.of("tool_ended")
    assert [(each.call_id, each.status) for each in ended] == [(name, "succeeded") for name in "wrsu"]
    assert "milk" in ended[1].content
    assert "life_context" in ended[3].content


async def test_reads_that_stand_together_run_side_by_side(turns_database: Database, tmp_path: Path) -> None:
    """STATE-4: each begins before the first has ended; one that fails takes none of the others with it."""
    begun, all_begun = 0, asyncio.Event()

    async def meet() -> ToolResult:
        nonlocal begun
        begun += 1
        if begun == 3:
            all_begun.set()
        await asyncio.wait_for(all_begun.wait(), 5)
        return ToolResult.of({"met": True})

    async def fail() -> ToolResult:
        await meet()
        raise RuntimeError("broken")

    async with _with(turns_database, tmp_path, Odd("meet", meet), Odd("fail", fail)) as house:
        ann = await house.someone()
        house.says((calls("meet", "a"), calls("fail", "b"), calls("meet", "c")), GIVEN_UP, "Two have met.")
        told = await house.turn(ann, "go")
        assert [each.status for each in told.of("tool_ended")] == ["succeeded", "failed", "succeeded"]
        assert told.run.status == "completed"


@pytest.mark.parametrize(("effect", "status"), [(Effect.READ, "failed"), (Effect.EXTERNAL, "unknown")])
async def test_a_tool_that_takes_too_long(
    turns_database: Database, tmp_path: Path, effect: Effect, status: str
) -> None:
    """STATE-5: of a side effect that we waited for in vain nobody knows whether it happened, and it is told so."""

    async def sleep() -> ToolResult:
        await asyncio.sleep(60)
        return ToolResult("never")

    async with _with(turns_database, tmp_path, Odd("slow", sleep, effect, timeout=0.1)) as house:
        ann = await house.someone()
        house.says(calls("slow"), GIVEN_UP, "It took too long.")
        told = await house.turn(ann, "go")
        (ended,) = told.of("tool_ended")
        assert (ended.status, told.run.status) == (status, "completed")
        assert "longer than 0.1 seconds" in ended.content
        assert ("Find out before doing it again" in ended.content) == (status == "unknown")


async def _cancelled() -> ToolResult:
    raise asyncio.CancelledError


async def _none() -> Any:
    return None


async def _a_list() -> Any:
    return ToolResult(["no text"])  # type: ignore[arg-type]


async def _too_long_a_goal() -> ToolResult:
    return ToolResult("x", changes=(SetTaskGoal("x" * 5_000),))


async def _strange_event() -> Any:
    return ToolResult("x", events=("no event",))  # type: ignore[arg-type]


async def _strange_summary() -> Any:
    return ToolResult("x", summary=5)  # type: ignore[arg-type]


STRANGE = [_cancelled, _none, _a_list, _too_long_a_goal, _strange_event, _strange_summary]


@pytest.mark.parametrize("work", STRANGE, ids=lambda work: work.__name__)
async def test_whatever_a_plugin_does_is_an_outcome(turns_database: Database, tmp_path: Path, work: Work) -> None:
    """TOOL-1: one that stops itself, gives nothing, or changes what cannot be: a failed call, never a failed turn."""
    async with _with(turns_database, tmp_path, Odd("odd", work)) as house:
        ann = await house.someone()
        house.says(calls("odd"), GIVEN_UP, "It is broken.")
        told = await house.turn(ann, "go")
        assert ([each.status for each in told.of("tool_ended")], told.run.status) == (["failed"], "completed")


async def test_a_result_past_its_limit_is_cut_and_what_no_database_holds_replaced(
    turns_database: Database, tmp_path: Path
) -> None:
    """TOOL-1, SEC-4: the result says how much is left out; NULs and halves of pairs neither fail nor vanish unseen."""

    async def much() -> ToolResult:
        return ToolResult("\x00\ud83d" + "x" * 5_000, summary="sum\x00mary")

    async with _with(turns_database, tmp_path, Odd("much", much, longest=1_000)) as house:
        ann = await house.someone()
        house.says(calls("much"), "Much.")
        told = await house.turn(ann, "go")
        (ended,) = told.of("tool_ended")
        assert ended.status == "succeeded"
        assert '"left_out_characters":4002' in ended.content
        assert ended.content.startswith('{"beginning":"\ufffd\ufffdxxx')
        assert len(ended.content) < 1_100
        assert told.run.status == "completed"


@pytest.mark.parametrize(
    "request_",
    [
        ToolRequest("c\x00", "list_dir", '{"path":"."}'),
        ToolRequest("c1", "list\x00dir", '{"path":"."}'),
        ToolRequest("c2", "list_dir", '{"path":"a\\u0000"}'),
        ToolRequest("c3", "list_dir", '{"path":"\\ud83d"}'),
        ToolRequest("c4", "list_dir", "[1, 2"),
        ToolRequest("c5", "list_dir", '{"path":' * 40),
        ToolRequest("c" * 500, "n" * 500, "{}"),
        ToolRequest("c6", "", "{}"),
    ],
    ids=["id", "name", "NUL", "surrogate", "no JSON", "too deep", "too long", "no name"],
)
async def test_a_call_that_makes_no_sense_is_refused_in_words(house: House, request_: ToolRequest) -> None:
    """TOOL-1: whatever a model writes as a call, the turn goes on, and clients get arguments that are JSON."""
    ann = await house.someone()
    house.says(request_, GIVEN_UP, "I could not look.")
    told = await house.turn(ann, "look")
    assert told.run.status == "completed", told.run
    (called,) = told.of("tool_called")
    assert called.arguments.startswith("{")
    assert called.arguments.endswith("}")


async def test_no_two_calls_of_a_conversation_have_one_id(house: House) -> None:
    """LED-10, SURF-1: a vendor that counts its calls anew in every answer takes nothing from the history."""
    ann = await house.someone()
    house.says((calls("list_dir", "call_1", path="."), calls("user_context", "call_1")), "one")
    first = await house.turn(ann, "a")
    for number in ("two", "three"):
        house.says(calls("list_dir", "call_1", path="."), number)
        await house.turn(ann, number, session_id=first.session_id)
    rows = await house.messages(ann, first.session_id)
    ids = [row.metadata.tool_call_id for row in rows if row.metadata.type == "tool_call"]
    assert len(set(ids)) == len(ids) == 4
    sent = house.asked[-1]["messages"]
    assert [each["tool_call_id"] for each in sent if each["role"] == "tool"] == ids


async def test_a_model_that_asks_for_many_tools_at_once_gets_them_all(house: House) -> None:
    """TOOL-1: none is dropped without a word."""
    ann = await house.someone()
    house.says(tuple(calls("list_dir", f"c{n}", path=".") for n in range(20)), "Looked.")
    told = await house.turn(ann, "look")
    assert [each.status for each in told.of("tool_ended")] == ["succeeded"] * 20


async def test_a_model_that_asks_for_too_many_is_stopped_and_what_it_said_is_kept(house: House) -> None:
    """SEC-4, FLOW-7: past the limit the turn fails by its name; the words that were shown stay, marked."""
    ann = await house.someone()
    house.says(Answer("Let me look.", tool_calls=tuple(calls("list_dir", f"c{n}", path=".") for n in range(65))))
    told = await house.turn(ann, "look")
    assert (told.run.error_code, told.text) == ("limit_reached", "Let me look.")
    assert told.of("text_ended")[-1].incomplete
    assert (await house.messages(ann, told.session_id))[-1].content == "Let me look."


async def test_one_denied_among_others(house: House) -> None:
    """TOOL-3: what needs nobody's word is done; of those that do, each by its own."""
    ann = await house.someone()
    house.says(
        (
            calls("send_mail", "a", to="bob"),
            calls("write_file", "b", path="n.md", content="x"),
            calls("send_mail", "c", to="eve"),
            calls("read_file", "d", path="n.md"),
        )
    )
    told = await house.turn(ann, "go")
    assert [(each.call_id, each.status) for each in told.of("tool_ended")] == [("b", "succeeded"), ("d", "succeeded")]
    bob, eve = told.of("approval_asked")
    await house.desk.decide(ann, bob.approval_id, Decision(approved=False, reason="he is away"))
    house.says("Only eve.")
    after = await house.last_seq(ann, told.run.id)
    await house.desk.decide(ann, eve.approval_id, Decision(approved=True))
    rest = await house.hear(ann, told.accepted, after=after)
    assert [(each.call_id, each.status) for each in rest.of("tool_ended")] == [("a", "denied"), ("c", "succeeded")]
    assert ([letter.to for letter in house.sent], rest.text) == (["eve"], "Only eve.")
    assert "did not allow this call, and said: he is away" in str(house.asked[-1]["messages"])


@pytest.mark.parametrize(("kinds", "says_so"), [({Kind.OUTPUT}, False), ({Kind.CALL, Kind.OUTPUT}, True)])
async def test_an_output_tool_makes_the_answer(
    turns_database: Database, tmp_path: Path, kinds: set[Kind], says_so: bool
) -> None:
    """TOOL-1, STATE-4: it stands in the place of the organization stage, and no model words the answer again."""
    card = "# A card\n" + "for you " * 400

    async def make() -> ToolResult:
        return ToolResult(card, answers=says_so)

    async with _with(turns_database, tmp_path, Odd("make_card", make, kinds=frozenset(kinds))) as house:
        ann = await house.someone()
        house.says((calls("user_context", "u"), calls("make_card", "c")))
        told = await house.turn(ann, "a card please")
        assert (told.run.status, told.text, len(house.asked)) == ("completed", card, 1)
        assert [each.stage for each in told.of("stage_started")] == ["intent", "execution", "organization"]
        assert (await house.messages(ann, told.session_id))[-1].content == card
        assert "make_card" in str(house.asked[0]["tools"])
        assert '"name":"report"' not in str(house.asked[0]["tools"])


async def test_a_tool_that_is_both_is_a_call_unless_it_says_otherwise(turns_database: Database, tmp_path: Path) -> None:
    """TOOL-1: the same tool on the way to the answer, worded by the organization."""

    async def make() -> ToolResult:
        return ToolResult("a card")

    both = Odd("make_card", make, kinds=frozenset({Kind.CALL, Kind.OUTPUT}))
    async with _with(turns_database, tmp_path, both) as house:
        ann = await house.someone()
        house.says(calls("make_card"), "Here is your card.")
        told = await house.turn(ann, "a card please")
        assert (told.text, len(house.asked)) == ("Here is your card.", 2)


class Broken(Odd):
    """Its rule for approval, and its question, fail."""

    def needs_approval(self, arguments: _Text) -> bool:
        raise RuntimeError("no rule")

    def question(self, arguments: Any) -> str:
        raise RuntimeError("no question")


async def test_a_rule_that_fails_asks_somebody(turns_database: Database, tmp_path: Path) -> None:
    """TOOL-1, TOOL-3: nothing is done without a word because a plugin's own rule is broken."""
    done: list[str] = []

    async def act() -> ToolResult:
        done.append("it")
        return ToolResult("done")

    async with _with(turns_database, tmp_path, Broken("act", act, Effect.EXTERNAL)) as house:
        ann = await house.someone()
        house.says(calls("act", text="now"))
        told = await house.turn(ann, "go")
        (asked,) = told.of("approval_asked")
        assert (told.run.status, done, asked.message) == ("waiting", [], 'act: {"text":"now"}')
        house.says("Not done.")
        after = await house.last_seq(ann, told.run.id)
        await house.desk.decide(ann, asked.approval_id, Decision(approved=False))
        assert (await house.hear(ann, told.accepted, after=after)).text == "Not done."


@pytest.mark.parametrize(("effect", "status"), [(Effect.READ, "denied"), (Effect.EXTERNAL, "unknown")])
async def test_a_turn_is_stopped_in_the_middle_of_a_tool(
    turns_database: Database, tmp_path: Path, effect: Effect, status: str
) -> None:
    """LED-2, STATE-5: what had begun is told as unknown; a read has simply not been carried out."""
    begun = asyncio.Event()

    async def act() -> ToolResult:
        begun.set()
        await asyncio.sleep(60)
        return ToolResult("done")

    async with _with(turns_database, tmp_path, Odd("act", act, effect)) as house:
        ann = await house.someone()
        house.says((calls("act", "a"), calls("write_file", "w", path="n.md", content="x")))
        accepted = await house.desk.accept(ann, TurnRequest(message="go"))
        await begun.wait()
        await house.desk.cancel(ann, accepted.run.id)
        told = await house.hear(ann, accepted)
        assert (told.run.status, told.events[-1].outcome) == ("cancelled", "cancelled")
        assert {each.call_id: each.status for each in told.of("tool_ended")} == {"a": status, "w": "denied"}
        house.says("Hello.")
        assert (await house.turn(ann, "hi", session_id=told.session_id)).text == "Hello."


async def test_an_answer_of_two_million_characters_is_an_answer(house: House) -> None:
    """FLOW-7, SEC-4: shown, kept whole, and no burden on what follows."""
    ann = await house.someone()
    long = "字" * 2_000_000
    house.says(Answer(long, by=50_000), "Hello.")
    told = await house.turn(ann, "go")
    assert (told.run.status, len(told.text)) == ("completed", len(long)), told.run
    assert (await house.messages(ann, told.session_id))[-1].content == long


async def test_arguments_of_two_million_characters_are_refused_in_words(house: House) -> None:
    """TOOL-1, SEC-4: neither stored nor carried out; the model is told."""
    ann = await house.someone()
    much = calls("write_file", path="n.md", content="x" * 2_000_000)
    house.says(Answer(tool_calls=(much,), counts=Counts(10, 0, 10)), GIVEN_UP, "That is too much.")
    told = await house.turn(ann, "go")
    (ended,) = told.of("tool_ended")
    assert (ended.status, told.text) == ("failed", "That is too much.")
