"""What can be wrong with a profile."""

from collections.abc import Iterable
from typing import Self

from pydantic import ValidationError

from weft.kit.errors import InvalidError, OperatorError, TooLargeError
from weft.kit.text import replace_unstorable, shown_path


class ProfileInvalidError(InvalidError):
    """A value of the profile is not valid."""

    code = "profile_invalid"

    @classmethod
    def at(cls, path: Iterable[str | int], problem: str) -> Self:
        """A problem with the value at this path."""
        field = shown_path(path)
        return cls(f"{field}: {replace_unstorable(problem)}", field=field)

    @classmethod
    def of(cls, error: ValidationError, *within: str) -> Self:
        """The first problem that pydantic found, told by the field's full path."""
        problem = error.errors(include_url=False, include_input=False)[0]
        return cls.at((*within, *problem["loc"]), problem["msg"].removeprefix("Value error, "))


class ProfileTooLargeError(TooLargeError):
    """A part of the profile passes its limit."""

    code = "profile_too_large"

    def __init__(self, path: Iterable[str], size: int, limit: int) -> None:
        field = shown_path(path)
        super().__init__(f"{field}: would be {size} bytes as JSON; at most {limit} are kept", field=field)


class UnknownSettingsVersionError(InvalidError):
    """Settings of a version that this Weft does not know."""

    code = "unknown_settings_version"

    def __init__(self, version: object, known: Iterable[int]) -> None:
        versions = ", ".join(map(str, known))
        shown = replace_unstorable(repr(version)[:80])
        super().__init__(f"settings.version is {shown}; this Weft knows versions {versions}", field="settings.version")


class UnknownProfileFieldError(InvalidError):
    """A profile field that no profile has."""

    code = "unknown_profile_field"

    def __init__(self, field: str) -> None:
        shown = shown_path([field])
        super().__init__(
            f"{shown!r} is not a profile field; there are birth_info, life_context, extracted "
            f"and skill_data.<skill>, for example 'skill_data.bazi'",
            field=shown,
        )


class UnknownSkillError(InvalidError):
    """Data for a skill that is not installed, so that nothing says what shape it must have."""

    code = "unknown_skill"

    def __init__(self, skill: str) -> None:
        shown = shown_path([skill])
        super().__init__(
            f"no skill named {shown!r} is installed, so its data has no known shape", field=f"skill_data.{shown}"
        )


class SkillSchemaError(OperatorError):
    """A skill that ships a schema which is none: whoever installed it must put it right."""

    code = "skill_schema_broken"

    def __init__(self, skill: str, reason: str) -> None:
        super().__init__(
            f"the data schema of the skill {skill!r} cannot be used: {reason}", field=f"skill_data.{skill}"
        )
