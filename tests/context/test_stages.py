"""Who works in a turn and what is asked of them: from YAML alone, checked when it is read."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from weft.context.blocks import Scope, Trust
from weft.context.errors import ContextError
from weft.context.sections import TEMPLATES
from weft.context.stages import AGENTS, OPENING, TASKS, AgentType, StageTexts, load_stages, shipped_stages

TASK = {
    "stage": "intent",
    "agent": "intent",
    "contract": "IntentResult",
    "description": "Listen.",
    "expected_output": "Words.",
}
AGENT = {"type": "TASK_EXECUTION", "role": "The sailor", "goal": "Find land.", "backstory": "You know the sea."}


@pytest.fixture
def own(tmp_path: Path) -> Any:
    """`own(agents={…}, tasks={…})`: the texts with these over those that are shipped; a text is written as it is."""

    def make(**files: Any) -> StageTexts:
        for name, content in files.items():
            text = content if isinstance(content, str) else yaml.safe_dump(content)
            (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
        return load_stages(tmp_path)

    return make


def test_three_stages_and_their_nodes_are_shipped() -> None:
    """FLOW-1, FLOW-2: each with an agent; each kind of agent is somebody's."""
    texts = shipped_stages()
    assert {task.stage for task in texts.tasks.values()} == {"intent", "execution", "organization", "archive"}
    assert {OPENING, "planner", "reflection", "organization"} <= set(texts.tasks)
    assert {texts.agent_of(name).type for name in texts.tasks} == set(AgentType)


def test_one_text_is_replaced_and_the_others_stay(own: Any) -> None:
    """FLOW-1: one by one, agents and tasks alike."""
    texts, shipped = own(agents={"execution": AGENT}, tasks={"intent": TASK}), shipped_stages()
    assert texts.agents["execution"].role == "The sailor"
    assert texts.task("intent").description == "Listen."
    assert texts.agents["intent"] == shipped.agents["intent"]
    assert texts.task("planner") == shipped.task("planner")
    assert "The sailor" in texts.block("planner").text
    assert "Listen." in texts.opening().text


def test_another_agent_may_do_a_task(own: Any) -> None:
    """FLOW-1: an operator adds one of their own."""
    texts = own(agents={"pilot": AGENT | {"role": "The pilot"}}, tasks={"intent": TASK | {"agent": "pilot"}})
    assert "# Your part: The pilot" in texts.text("intent")


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"tasks": "intent: [\n"}, r"tasks\.yaml:\d+: is no YAML"),
        ({"tasks": "- a\n- b\n"}, r"tasks\.yaml: is no mapping of names"),
        ({"tasks": "1: {}\n"}, r"tasks\.yaml: is no mapping of names"),
        ({"tasks": ""}, r"tasks\.yaml: is no mapping of names"),
        ({"tasks": {"intent": TASK | {"role": "x"}}}, r"tasks\.yaml: intent\.role: "),
        ({"tasks": {"intent": TASK | {"contract": "Poem"}}}, r"tasks\.yaml: intent\.contract: "),
        ({"tasks": {"intent": TASK | {"description": "  "}}}, r"tasks\.yaml: intent\.description: "),
        ({"tasks": {"intent": {}}}, r"tasks\.yaml: intent\.stage: "),
        ({"tasks": {"sing": TASK}}, r"nothing asks for a task 'sing'; there are intent, planner"),
        ({"tasks": {"intent": TASK | {"agent": "nobody"}}}, r"intent\.agent: there is no agent 'nobody'"),
        ({"agents": {"intent": AGENT | {"type": "COOK"}}}, r"agents\.yaml: intent\.type: "),
        ({"agents": {"intent": AGENT}}, r"agents\.yaml: no agent has the type INTENT_RECOGNITION"),
        ({"agents": "intent: !!python/object/apply:os.getcwd []\n"}, r"agents\.yaml:\d*:? ?is no YAML"),
    ],
)
def test_what_is_wrong_is_told_by_file_and_place(own: Any, files: dict[str, Any], says: str) -> None:
    """FLOW-1: at start, before any turn; nothing in it is ever constructed."""
    with pytest.raises(ContextError, match=says):
        own(**files)


def test_task_that_is_not_there_is_named() -> None:
    """FLOW-5"""
    with pytest.raises(ContextError, match="there is no task 'sing'; there are intent"):
        shipped_stages().task("sing")


def test_texts_are_the_operators_and_stand_where_they_belong() -> None:
    """SAFE-3, SAFE-4: the opening in every prompt, what comes on top in its stage."""
    texts = shipped_stages()
    opening, later = texts.opening(), texts.block("organization")
    assert (opening.trust, opening.scope) == (Trust.OPERATOR, Scope.GLOBAL)
    assert (later.trust, later.scope) == (Trust.OPERATOR, Scope.STAGE)
    assert texts.text(OPENING) == opening.text


def test_code_holds_no_text_of_theirs(root: Path) -> None:
    """FLOW-1: what a role is told stands in YAML and nowhere else."""
    told: list[str] = []
    for name in (AGENTS, TASKS):
        for each in yaml.safe_load((TEMPLATES / name).read_text(encoding="utf-8")).values():
            told += [value for key, value in each.items() if key not in ("type", "stage", "agent", "contract")]
    code = [path.read_text(encoding="utf-8") for path in (root / "src" / "weft").rglob("*.py")]
    for text in told:
        sentences = [part.strip() for part in text.replace("\n", " ").split(". ") if len(part.strip()) > 15]
        assert sentences
        assert not [part for part in sentences if any(part in source for source in code)]
