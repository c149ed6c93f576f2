"""The two frozen values that the engine knows a user and a turn by."""

from dataclasses import FrozenInstanceError, fields

import pytest

from weft.context.user import AgentContext, UserAgentContext


def test_user_is_four_fields() -> None:
    """PRO-5: and what varies by turn is none of them."""
    assert [field.name for field in fields(UserAgentContext)] == ["user_id", "username", "bio", "settings"]


def test_turn_has_its_defaults_and_carries_no_profile() -> None:
    """PRO-5, PRO-7: what phase 2 loads is added to a turn; before that there is none of it."""
    turn = AgentContext()
    assert (turn.user_tier, turn.voice_mode) == ("free", "warm")
    assert (turn.skill, turn.scenario, turn.conversation_id, turn.channel, turn.chat_id) == (None,) * 5
    assert (dict(turn.profile_fields), dict(turn.skill_data)) == ({}, {})
    with pytest.raises(FrozenInstanceError):
        turn.skill = "bazi"  # type: ignore[misc]
    with pytest.raises(TypeError):
        turn.skill_data["bazi"] = {}  # type: ignore[index]
