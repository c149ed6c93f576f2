"""A profile's settings: a union on `version` in which every version can be read and lifted to the newest.

To add version 3: write `SettingsV3` with its `upgrade_from`, and name it at the end of `AnySettings`.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from weft.kit.places import Country, Language, Timezone
from weft.kit.text import UnstorableError, check_storable_json
from weft.profiles.errors import ProfileInvalidError, UnknownSettingsVersionError


class _Open(BaseModel):
    """Keeps fields it does not know: a newer Weft, or the business, may have put them there."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Preferences(_Open):
    """How the user wants to be spoken to."""

    interface_language: Language = "zh-CN"
    ai_language: Language = "zh-CN"
    timezone: Timezone = "Asia/Shanghai"
    country: Country = "CN"


class Settings(_Open):
    """What every version has."""

    version: int
    preferences: Preferences = Preferences()
    privacy: dict[str, JsonValue] = {}
    notification: dict[str, JsonValue] = {}

    @classmethod
    def upgrade_from(cls, previous: "Settings") -> Self:
        """The settings of the version before, lifted to this one; what only this version has gets its default."""
        return cls.model_validate(previous.model_dump(exclude={"version"}))


class SettingsV1(Settings):
    """The first shape."""

    version: Literal[1] = 1


class SettingsV2(Settings):
    """Adds what the user set about their safety."""

    version: Literal[2] = 2
    safety: dict[str, JsonValue] = {}


class SettingsFamily:
    """The versions of one kind of settings, oldest first."""

    def __init__(self, *kinds: type[Settings]) -> None:
        self._kinds: dict[int, type[Settings]] = {kind.model_fields["version"].default: kind for kind in kinds}
        self.oldest, self.latest = min(self._kinds), max(self._kinds)

    def parse(self, raw: Any) -> Settings:
        """Settings of any known version; nothing, or no version, reads as the first."""
        if raw is None:
            raw = {}
        if not isinstance(raw, Mapping):
            raise ProfileInvalidError.at(["settings"], f"must be an object, not a {type(raw).__name__}")
        version = raw.get("version", self.oldest)
        if type(version) is not int or version not in self._kinds:
            raise UnknownSettingsVersionError(version, self._kinds)
        try:
            return self._kinds[version].model_validate(check_storable_json(dict(raw)))
        except ValidationError as error:
            raise ProfileInvalidError.of(error, "settings") from None
        except UnstorableError as error:
            raise ProfileInvalidError.at(["settings", *error.path], error.problem) from None

    def upgrade(self, settings: Settings) -> Settings:
        """The same settings in the newest version, one step at a time."""
        try:
            for version in range(settings.version + 1, self.latest + 1):
                settings = self._kinds[version].upgrade_from(settings)
        except ValidationError as error:  # a field that an older version let pass has a meaning in a newer one
            raise ProfileInvalidError.of(error, "settings") from None
        return settings


AnySettings = SettingsV1 | SettingsV2
ProfileSettings = Annotated[AnySettings, Field(discriminator="version")]
FAMILY = SettingsFamily(*get_args(AnySettings))


def parse_profile_settings(raw: Any) -> Settings:
    """Read settings as they stand in the database, whichever version wrote them."""
    return FAMILY.parse(raw)


def upgrade_to_latest(settings: Settings) -> Settings:
    """Lift settings to the newest version without losing a field."""
    return FAMILY.upgrade(settings)
