"""The shapes of what a profile tells beside its settings: birth, life, facts learned from conversations."""

import re
from datetime import date, timedelta
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from weft.kit import clock
from weft.kit.places import Timezone
from weft.kit.skill_name import is_skill_name
from weft.kit.text import StorableText
from weft.profiles.errors import ProfileInvalidError, UnknownProfileFieldError

MAX_FACTS = 500
_DATE_PATTERN = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_TIME_PATTERN = "^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$"

_Short = Annotated[StorableText, Field(min_length=1, max_length=200)]
_Long = Annotated[StorableText, Field(min_length=1, max_length=2000)]


def _check_date(text: str) -> str:
    _require(re.fullmatch(_DATE_PATTERN, text), f"{text!r:.40} is not a date; write for example '1990-05-17'")
    return text


def _check_time(text: str) -> str:
    _require(
        re.fullmatch(_TIME_PATTERN, text),
        f"{text!r:.40} is not on the clock; write for example '08:30', or leave it out where it is not known",
    )
    return text


_Date = Annotated[
    str, AfterValidator(_check_date), Field(json_schema_extra={"pattern": _DATE_PATTERN}, examples=["1990-05-17"])
]
_Time = Annotated[
    str, AfterValidator(_check_time), Field(json_schema_extra={"pattern": _TIME_PATTERN}, examples=["08:30"])
]


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

    date: _Date
    time: _Time | None = None
    calendar: Literal["solar", "lunar"]
    leap_month: bool = False
    place: Place | None = None
    gender: Literal["female", "male", "other"] | None = None

    @model_validator(mode="after")
    def _happened(self) -> Self:
        check = _check_solar if self.calendar == "solar" else _check_lunar
        check(self)
        # A lunar date always comes later than the solar date of the same numbers, so that this holds for both.
        tomorrow = (clock.now() + timedelta(days=1)).date().isoformat()
        _require(self.date <= tomorrow, f"date {self.date!r} lies in the future")
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
    at: AwareDatetime = Field(default_factory=lambda: clock.now())
    confidence: Annotated[float, Field(ge=0, le=1)]


_OBJECTS: dict[str, type[_Closed]] = {"birth_info": BirthInfo, "life_context": LifeContext}
_FACTS: TypeAdapter[list[LearnedFact]] = TypeAdapter(Annotated[list[LearnedFact], Field(max_length=MAX_FACTS)])


def check_shape(field: str, value: Any) -> Any:
    """A field's value as it is stored, or what is wrong with it."""
    try:
        if kind := _OBJECTS.get(field):
            return kind.model_validate(value).model_dump(mode="json", exclude_defaults=True)
        if field == "extracted":
            return _FACTS.dump_python(_FACTS.validate_python(value), mode="json")
    except ValidationError as error:
        raise ProfileInvalidError.of(error, field) from None
    raise UnknownProfileFieldError(field)


def split_field(field: str) -> tuple[str, str | None]:
    """A declared profile field as its column and, for a skill's data, the skill."""
    column, dot, skill = field.partition(".")
    if not dot and column in (*_OBJECTS, "extracted"):
        return column, None
    if column == "skill_data" and is_skill_name(skill):
        return column, skill
    raise UnknownProfileFieldError(field)


def _require(holds: object, message: str) -> None:
    if not holds:
        raise ValueError(message)


def _check_solar(birth: BirthInfo) -> None:
    _require(not birth.leap_month, "leap_month belongs to the lunar calendar; leave it out for a solar date")
    try:
        date.fromisoformat(birth.date)
    except ValueError:
        message = f"date {birth.date!r} is not in the calendar; write for example '1990-05-17'"
        raise ValueError(message) from None


def _check_lunar(birth: BirthInfo) -> None:
    year, month, day = map(int, birth.date.split("-"))
    _require(
        year >= 1 and 1 <= month <= 12 and 1 <= day <= 30,
        f"date {birth.date!r} is not in the lunar calendar, whose months have up to 30 days",
    )
