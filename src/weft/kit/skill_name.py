"""What a skill may be called, by the Agent Skills standard: folders, profiles and catalogues agree on it."""

import re

MAX_SKILL_NAME = 64
_SKILL_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def is_skill_name(name: str) -> bool:
    """Whether a skill may be called so."""
    return len(name) <= MAX_SKILL_NAME and _SKILL_NAME.fullmatch(name) is not None
