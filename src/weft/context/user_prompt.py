"""The user-context prompt: the policy, the profile as data, and how to use whichever fields are there."""

from functools import cache
from importlib.resources import files

import yaml
from pydantic import BaseModel, ConfigDict

from weft.context.data_block import clean_field, data_block
from weft.context.user import UserAgentContext


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Part(_Strict):
    say: str
    when: tuple[str, ...] = ()


class _Section(_Strict):
    title: str
    parts: tuple[_Part, ...] = ()


class _Template(_Strict):
    policy: _Section
    data: _Section
    use: _Section


@cache
def _template() -> _Template:
    text = (files("weft.context") / "templates" / "user_context.yaml").read_text(encoding="utf-8")
    return _Template.model_validate(yaml.safe_load(text))


def profile_values(user: UserAgentContext) -> dict[str, str]:
    """The fields that are present, cleaned, in the order they are always written in."""
    preferences = user.settings.preferences
    fields = {
        "username": user.username,
        "bio": user.bio or "",
        "interface_language": preferences.interface_language,
        "ai_language": preferences.ai_language,
        "timezone": preferences.timezone,
        "country": preferences.country,
    }
    cleaned = {name: clean_field(value) for name, value in fields.items()}
    return {name: value for name, value in cleaned.items() if value}


def _render(section: _Section, present: dict[str, str]) -> str:
    said = [part.say for part in section.parts if all(name in present for name in part.when)]
    return "\n".join([f"# {section.title}", *said]) if said else ""


def user_context_prompt(user: UserAgentContext) -> str:
    """The prompt; the same user gives the same bytes everywhere."""
    template, present = _template(), profile_values(user)
    sections = (
        _render(template.policy, present),
        data_block(template.data.title, present),
        _render(template.use, present),
    )
    return "\n\n".join(section for section in sections if section) + "\n"
