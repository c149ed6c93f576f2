"""What a profile keeps for each skill, by the JSON schema that the skill ships."""

from collections.abc import Callable, Mapping
from typing import Any

import jsonschema
import referencing

from weft.kit.skill_name import is_skill_name
from weft.profiles.errors import ProfileInvalidError, SkillSchemaError, UnknownSkillError

SkillSchema = Callable[[str], Mapping[str, Any] | None]  # None: no such skill is installed

_Validator = jsonschema.Draft202012Validator
_NO_OTHERS: referencing.Registry[Any] = referencing.Registry()  # a schema may point within itself, never at the network


def no_skill(_skill: str) -> None:
    """The schemas of an installation without skills."""


def check_skill_data(skill: str, data: Any, schema_of: SkillSchema) -> None:
    """Refuse data that is not what the skill's own schema says."""
    schema = schema_of(skill) if is_skill_name(skill) else None
    if schema is None:
        raise UnknownSkillError(skill)
    if not isinstance(data, dict):
        raise ProfileInvalidError.at(["skill_data", skill], f"must be an object, not a {type(data).__name__}")
    if (problem := _problem(skill, data, schema)) is not None:
        raise ProfileInvalidError.at(["skill_data", skill, *problem.absolute_path], f"{problem.message:.300}")


def _problem(skill: str, data: dict[str, Any], schema: Mapping[str, Any]) -> jsonschema.ValidationError | None:
    try:
        _Validator.check_schema(schema)
        validator = _Validator(schema, registry=_NO_OTHERS, format_checker=_Validator.FORMAT_CHECKER)
        found: jsonschema.ValidationError | None = jsonschema.exceptions.best_match(validator.iter_errors(data))
    except jsonschema.SchemaError as error:
        raise SkillSchemaError(skill, error.message) from error
    except (referencing.exceptions.Unresolvable, RecursionError) as error:
        raise SkillSchemaError(skill, str(error)) from error
    return found
