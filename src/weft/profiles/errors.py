"""What can be wrong with a profile."""

from pydantic import ValidationError

from weft.kit.errors import InvalidError
from weft.kit.text import replace_unstorable


class ProfileInvalidError(InvalidError):
    """A value of the profile is not valid."""

    code = "profile_invalid"

    @classmethod
    def of(cls, error: ValidationError, *, within: str) -> "ProfileInvalidError":
        """The first problem that pydantic found, told by the field's full path."""
        problem = error.errors(include_url=False, include_input=False)[0]
        field = ".".join([within, *(str(part) for part in problem["loc"])])
        return cls(f"{field}: {problem['msg'].removeprefix('Value error, ')}", field=replace_unstorable(field))


class UnknownSettingsVersionError(InvalidError):
    """Settings of a version that this Weft does not know."""

    code = "unknown_settings_version"

    def __init__(self, version: object, known: list[int]) -> None:
        versions = ", ".join(map(str, known))
        shown = replace_unstorable(repr(version)[:80])
        super().__init__(f"settings.version is {shown}; this Weft knows versions {versions}", field="settings.version")


class UnknownProfileFieldError(InvalidError):
    """A profile field that no profile has."""

    code = "unknown_profile_field"

    def __init__(self, field: str) -> None:
        super().__init__(
            f"{replace_unstorable(field)!r} is not a profile field; there are birth_info, life_context, extracted "
            f"and skill_data.<skill>, for example 'skill_data.bazi'",
            field=replace_unstorable(field),
        )


class UnknownSkillError(InvalidError):
    """Data for a skill that is not installed, so that nothing says what shape it must have."""

    code = "unknown_skill"

    def __init__(self, skill: str) -> None:
        super().__init__(
            f"no skill named {replace_unstorable(skill)!r} is installed, so its data has no known shape",
            field=f"skill_data.{replace_unstorable(skill)}",
        )
