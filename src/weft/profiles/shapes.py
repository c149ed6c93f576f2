"""The shapes of what a profile holds beside its settings: birth, life, learned facts, data of skills."""

import re
from collections.abc import Mapping
from datetime import UTC, date, time, timedelta
from typing import Annotated, Any, Literal, Self

import jsonschema
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from weft.kit import clock
from weft.kit.places import Timezone
from weft.kit.text import StorableText, check_storable_json
from weft.profiles.errors import ProfileInvalidError, UnknownProfileFieldError

SKILL_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
MAX_SKILL_NAME = 64
MAX_FACTS = 500

_Short = Annotated[StorableText, Field(min_length=1, max_length=200)]
_Long = Annotated[StorableText, Field(min_length=1, max_length=2000)]


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class Place(_Closed):
    """Where somebody was born."""

    name: _Short
    latitude: Annotated[float, Field(ge=-90, le=90)]
    longitude: Annotated[float, Field(ge=-180, le=180)]
    timezone: Timezone


class BirthInfo(_Closed):
    """When and where somebody was born; what is not known is absent, never guessed."""

    date: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$", examples=["1990-05-17"])]
    time: Annotated[str | None, Field(pattern=r"^\d{2}:\d{2}(:\d{2})?$", examples=["08:30"])] = None
    calendar: Literal["solar", "lunar"]
    leap_month: bool = False
    place: Place | None = None
    gender: Literal["female", "male", "other"] | None = None

    @model_validator(mode="after")
    def _exists(self) -> Self:
        if self.time is not None:
            _require(_is_time(self.time), f"time {self.time!r} is not on the clock; write for example '08:30'")
        if self.calendar == "lunar":
            month, day = int(self.date[5:7]), int(self.date[8:])
            _require(
                1 <= month <= 12 and 1 <= day <= 30,
                f"date {self.date!r} is not in the lunar calendar, whose months have up to 30 days",
            )
            return self
        _require(not self.leap_month, "leap_month belongs to the lunar calendar; leave it out for a solar date")
        tomorrow = (clock.now().astimezone(UTC) + timedelta(days=1)).date()
        born = _date(self.date)
        _require(born is not None, f"date {self.date!r} is not in the calendar; write for example '1990-05-17'")
        _require(born is None or born <= tomorrow, f"date {self.date!r} lies in the future")
        return self


class LifeContext(_Closed):
    """Where somebody stands in life."""

    occupation: _Short | None = None
    industry: _Short | None = None
    stage: _Short | None = None
    goals: Annotated[list[_Long], Field(max_length=50)] | None = None
    concerns: Annotated[list[_Long], Field(max_length=50)] | None = None


class LearnedFact(_Closed):
    """One fact learned from a conversation."""

    fact: _Long
    source: _Short
    at: AwareDatetime = Field(default_factory=clock.now)
    confidence: Annotated[float, Field(ge=0, le=1)]


FACTS: TypeAdapter[list[LearnedFact]] = TypeAdapter(Annotated[list[LearnedFact], Field(max_length=MAX_FACTS)])


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise ValueError(message)


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _is_time(text: str) -> bool:
    try:
        time.fromisoformat(text)
    except ValueError:
        return False
    return True


def check_shape(field: str, value: Any) -> Any:
    """A field's value as it is stored, or what is wrong with it."""
    try:
        if field == "birth_info":
            return BirthInfo.model_validate(value).model_dump(mode="json", exclude_none=True)
        if field == "life_context":
            return LifeContext.model_validate(value).model_dump(mode="json", exclude_none=True)
        if field == "extracted":
            return FACTS.dump_python(FACTS.validate_python(value), mode="json")
    except ValidationError as error:
        raise ProfileInvalidError.of(error, within=field) from None
    raise UnknownProfileFieldError(field)


def check_skill_data(skill: str, value: Any, schema: Mapping[str, Any]) -> Any:
    """A skill's data, if it fits the JSON schema that the skill ships."""
    field = f"skill_data.{skill}"
    try:
        check_storable_json(value)
        jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker()).validate(value)
    except jsonschema.ValidationError as error:
        path = ".".join([field, *(str(part) for part in error.absolute_path)])
        raise ProfileInvalidError(f"{path}: {error.message[:300]}", field=path) from None
    except ValueError as error:
        raise ProfileInvalidError(f"{field}: {error}", field=field) from None
    return value


def is_skill_name(name: str) -> bool:
    """Whether a skill may be called so (the Agent Skills standard)."""
    return len(name) <= MAX_SKILL_NAME and SKILL_NAME.fullmatch(name) is not None


def split_field(field: str) -> tuple[str, str | None]:
    """A declared profile field as its column and, for a skill's data, the skill."""
    column, dot, skill = field.partition(".")
    if not dot and column in ("birth_info", "life_context", "extracted"):
        return column, None
    if column == "skill_data" and is_skill_name(skill):
        return column, skill
    raise UnknownProfileFieldError(field)
