"""What was added to a prompt after it was compiled stands in what was sent, at its place."""

from typing import Any

import pytest
from pydantic import BaseModel

from tests.context.blocks import TOOLS, card, conversation, pair, usual
from weft.context.asked import as_asked
from weft.context.compiling import Compiled, compile_context
from weft.context.markers import flat, shaped, shapes_of
from weft.context.prefix import as_json
from weft.context.recipes import PHASE_2
from weft.context.window import History
from weft.llm.ports import Strategy
from weft.llm.structured_request import asking
from weft.llm.tokens import TokenCounter
from weft.llm.types import ModelCall

COUNTER = TokenCounter()


class Plan(BaseModel):
    """A plan."""

    steps: list[str]


def compiled(**abilities: Any) -> Compiled:
    rows = [*conversation(2), *pair("x")]
    return compile_context(PHASE_2, usual(), History(rows), TOOLS, card(**abilities), COUNTER)


def written(made: Compiled, messages: Any) -> str:
    tools = "".join(segment.text for segment in made.sent.segments if segment.name.startswith("tool/"))
    return tools + "".join("\n" + as_json(flat(message)) for message in messages)


@pytest.mark.parametrize("late", [True, False])
@pytest.mark.parametrize("marks", [True, False])
@pytest.mark.parametrize("strategy", [Strategy.PROMPT, Strategy.JSON_MODE, Strategy.NATIVE_SCHEMA])
def test_the_schema_of_an_answer_is_a_part_of_what_was_sent(strategy: Strategy, late: bool, marks: bool) -> None:
    """SKILL-11: wherever the model takes it; what stood before keeps its name."""
    made = compiled(late_system_message=late, prompt_cache_markers=marks)
    asked = asking(ModelCall(made.messages, made.tools), Plan, strategy, late_system=late)
    sent = as_asked(made.sent, made.messages, asked.messages, lambda text: COUNTER.raw_count("m", text))
    assert sent.text == written(made, asked.messages)
    names = [segment.name for segment in sent.segments]
    assert [name for name in names if not name.startswith("added/")] == [each.name for each in made.sent.segments]
    assert sent.total >= made.sent.total


def test_a_repair_stands_after_it() -> None:
    """SKILL-11: an answer off contract is asked for again, with what was wrong."""
    made = compiled()
    said = [{"role": "assistant", "content": "no"}, {"role": "system", "content": "again"}]
    asked = asking(ModelCall(made.messages, made.tools), Plan, Strategy.PROMPT)
    sent = as_asked(made.sent, made.messages, [*asked.messages, *said], len)
    assert sent.text == written(made, [*asked.messages, *said])
    assert [segment.name for segment in sent.segments][-3:] == ["added/1", "added/2", "added/3"]


def test_other_messages_are_told_as_they_are() -> None:
    """SKILL-11: whoever sends something else than was compiled, it is shown what was sent."""
    made = compiled()
    others = [*made.messages[:2], {"role": "user", "content": "something else"}]
    assert as_asked(made.sent, made.messages, others, len).text == written(made, others)
    assert as_asked(made.sent, made.messages, made.messages[:2], len).text == written(made, made.messages[:2])
    assert as_asked(made.sent, made.messages, made.messages, len) is made.sent


def test_marks_come_back_where_they_were() -> None:
    """SKILL-10, SKILL-11: what is stored without marks is shown with them."""
    image = [{"type": "image_url", "image_url": {"url": "data:,"}}, {"type": "text", "text": "what?"}]
    made = compiled(prompt_cache_markers=True, late_system_message=False)
    marked = [
        *made.messages,
        {"role": "user", "content": [image[0], {**image[1], "cache_control": {"type": "ephemeral"}}]},
    ]
    assert any("cache_control" in message for message in marked), "a result, marked as a whole"
    plain = [dict(flat(message)) for message in marked]
    assert "cache_control" not in as_json(plain)
    assert shaped(plain, shapes_of(marked)) == marked
    assert shapes_of([*plain, {"role": "user", "content": image}]) == {}
