"""STATE-1, STATE-2, STATE-4: what turns leave, folded from their actions alone, in the fields of the rule."""

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.turns import House, a_house, calls
from weft.kit.actor import Actor
from weft.kit.db import Database
from weft.kit.errors import NotFoundError
from weft.runs.service import RunService
from weft.state.shared import Memory
from weft.workspaces.service import WorkspaceService


async def _state(house: House, actor: Actor, run_id: Any, turns: int = 1) -> dict[str, Any]:
    async with house.database.transaction(actor) as tx:
        return (await RunService(tx).state(run_id, turns)).model_dump()


async def test_the_state_of_two_turns(house: House) -> None:
    """STATE-1, STATE-6: one entry a turn, what is shared inherited, and as many tokens as the ledger has."""
    ann = await house.someone()
    house.says((calls("set_goal", "g", goal="know the files"), calls("list_dir", "l", path=".")), "Nothing.", "Hello.")
    first = await house.turn(ann, "look", voice_mode="calm")
    second = await house.turn(ann, "hi", session_id=first.session_id, voice_mode="calm")
    state = await _state(house, ann, second.run.id, 2)
    assert state["prompts"] == ["look", "hi"]
    assert state["task_goals"] == ["know the files", ""]
    assert [(each["role"], each["content"]) for each in state["chat_history"]] == [
        ("user", "look"),
        ("assistant", "Nothing."),
        ("user", "hi"),
        ("assistant", "Hello."),
    ]
    assert (state["output_style"], state["user_context"]["timezone"]) == ("calm", "Asia/Shanghai")
    assert state["output_structure"][0]["content"]["message_id"] == str(
        (await house.messages(ann, first.session_id))[-1].id
    )
    for told, usage in zip((first, second), state["usage"], strict=True):
        made = told.of("call_made")
        assert usage["total_tokens"] == sum(each.input_tokens + each.output_tokens for each in made)
    numbers = [action["id"] for turn in state["action_history"] for action in turn]
    assert numbers == list(range(1, len(numbers) + 1))


async def test_the_way_of_a_turn_is_the_rules(house: House) -> None:
    """STATE-4: inherit, user context, intent, tools, reflection, the output tool, end; each says what comes next."""
    ann = await house.someone()
    house.says(calls("list_dir", path="."), "Nothing.")
    told = await house.turn(ann, "look")
    (actions,) = (await _state(house, ann, told.run.id))["action_history"]
    assert [each["node"] for each in actions] == [
        "inherit", "user_context", "intent", "tool:list_dir", "reflection", "report", "end",
    ]  # fmt: skip
    for action, following in itertools.pairwise(actions):
        assert following["node"] == action["next"][0]["node"]


async def test_files_and_memories_stand_before_the_intent(turns_database: Database, tmp_path: Path) -> None:
    """STATE-4, WORK-6: what the user brought and what is remembered of them; the model is shown both, as data."""

    class Remembering:
        async def recall(self, actor: Actor, words: str) -> Sequence[Memory]:
            return (Memory("m1", "has a cat called Dumpling", "a test"),) if "cat" in words else ()

    async with a_house(turns_database, tmp_path) as house:
        object.__setattr__(house.runtime.engine, "recall", Remembering())
        ann = await house.someone()
        kept = await WorkspaceService(ann, house.runtime.engine.workspaces).keep("a.txt", "text/plain", b"hello")
        house.says("Dumpling!", "I do not know.")
        told = await house.turn(ann, "what is my cat called?", attachments=(kept,))
        state = await _state(house, ann, told.run.id)
        nodes = [each["node"] for each in state["action_history"][0]]
        assert nodes == ["inherit", "user_context", "preprocess_files", "memory", "intent", "end"]
        assert [each["text"] for each in state["memory"]] == ["has a cat called Dumpling"]
        assert [each["name"] for each in state["origin_files"]] == [kept.name]
        assert "has a cat called Dumpling" in str(house.asked[0]["messages"][-1]["content"])
        after = await house.turn(ann, "and my dog?", session_id=told.session_id)
        assert "Dumpling" not in str(house.asked[1]["messages"][-1]["content"])
        assert [each["id"] for each in (await _state(house, ann, after.run.id))["memory"]] == ["m1"]


async def test_what_nobody_typed_is_told_apart(house: House) -> None:
    """WORK-3: extra instructions of a run that no user typed; where the conversation is; and both only in that turn."""
    ann = await house.someone()
    house.says("Good morning.", "Hello.")
    first = await house.turn(
        ann, "greet", execution_context="This run was begun by a timer.", channel="wechat", chat_id="room-7"
    )
    await house.turn(ann, "hi", session_id=first.session_id)
    with_it, without = (str(each["messages"][-1]["content"]) + str(each["messages"][0]) for each in house.asked)
    for said in ("This run was begun by a timer.", "wechat", "room-7"):
        assert said in with_it
        assert said not in without


async def test_a_state_out_of_reach_is_unknown(house: House) -> None:
    """SEC-1: somebody else's turn answers like one that does not exist."""
    ann, eve = await house.someone(), await house.someone()
    house.says("Hello.")
    told = await house.turn(ann, "hi")
    with pytest.raises(NotFoundError):
        await _state(house, eve, told.run.id)
