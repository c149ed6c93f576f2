"""What goes over the wire about a profile."""

from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from weft.http.answers import UtcTime
from weft.kit.text import StorableText
from weft.profiles.preferences import ProfileSettings, parse_profile_settings
from weft.profiles.shapes import BirthInfo, LearnedFact, LifeContext

_SETTINGS_EXAMPLE = {
    "version": 2,
    "preferences": {
        "interface_language": "zh-CN",
        "ai_language": "zh-CN",
        "timezone": "Asia/Shanghai",
        "country": "CN",
    },
    "privacy": {},
    "notification": {},
    "safety": {},
}


class Identity(BaseModel):
    """Name and bio."""

    model_config = ConfigDict(str_strip_whitespace=True)

    username: Annotated[StorableText, Field(max_length=255, examples=["小雨"])] = ""
    bio: Annotated[StorableText, Field(max_length=4000, examples=["产品经理，喜欢徒步"])] | None = None


class ProfileView(Identity):
    """A whole profile."""

    user_id: UUID
    settings: Annotated[ProfileSettings, Field(examples=[_SETTINGS_EXAMPLE])]
    birth_info: BirthInfo | None = None
    life_context: LifeContext | None = None
    extracted: list[LearnedFact] = []
    skill_data: dict[str, JsonValue] = {}
    user_tier: str = Field(default="free", examples=["free"])
    updated_at: UtcTime | None = None

    @classmethod
    def of(cls, user_id: UUID, row: Mapping[str, Any]) -> "ProfileView":
        """The profile that a row holds; defaults where there is none."""
        shown = {name: row[name] for name in cls.model_fields if name in row}
        return cls.model_validate(shown | {"user_id": user_id, "settings": parse_profile_settings(row.get("settings"))})


class ProfilePatch(BaseModel):
    """A JSON merge patch (RFC 7396) of a profile: what is left out stays, null removes."""

    model_config = ConfigDict(extra="forbid")

    username: Annotated[JsonValue, Field(examples=["小雨"])] = None
    bio: Annotated[JsonValue, Field(examples=["产品经理，喜欢徒步"])] = None
    settings: Annotated[JsonValue, Field(examples=[{"preferences": {"ai_language": "en-US"}}])] = None
    birth_info: Annotated[JsonValue, Field(examples=[{"date": "1990-05-17", "calendar": "solar"}])] = None
    life_context: Annotated[JsonValue, Field(examples=[{"occupation": "产品经理"}])] = None
    extracted: Annotated[JsonValue, Field(examples=[[]])] = None
    skill_data: Annotated[JsonValue, Field(examples=[{}])] = None
