"""The user-context prompt: the policy, the profile as data, and how to use whichever fields are there."""

from importlib.resources import files
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict

from weft.context.blocks import Block, Scope, Trust
from weft.context.data_block import clean_field, data_block
from weft.context.user import UserAgentContext

_Key = Literal["username", "bio", "interface_language", "ai_language", "timezone", "country"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Part(_Strict):
    say: str
    when: tuple[_Key, ...] = ()


class _Section(_Strict):
    title: str
    parts: tuple[_Part, ...] = ()


class _Template(_Strict):
    policy: _Section
    data: _Section
    use: _Section


def _load_template() -> _Template:
    text = (files("weft.context") / "templates" / "user_context.yaml").read_text(encoding="utf-8")
    return _Template.model_validate(yaml.safe_load(text))


_TEMPLATE = _load_template()  # with the module: an event loop must not wait for a file, and a broken one fails at start


def profile_values(user: UserAgentContext) -> dict[str, str]:
    """The fields that are present, cleaned, in the order they are always written in."""
    preferences = user.settings.preferences
    fields: dict[_Key, str] = {
        "username": user.username,
        "bio": user.bio or "",
        "interface_language": preferences.interface_language,
        "ai_language": preferences.ai_language,
        "timezone": preferences.timezone,
        "country": preferences.country,
    }
    cleaned = {name: clean_field(value) for name, value in fields.items()}
    return {str(name): value for name, value in cleaned.items() if value}


def _render(section: _Section, present: dict[str, str]) -> str:
    said = [part.say for part in section.parts if all(name in present for name in part.when)]
    return "\n".join([f"# {section.title}", *said]) if said else ""


def user_context_prompt(user: UserAgentContext) -> str:
    """The prompt; the same user gives the same bytes everywhere."""
    present = profile_values(user)
    sections = (
        _render(_TEMPLATE.policy, present),
        data_block(_TEMPLATE.data.title, present),
        _render(_TEMPLATE.use, present),
    )
    return "\n\n".join(section for section in sections if section) + "\n"


def user_context_blocks(user: UserAgentContext) -> list[Block]:
    """The same prompt as the compiler takes it: each part with the trust of those who wrote it, the bytes unchanged."""
    present = profile_values(user)
    ours = [("user_context/policy", _TEMPLATE.policy), ("user_context/use", _TEMPLATE.use)]
    said = [
        Block(name, "weft:user_context.yaml", Trust.POLICY, Scope.USER, _render(section, present))
        for name, section in ours
        if _render(section, present)
    ]
    data = Block("user_context/profile", "profiles", Trust.USER, Scope.USER, present, title=_TEMPLATE.data.title)
    return [said[0], data, *said[1:]]
