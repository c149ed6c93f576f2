"""From a moment to the blocks of its prompt: each part where it belongs, and none made twice."""

import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.context.blocks import CARD, conversation
from weft.context.blocks import Block, Scope, Trust
from weft.context.gathering import blocks_of, recipe_of
from weft.context.payload import build_stage_prompt_payload
from weft.context.situation import ActiveSkill, MatchedCase, Persona, ShownFile, Situation, SkillLine, SkillText
from weft.context.user import AgentContext
from weft.context.window import History
from weft.llm.tokens import TokenCounter
from weft.llm.types import ToolSpec

NOW = datetime(2026, 11, 18, 9, 30, 59, tzinfo=timezone(timedelta(hours=8)))
LIKES: Any = SimpleNamespace(interface_language="zh-CN", ai_language="en-US", timezone="Asia/Shanghai", country="CN")
ANN: Any = SimpleNamespace(username="小雨", bio="徒步", settings=SimpleNamespace(version=1, preferences=LIKES))
TOOLS = frozenset({"read_file", "write_file", "remember", "search_history", "use_skill"})
SHOW = "from tests.context.test_gathering import sent; print(sent())"


def moment(**changes: Any) -> Situation:
    files = tuple(ShownFile(name, f"about {name}") for name in ("AGENTS.md", "SOUL.md", "USER.md"))
    made = Situation(
        ANN, AgentContext(), NOW, Persona("You are Vibe.", "Speak warmly."), files=files, memory="- tea", tools=TOOLS
    )
    return replace(made, **changes)


def expert(**changes: Any) -> ActiveSkill:
    made = ActiveSkill("tarot", "You read cards.", "skills:shipped/tarot", sop="First ask.", compute="tarot")
    return replace(made, **changes)


def by_id(situation: Situation) -> dict[str, Block]:
    return {block.id: block for block in blocks_of(situation)}


def sent() -> str:
    """The bytes of a call with a bit of everything."""
    cases = (MatchedCase("牌阵", "问感情", "慢慢来", ("感情", "cards")),)
    everything = moment(
        catalogue=(SkillLine("tarot", "Reads cards."), SkillLine("mine", "My own.", trust=Trust.USER)),
        always=(SkillText("kind", "Be kind.", "skills:operator/kind"),),
        skill=expert(cases=cases, tools=("read_file",), profile_fields={"birth_info": {"b": 1, "a": [2, {"d": 3}]}}),
        agent=AgentContext(scenario="love", channel="web"),
        recall=("likes tea",),
    )
    tools = [ToolSpec(name, "A tool.", {"type": "object", "properties": {}}) for name in TOOLS]
    history = History(conversation(30))
    made = build_stage_prompt_payload(
        "organization", everything, history, tools, CARD, TokenCounter(), stage_input={"goal": "x"}
    )
    return made.sent.text


def test_whole_prompt_is_the_same_in_every_process(root: Path) -> None:
    """SKILL-10: whatever sets are ordered by, and whatever the machine's clock and language are."""
    strange = {"PYTHONHASHSEED": "815", "TZ": "Pacific/Kiritimati", "LC_ALL": "C", "PYTHONPATH": str(root)}
    run = [sys.executable, "-c", SHOW]
    other = subprocess.run(run, env={**os.environ, **strange}, cwd=root, capture_output=True, text=True, check=True)
    assert other.stdout.rstrip("\n") == sent()


def test_phase_follows_from_the_skill() -> None:
    """SKILL-1, SKILL-2"""
    assert recipe_of(moment()).name == "phase1"
    assert recipe_of(moment(skill=expert())).name == "phase2"


def test_unchanged_parts_are_the_very_same_blocks() -> None:
    """SKILL-10: neither rendered nor hashed again, however often a prompt is made."""
    first, second = by_id(moment()), by_id(moment())
    assert [name for name in first if first[name] is not second[name]] == ["time"]
    changed = by_id(moment(memory="- coffee"))
    assert [name for name in first if first[name] is not changed[name]] == ["memory", "time"]


def test_long_texts_are_blocks_too_and_are_not_kept() -> None:
    """SKILL-10, SEC-4: what a process remembers is bounded by size, and gives the same bytes."""
    long = moment(memory="- tea\n" * 4_000, files=(ShownFile("AGENTS.md", "x" * 20_000),))
    first, second = by_id(long), by_id(long)
    for name in ("memory", "file/AGENTS.md"):
        assert first[name] is not second[name]
        assert first[name] == second[name]


def test_each_file_is_a_block_of_its_own() -> None:
    """WORK-1, SAFE-4: in the order given, as the user's data; its name is a value."""
    files = [block for name, block in by_id(moment()).items() if name.startswith("file/")]
    assert [block.id for block in files] == ["file/AGENTS.md", "file/SOUL.md", "file/USER.md"]
    assert all((block.trust, block.scope, block.is_data) == (Trust.USER, Scope.USER, True) for block in files)
    assert files[0].values["text"] == "about AGENTS.md"


def test_name_and_voice_are_the_users_to_choose_where_they_did() -> None:
    """SKILL-7: by SOUL.md and IDENTITY.md, after the operator's persona, and below every policy."""
    assert "IDENTITY.md before SOUL.md" in by_id(moment())["soul"].text.replace("\n", " ")
    assert "soul" not in by_id(moment(files=(ShownFile("USER.md", "x"),)))


def test_time_is_the_users_and_stands_with_the_turn() -> None:
    """WORK-2, SKILL-10: to the minute; the day by its English name whatever language the machine speaks."""
    time = by_id(moment())["time"]
    assert time.scope is Scope.TURN
    assert dict(time.values) == {"time": "2026-11-18T09:30+08:00", "day": "Wednesday"}


def test_persona_is_the_cores_with_its_voice_or_the_experts() -> None:
    """SKILL-1, SKILL-2: one that nobody reviewed speaks with the core's voice."""
    assert by_id(moment())["persona"].text == "You are Vibe.\n\nSpeak warmly."
    assert by_id(moment(skill=expert()))["persona"].text == "You read cards."
    mine = by_id(moment(skill=expert(trust=Trust.USER)))
    assert mine["persona"].text.startswith("You are Vibe.")
    assert mine["own_skill"].trust is Trust.USER


@pytest.mark.parametrize(
    ("tool", "says"),
    [
        ("read_file", "Read before you change"),
        ("write_file", "Check what matters after"),
        ("write_file", "Skills change only through review"),
        ("remember", "(MEMORY.md)"),
        ("search_history", "(HISTORY.md)"),
        ("propose_skill", "`propose_skill`"),
        ("spawn_subagent", "Do simple things yourself"),
        ("message", "only for reaching a channel"),
    ],
)
def test_guidelines_speak_of_what_is_at_hand(tool: str, says: str) -> None:
    """WORK-2: and of nothing else."""
    with_it, without = (by_id(moment(tools=TOOLS | {tool})), by_id(moment(tools=TOOLS - {tool})))
    assert says in with_it["guidelines"].text
    assert says not in without["guidelines"].text


def test_guidelines_that_need_no_tool_are_always_there() -> None:
    """WORK-2"""
    said = by_id(moment(tools=frozenset()))["guidelines"].text
    assert "Say briefly what you are about to do; never foretell its result" in said
    assert "After a failure find out why" in said


def test_run_that_no_user_typed_has_its_instructions() -> None:
    """WORK-3"""
    block = by_id(moment(execution_context="Remind Ann of her walk."))["execution_context"]
    assert (block.trust, block.scope) == (Trust.OPERATOR, Scope.SESSION)
    assert "Remind Ann" in block.text
    assert "execution_context" not in by_id(moment())


def test_place_is_short_data() -> None:
    """WORK-3, SAFE-2: ids of a client's own making never swell."""
    block = by_id(moment(agent=AgentContext(scenario="love", channel="wechat", chat_id="\u202e" * 512)))["place"]
    assert block.is_data
    assert (block.values["scenario"], block.values["channel"]) == ("love", "wechat")
    assert len(block.text) < 400
    assert "place" not in by_id(moment())


def test_moment_in_another_zone_is_another_time() -> None:
    """WORK-2"""
    assert by_id(moment(now=NOW.astimezone(UTC)))["time"].values["time"] == "2026-11-18T01:30+00:00"
