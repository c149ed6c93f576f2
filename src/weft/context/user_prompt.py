"""The user-context prompt: the policy, the profile as data, and how to use whichever fields are there."""

from functools import lru_cache
from typing import Literal, Self, get_args

from pydantic import model_validator

from weft.context.blocks import Block, Scope, Trust
from weft.context.data_block import clean_field, data_block
from weft.context.sections import Section, Strict, load_template
from weft.context.user import UserAgentContext

_Key = Literal["username", "bio", "interface_language", "ai_language", "timezone", "country"]
_REMEMBERED = 2_048


class _Template(Strict):
    policy: Section
    data: Section
    use: Section

    @model_validator(mode="after")
    def _asks_for_known_keys(self) -> Self:
        named = {name for section in (self.policy, self.use) for part in section.parts for name in part.when}
        if unknown := sorted(named.difference(get_args(_Key))):
            raise ValueError(f"when: {unknown[0]!r} is no key of the profile; there are {', '.join(get_args(_Key))}")
        return self


_TEMPLATE = load_template("user_context.yaml", _Template)  # with the module: see sections


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


def user_context_prompt(user: UserAgentContext) -> str:
    """The prompt; the same user gives the same bytes everywhere."""
    present = profile_values(user)
    sections = (
        _TEMPLATE.policy.render(present),
        data_block(_TEMPLATE.data.title, present),
        _TEMPLATE.use.render(present),
    )
    return "\n\n".join(section for section in sections if section) + "\n"


def user_context_blocks(user: UserAgentContext) -> tuple[Block, ...]:
    """The same prompt as the compiler takes it: each part with the trust of those who wrote it, the bytes unchanged.

    The same values give the very same blocks, as long as they are remembered.
    """
    return _blocks(tuple(profile_values(user).items()))


@lru_cache(maxsize=_REMEMBERED)
def _blocks(values: tuple[tuple[str, str], ...]) -> tuple[Block, ...]:
    present = dict(values)
    ours = [("user_context/policy", _TEMPLATE.policy), ("user_context/use", _TEMPLATE.use)]
    policy, *use = [
        Block(name, "weft:user_context.yaml", Trust.POLICY, Scope.USER, section.render(present))
        for name, section in ours
        if section.render(present)
    ]
    title, shrinks = _TEMPLATE.data.title, "bio" if "bio" in present else ""
    data = Block("user_context/profile", "profiles", Trust.USER, Scope.USER, present, title=title, shrinks=shrinks)
    return (policy, data, *use)
