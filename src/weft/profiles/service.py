"""What can be done with a profile; every way in and every other domain comes through here."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson
from pydantic import ValidationError

from weft.context.user import UserAgentContext
from weft.kit.db import Transaction
from weft.kit.errors import ForbiddenError
from weft.kit.text import UnstorableError, check_storable_json
from weft.profiles.errors import ProfileInvalidError, ProfileTooLargeError, UnknownProfileFieldError
from weft.profiles.merge import merge_patch
from weft.profiles.preferences import parse_profile_settings, upgrade_to_latest
from weft.profiles.repository import ProfileRepository
from weft.profiles.schemas import Identity, ProfileView
from weft.profiles.shapes import check_shape, split_field
from weft.profiles.skill_data import SkillSchema, check_skill_data, no_skill

MAX_SETTINGS_BYTES = 16 * 1024
MAX_SKILL_DATA_BYTES = 64 * 1024  # for each skill


@dataclass(frozen=True, slots=True)
class ProfileRules:
    """What an installation decides about profiles."""

    upgrade_on_write: bool = True
    skill_schema: SkillSchema = no_skill


class ProfileService:
    """Profiles, on behalf of the transaction's actor."""

    def __init__(self, tx: Transaction, rules: ProfileRules | None = None) -> None:
        self._tx = tx
        self._rules = rules or ProfileRules()
        self._profiles = ProfileRepository(tx.connection)

    async def get_user_agent_context(self, user_id: UUID) -> UserAgentContext:
        """Who the user is, for the engine. Nobody else makes a `UserAgentContext`."""
        username, bio, settings = await self._profiles.identity(user_id) or ("", None, None)
        return UserAgentContext(user_id, username, bio, parse_profile_settings(settings))

    async def load_profile_fields(self, user_id: UUID, fields: Iterable[str]) -> dict[str, Any]:
        """The declared fields and nothing more; one that is empty is there with None."""
        declared = sorted(set(fields))
        wanted = [split_field(field) for field in declared]
        found = await self._profiles.fields(user_id, wanted) if wanted else ()
        return {field: part or None for field, part in zip(declared, found or [None] * len(declared), strict=True)}

    async def read(self, user_id: UUID) -> ProfileView:
        """The whole profile; a user who never wrote one has the defaults."""
        return ProfileView.of(user_id, await self._profiles.whole(user_id) or {})

    async def change(self, user_id: UUID, patch: Mapping[str, Any]) -> ProfileView:
        """Apply a JSON merge patch (RFC 7396): what is not named stays, null removes."""
        _require_storable(patch)
        row = await self._own(user_id)
        return await self._store(row, {column: merge_patch(row.get(column), part) for column, part in patch.items()})

    async def save_user_data(self, user_id: UUID, field: str, value: Any) -> ProfileView:
        """Store one declared field whole, as `save_user_data` does for a skill; None removes it."""
        column, skill = split_field(field)
        _require_storable({column: value if skill is None else {skill: value}})
        row = await self._own(user_id)
        if skill is not None:
            others = {name: data for name, data in row[column].items() if name != skill}
            value = others if value is None else others | {skill: value}
        return await self._store(row, {column: value})

    async def _own(self, user_id: UUID) -> dict[str, Any]:
        """The actor's own row, made if need be, and locked."""
        business_id = self._tx.actor.business_id
        if business_id is None or self._tx.actor.owner_id != user_id:
            raise ForbiddenError("a profile is written on behalf of its own user only")
        return await self._profiles.locked(user_id, business_id)

    async def _store(self, row: Mapping[str, Any], wanted: Mapping[str, Any]) -> ProfileView:
        values = {column: self._checked(column, row, value) for column, value in wanted.items()}
        stored = await self._profiles.write(row["user_id"], values) if values else row
        return ProfileView.of(row["user_id"], stored)

    def _checked(self, column: str, row: Mapping[str, Any], value: Any) -> Any:
        """A column's whole new value as it is stored; None has removed it."""
        match column:
            case "username" | "bio":
                return _identity(column, value)
            case "settings":
                return self._settings(value)
            case "skill_data":
                return self._skill_data(row[column], value)
            case "extracted":
                return [] if value is None else check_shape(column, value)
            case "birth_info" | "life_context":
                return None if value is None or value == {} else check_shape(column, value)
        raise UnknownProfileFieldError(column)

    def _settings(self, raw: Any) -> dict[str, Any]:
        settings = parse_profile_settings(raw)
        if self._rules.upgrade_on_write:
            settings = upgrade_to_latest(settings)
        stored = settings.model_dump(mode="json")
        _require_size(["settings"], stored, MAX_SETTINGS_BYTES)
        return stored

    def _skill_data(self, stored: Mapping[str, Any], value: Any) -> dict[str, Any]:
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise ProfileInvalidError.at(["skill_data"], "must be an object with one object per skill")
        for skill, data in value.items():
            if orjson.dumps(data) != orjson.dumps(stored.get(skill)):  # what stays may be of a skill now uninstalled
                _require_size(["skill_data", skill], data, MAX_SKILL_DATA_BYTES)
                check_skill_data(skill, data, self._rules.skill_schema)
        return value


def _identity(column: str, value: Any) -> str | None:
    if value is None:
        return "" if column == "username" else None
    try:
        checked = Identity.model_validate({column: value})
    except ValidationError as error:
        raise ProfileInvalidError.of(error) from None
    text: str | None = getattr(checked, column)
    return text


def _require_storable(patch: Mapping[str, Any]) -> None:
    try:
        check_storable_json(dict(patch))
    except UnstorableError as error:
        raise ProfileInvalidError.at(error.path, error.problem) from None


def _require_size(path: list[str], value: Any, limit: int) -> None:
    if (size := len(orjson.dumps(value))) > limit:
        raise ProfileTooLargeError(path, size, limit)
