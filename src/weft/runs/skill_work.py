"""What a skill may be given and may keep: its declared fields, the schema of its data, its computation."""

from collections.abc import Mapping
from typing import Any

import anyio.to_thread

from weft.profiles.errors import SkillSchemaError
from weft.profiles.service import ProfileRules
from weft.skills.activation import needed_fields
from weft.skills.catalogue import Listed, Snapshot
from weft.skills.findings import Findings
from weft.skills.side_files import read_schema
from weft.skills.skill import Skill
from weft.tools.errors import NotComputedError

_ANY: Mapping[str, Any] = {"type": "object"}
_OWN = "skill_data."


def known_to(catalogue: Snapshot, skill: str | None) -> tuple[str, ...]:
    """The profile fields that a skill may see: those that it declares, and no others (PRO-7)."""
    listed = catalogue.skills.get(skill) if skill is not None else None
    if listed is None:
        return ()
    return tuple(dict.fromkeys((*listed.skill.profile_fields, *needed_fields(listed.skill))))


def check_type(catalogue: Snapshot, skill: Skill, wanted: str | None) -> str:
    """What the skill computes, if that is what was asked for."""
    if skill.compute_type is None:
        others = [name for name, each in catalogue.skills.items() if each.skill.compute_type and each.available]
        said = f"; these do: {', '.join(others)} (use_skill)" if others else ""
        raise NotComputedError(f"the skill {skill.name!r} computes nothing{said}")
    if wanted is not None and wanted != skill.compute_type:
        instead = "call use_skill first for that"
        raise NotComputedError(
            f"the skill {skill.name!r} computes {skill.compute_type!r}, not {wanted[:64]!r}; {instead}"
        )
    return skill.compute_type


async def rules_for(catalogue: Snapshot, field: str) -> ProfileRules:
    """How a field may be written: for `skill_data.<skill>`, by the schema that the skill ships."""
    if not field.startswith(_OWN):
        return ProfileRules()
    name = field.removeprefix(_OWN)
    listed = catalogue.skills.get(name)
    schema = None if listed is None else await anyio.to_thread.run_sync(_schema_of, listed)
    return ProfileRules(skill_schema={name: schema}.get)


def _schema_of(listed: Listed) -> Mapping[str, Any]:
    path = listed.skill.data_schema
    if path is None:
        return _ANY  # whatever it keeps is an object
    findings = Findings(path)
    schema = read_schema(listed.shelved.files, path, findings)
    if schema is None:
        raise SkillSchemaError(listed.name, "; ".join(each.message for each in findings) or f"{path} cannot be read")
    return schema
