"""What a model saves of what the user told: fields are merged and facts added, so that saving one thing loses none."""

from typing import Any
from uuid import UUID

from weft.kit.finding import plain
from weft.profiles.errors import ProfileInvalidError
from weft.profiles.schemas import ProfileView
from weft.profiles.service import ProfileService
from weft.profiles.shapes import MAX_FACTS, split_field

EXTRACTED, SKILL_DATA = "extracted", "skill_data"
SAID = "conversation"


async def save(profiles: ProfileService, user_id: UUID, field: str, value: Any) -> Any:
    """Save it; what stands there now, as short as it can be told."""
    column, skill = split_field(field)
    if column == EXTRACTED:
        return await _add_fact(profiles, user_id, value)
    if skill is not None:
        await profiles.change(user_id, {SKILL_DATA: {skill: value}})
        return {"keys": sorted(value)} if isinstance(value, dict) else None
    view = await profiles.change(user_id, {column: value})
    return _stored(view, column)


async def _add_fact(profiles: ProfileService, user_id: UUID, value: Any) -> Any:
    """The newest of two facts that say the same is kept; past the limit, the oldest goes."""
    if not isinstance(value, dict) or not isinstance(value.get("fact"), str):
        raise ProfileInvalidError.at([EXTRACTED], 'give one fact: {"fact": "…", "source": "…", "confidence": 0.8}')
    view = await profiles.change(user_id, {})  # locks it: of two facts at once, neither is lost
    known = [each.model_dump(mode="json") for each in view.extracted]
    kept = [each for each in known if plain(each["fact"]) != plain(value["fact"].strip())]
    fresh = {"source": SAID, **value}
    after = await profiles.change(user_id, {EXTRACTED: [*kept, fresh][-MAX_FACTS:]})
    return {"facts": len(after.extracted)}


def _stored(view: ProfileView, column: str) -> Any:
    return view.model_dump(mode="json", exclude_none=True).get(column)
