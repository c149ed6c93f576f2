"""What can be done with a profile; every way in and every other domain comes through here."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from weft.context.user import UserAgentContext
from weft.kit.db import Transaction
from weft.profiles.errors import ProfileInvalidError, UnknownProfileFieldError, UnknownSkillError
from weft.profiles.merge import merge_patch
from weft.profiles.preferences import parse_profile_settings, upgrade_to_latest
from weft.profiles.repository import ProfileRepository
from weft.profiles.schemas import Identity, ProfileView
from weft.profiles.shapes import check_shape, check_skill_data, is_skill_name, split_field

SkillSchema = Callable[[str], Mapping[str, Any] | None]


def _no_skill(_skill: str) -> None:
    return None


@dataclass(frozen=True, slots=True)
class ProfileRules:
    """What an installation decides about profiles."""

    upgrade_on_write: bool = True
    skill_schema: SkillSchema = _no_skill  # the JSON schema a skill ships for its data; None: no such skill


class ProfileService:
    """Profiles, on behalf of the transaction's actor."""

    def __init__(self, tx: Transaction, rules: ProfileRules | None = None) -> None:
        self._tx = tx
        self._rules = rules or ProfileRules()
        self._profiles = ProfileRepository(tx.session)

    async def get_user_agent_context(self, user_id: UUID) -> UserAgentContext:
        """Who the user is, for the engine. Nobody else makes a `UserAgentContext`."""
        username, bio, settings = await self._profiles.identity(user_id) or ("", None, None)
        return UserAgentContext(user_id, username, bio, parse_profile_settings(settings))

    async def load_profile_fields(self, user_id: UUID, fields: Iterable[str]) -> dict[str, Any]:
        """The declared fields and nothing more; one that is empty is there with None."""
        declared = sorted(set(fields))
        wanted = [split_field(field) for field in declared]
        found = await self._profiles.fields(user_id, wanted) if wanted else ()
        return dict(zip(declared, found or [None] * len(declared), strict=True))

    async def read(self, user_id: UUID) -> ProfileView:
        """The whole profile; a user who never wrote one has the defaults."""
        return ProfileView.of(user_id, await self._profiles.whole(user_id) or {})

    async def change(self, user_id: UUID, patch: Mapping[str, Any]) -> ProfileView:
        """Apply a JSON merge patch (RFC 7396): what is not named stays, null removes."""
        business_id = self._tx.actor.business_id
        if business_id is None or self._tx.actor.owner_id != user_id:
            raise ProfileInvalidError("a profile is written on behalf of its own user only")
        row = await self._profiles.locked(user_id, business_id)
        values = {column: self._changed(column, row, value) for column, value in patch.items()}
        if values:
            await self._profiles.write(user_id, values)
        return ProfileView.of(user_id, row | values)

    async def save_user_data(self, user_id: UUID, field: str, value: Any) -> ProfileView:
        """Store one declared field whole, as `save_user_data` does for a skill."""
        column, skill = split_field(field)
        return await self.change(user_id, {column: value if skill is None else {skill: value}})

    def _changed(self, column: str, row: Mapping[str, Any], value: Any) -> Any:
        if column == "settings":
            return self._settings(row["settings"], value)
        if column == "skill_data":
            return self._skill_data(row["skill_data"], value)
        if column in ("username", "bio"):
            return self._identity(column, value)
        if column == "extracted":
            return [] if value is None else check_shape(column, value)
        if column in ("birth_info", "life_context"):
            merged = merge_patch(row[column], value)
            return None if not merged else check_shape(column, merged)
        raise UnknownProfileFieldError(column)

    def _settings(self, stored: Mapping[str, Any] | None, patch: Any) -> dict[str, Any] | None:
        merged = merge_patch(stored, patch)
        settings = parse_profile_settings(merged)
        if self._rules.upgrade_on_write:
            settings = upgrade_to_latest(settings)
        return settings.model_dump(mode="json")

    def _skill_data(self, stored: Mapping[str, Any], patch: Any) -> dict[str, Any]:
        if patch is None:
            return {}
        if not isinstance(patch, Mapping):
            raise ProfileInvalidError("skill_data: must be an object with one object per skill", field="skill_data")
        changed = dict(stored)
        for skill, value in patch.items():
            if value is None:
                changed.pop(skill, None)
                continue
            schema = self._rules.skill_schema(skill) if is_skill_name(skill) else None
            if schema is None:
                raise UnknownSkillError(skill)
            changed[skill] = check_skill_data(skill, value, schema)
        return changed

    @staticmethod
    def _identity(column: str, value: Any) -> str | None:
        if value is None:
            return "" if column == "username" else None
        try:
            checked = Identity.model_validate({column: value})
        except ValidationError as error:
            raise ProfileInvalidError.of(error, within="profile") from None
        text: str | None = getattr(checked, column)
        return text
