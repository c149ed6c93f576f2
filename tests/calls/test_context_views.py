"""What is shown of a call: its blocks in order, what was cut and why, and which block ends a common beginning."""

from collections.abc import Callable
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.calls.conftest import Recorder, compiled
from tests.context.blocks import conversation, data, memory, pair, says, usual
from weft.calls.context_diffs import diff_of
from weft.calls.context_schemas import ContextDiff, ContextView
from weft.calls.errors import CallUnknownError, ContextNotKeptError
from weft.calls.sent_texts import messages_of, text_of, tools_of
from weft.context.blocks import Block, Scope
from weft.context.compiling import Compiled
from weft.context.conversation import Stored
from weft.context.markers import shapes_of
from weft.kit.ids import new_id

NAMES = [
    "policy",
    "guidelines",
    "runtime",
    "catalogue",
    "persona",
    "sop",
    "user_context/profile",
    "file/A",
    "file/B",
    "execution_context",
    "place",
]
SCOPES = {"sop": Scope.SKILL, "execution_context": Scope.SESSION, "place": Scope.SESSION}
ONE, TWO = UUID(int=1), UUID(int=2)


def _block(name: str, text: str = "") -> Block:
    if name in ("user_context/profile", "file/A", "file/B"):
        return data(name, Scope.USER, text=text or name)
    return says(name, text or f"Instructions of {name}, at some length. " * 4, SCOPES.get(name, Scope.GLOBAL))


def _made(blocks: dict[str, Block]) -> Compiled:
    rest = [says("user_context/policy", scope=Scope.USER), says("stage", scope=Scope.STAGE), data("time", now="09:00")]
    return compiled([*blocks.values(), *rest], conversation(2), cache_unit=1)


def _diff(now: Compiled, before: Compiled) -> ContextDiff:
    return diff_of(TWO, now.sent, ONE, before.sent, 1)


@given(st.sampled_from(NAMES), st.sampled_from(["changed", "went", "came"]))
def test_the_block_that_broke_the_prefix_is_named(name: str, how: str) -> None:
    """SKILL-11: wherever it stands, whether it changed, went or came."""
    required = {"policy", "persona", "user_context/profile"}
    how = "changed" if name in required else how
    blocks = {each: _block(each) for each in NAMES}
    other = {each: block for each, block in blocks.items() if each != name}
    if how == "changed":
        other = blocks | {name: _block(name, "Something else entirely.")}
    before, now = (other, blocks) if how == "came" else (blocks, other)
    found = _diff(_made(now), _made(before))
    assert found.broke == name
    assert found.collapsed
    assert [(each.id, each.change) for each in found.changes] == [(name, how)]
    assert found.lost_tokens > 0
    assert found.common_tokens < found.total_before


def test_the_same_call_has_no_difference() -> None:
    """SKILL-11"""
    made = _made({each: _block(each) for each in NAMES})
    found = _diff(made, made)
    assert (found.broke, found.collapsed, found.changes) == (None, False, [])
    assert found.common_tokens == found.total_after


def test_what_moved_and_what_differs_is_shown() -> None:
    """SKILL-11: the lines of a block before and after."""
    before = compiled(usual(memory("- likes tea\n-- a line of dashes\n- lives in Kunming")), conversation(1))
    now = compiled(usual(memory("- likes tea\n- lives in Dali")), conversation(2))  # written anew: nothing stands
    changes = {each.id: each for each in _diff(now, before).changes}
    assert changes["memory"].change == "changed"
    assert any("Kunming" in line and line.startswith("-") for line in changes["memory"].difference)
    assert any("Dali" in line and line.startswith("+") for line in changes["memory"].difference)
    assert changes["message/u2"].change == "came"


def test_of_a_long_line_the_place_is_shown_where_it_differs() -> None:
    """SKILL-11: data blocks are single lines, however long."""
    long = "x" * 5_000
    before = compiled(usual(memory(long + "Kunming" + long)), conversation(1))
    now = compiled(usual(memory(long + "Dali" + long)), conversation(1))
    (memory_changed,) = _diff(now, before).changes
    was, becomes = memory_changed.difference
    assert "Kunming" in was
    assert "Dali" in becomes
    assert max(len(was), len(becomes)) < 500


WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


@given(
    WORDS,
    WORDS,
    WORDS,
    st.integers(0, 12),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["", "data:image/png;base64,x"]),
)
@settings(deadline=None, max_examples=60)
def test_whatever_is_sent_is_read_back(
    mine: str, result: str, asked: str, turns: int, late: bool, marks: bool, picture: str
) -> None:
    """SKILL-11: any words, any length of history, with marks and without, pictures among it."""
    rows = [*conversation(turns), *pair("x", result)]
    rows[2 * turns] = Stored("now", "user_input", asked, images=(picture,) if picture else ())
    made = compiled(
        [*usual(memory(mine)), data("stage_input", Scope.STAGE, said=result)],
        rows,
        late_system_message=late,
        prompt_cache_markers=marks,
        vision=True,
    )
    assert messages_of(made.sent, shapes_of(made.messages)) == made.messages
    assert tools_of(made.sent) == [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters} for tool in made.tools
    ]
    texts = {segment.name: text_of(segment) for segment in made.sent.segments if not segment.name.endswith("/end")}
    assert texts["memory"] == memory(mine).text
    assert texts["stage_input"] == data("stage_input", Scope.STAGE, said=result).text


async def _view(recorder: Recorder, call_id: UUID) -> ContextView:
    async with recorder.database.transaction(recorder.actor) as tx:
        return await recorder.service(tx).view(call_id)


async def test_blocks_are_shown_in_the_order_they_were_sent_in(recorder: Recorder) -> None:
    """SKILL-11: tools first, then the system's, the history, the turn; each with its own text."""
    made = compiled([*usual(memory("“引号” \\ <b>\n二")), data("cases", items=["one"])], [*conversation(2), *pair("x")])
    view = await _view(recorder, await recorder.call(made))
    sent = [block.id for block in view.blocks if block.cached is not None]
    assert sent[:4] == ["tool/read_file", "tool/use_skill", "policy", "persona"]
    assert sent.index("memory") < sent.index("message/u0") < sent.index("message/u2") < sent.index("message/x-call")
    assert sent[-1] == "stage"
    texts = {block.id: block.text or "" for block in view.blocks}
    assert texts["policy"] == "Instructions of policy."
    assert texts["memory"] == memory("“引号” \\ <b>\n二").text
    assert texts["cases"] == data("cases", items=["one"]).text
    assert texts["time"] in texts["message/u2"]
    assert texts["message/u0"] == "question 0"
    assert '"read_file"' in texts["message/x-call"]
    assert view.messages == made.messages
    assert view.total == made.sent.total
    assert sum(block.tokens for block in view.blocks) <= view.total


async def test_data_that_begins_a_message_is_shown(recorder: Recorder) -> None:
    """SKILL-11: its text ends as a message does, and is none."""
    found = data("stage_input", Scope.STAGE, found={"a": 1})
    made = compiled([*(block for block in usual() if block.id != "stage"), found])
    view = await _view(recorder, await recorder.call(made))
    assert {block.id: block.text for block in view.blocks}["stage_input"] == found.text
    assert view.messages == made.messages


async def test_what_was_cut_says_why(recorder: Recorder) -> None:
    """SKILL-11: shortened, dropped, and not wanted."""
    long = data("file/AGENTS.md", Scope.USER, text="word " * 3_000, shrinks="text")
    whole = says("always/notes", "text " * 3_000)
    first = await _view(recorder, await recorder.call(compiled([*usual(long), says("nobody_knows_it")])))
    second = await _view(recorder, await recorder.call(compiled([*usual(), whole])))
    cut = {block.id: block for view in (first, second) for block in view.blocks if block.state != "whole"}
    assert {name: block.state for name, block in cut.items()} == {
        "file/AGENTS.md": "shortened",
        "nobody_knows_it": "unwanted",
        "always/notes": "dropped",
    }
    assert all(block.why for block in cut.values())
    assert "word" in (cut["file/AGENTS.md"].text or "")
    assert cut["always/notes"].text is None
    assert (cut["file/AGENTS.md"].whole_tokens or 0) > cut["file/AGENTS.md"].tokens
    assert 0 < first.purses["files"].spent <= first.purses["files"].budget


async def test_blocks_within_the_expected_hit_are_marked(recorder: Recorder) -> None:
    """SKILL-11: what was expected to hit the cache, block by block, beside what the vendor reports."""
    first = compiled(rows=conversation(2))
    second = compiled(rows=conversation(3), after=first)
    before = await recorder.call(first)
    view = await _view(recorder, await recorder.call(second, input_tokens=500, cached_input_tokens=320))
    cached = [block.cached for block in view.blocks if block.cached is not None]
    assert cached == sorted(cached, key=["expected", "partly", "new"].index)
    assert {"expected", "new"} <= set(cached)
    assert view.cache.compared_with == before
    assert (view.cache.same_way, view.cache.collapsed, view.cache.alarms) == (True, False, [])
    assert view.cache.expected_tokens == second.manifest.expected.tokens > 0
    assert view.cache.reported_tokens == 320
    assert view.cache.anyone_tokens is None, "what others were sent is for operators"


async def test_marks_are_shown_where_they_were(recorder: Recorder) -> None:
    """SKILL-10, SKILL-11: for a vendor that wants them."""
    made = compiled(rows=conversation(2), prompt_cache_markers=True, late_system_message=False)
    view = await _view(recorder, await recorder.call(made))
    assert view.messages == made.messages
    assert "cache_control" in str(view.messages)


async def _refused(recorder: Recorder, work: Callable[..., object], error: type[Exception]) -> str:
    with pytest.raises(error) as caught:
        async with recorder.database.transaction(recorder.actor) as tx:
            await work(recorder.service(tx))  # type: ignore[misc]
    return str(caught.value)


async def test_a_call_without_a_context_says_so(recorder: Recorder) -> None:
    """SKILL-11: and one that does not exist is told apart from it; nothing before the first is told."""
    from tests.sessions.conftest import ended_call

    async with recorder.database.transaction(recorder.actor) as tx:
        bare = await ended_call(tx, session_id=recorder.session_id)
    only = await recorder.call(compiled())
    await _refused(recorder, lambda service: service.view(new_id()), CallUnknownError)
    assert "WEFT_CONTEXT_RETENTION_DAYS" in await _refused(recorder, lambda s: s.view(bare), ContextNotKeptError)
    await _refused(recorder, lambda service: service.diff(only, bare), ContextNotKeptError)
    assert "before" in await _refused(recorder, lambda service: service.diff(only), ContextNotKeptError)


async def test_a_call_is_compared_with_the_one_before_it(recorder: Recorder) -> None:
    """SKILL-11: `previous`, or any other by name."""
    made = [compiled(rows=conversation(1), cache_unit=1)]
    for turns in (2, 3):
        made.append(compiled(rows=conversation(turns), after=made[-1], cache_unit=1))
    calls = [await recorder.call(each) for each in made]
    async with recorder.database.transaction(recorder.actor) as tx:
        previous = await recorder.service(tx).diff(calls[2])
        first = await recorder.service(tx).diff(calls[2], calls[0])
    assert (previous.before_id, first.before_id) == (calls[1], calls[0])
    assert previous.common_tokens > first.common_tokens > 0
