"""What a caller can see of the skills that are live: the catalogue as theirs, one skill whole, its files, a check."""

from collections import defaultdict
from collections.abc import Mapping
from math import isfinite
from typing import Any

import anyio.to_thread

from weft.kit.actor import Actor, Right
from weft.kit.text import replace_unstorable
from weft.skills.catalogue import Listed, Snapshot
from weft.skills.errors import SkillInvalidError
from weft.skills.findings import Finding, errors
from weft.skills.library import SkillLibrary
from weft.skills.packages import Package, package_of, package_of_archive
from weft.skills.schemas import Checked, FindingView, ResourceView, SkillDetail, SkillUpload, SkillView
from weft.skills.shelf import Level
from weft.skills.skill import Skill
from weft.skills.validating import validate_skill

_INTEGERS = range(-(2**63), 2**64)  # those that our JSON writer can write
_Folder = tuple[str, str]  # the level, and the folder's name in it


class SkillService:
    """The catalogue, on behalf of a user, or of an operator of a business or of the installation."""

    def __init__(self, library: SkillLibrary, actor: Actor) -> None:
        self._library = library
        self._actor = actor

    async def catalogue(self) -> Snapshot:
        """The skills as the caller has them."""
        return await self._library.look(self._actor.business_id, self._actor.user_id)

    async def views(self) -> list[SkillView]:
        """Every skill by its name, then those that are broken or hidden, of those that the caller looks after."""
        snapshot = await self.catalogue()
        findings = self._shown(snapshot)
        listed = [
            SkillView(**_said(each), findings=findings.pop(_place(each), [])) for each in snapshot.skills.values()
        ]
        rest = [_unusable(folder, found) for folder, found in findings.items()]
        return sorted([*listed, *rest], key=lambda view: (view.name, view.level, view.state))

    async def detail(self, name: str) -> SkillDetail:
        """One skill with all that it says."""
        listed = (await self.catalogue()).get(name)
        return await anyio.to_thread.run_sync(_detail, listed)

    async def resource(self, name: str, path: str) -> bytes:
        """One of its files."""
        listed = (await self.catalogue()).get(name)
        return await anyio.to_thread.run_sync(listed.read, path)

    def _shown(self, snapshot: Snapshot) -> dict[_Folder, list[FindingView]]:
        """Findings by the folder that they are about: operators see all, users those about their own folders."""
        found: defaultdict[_Folder, list[Finding]] = defaultdict(list)
        for finding in snapshot.findings:
            level, _, rest = finding.file.partition("/")
            if level == "user" or Right.SKILLS in self._actor.rights:
                found[level, rest.partition("/")[0]].append(finding)
        return {folder: FindingView.all(each) for folder, each in found.items()}


async def package_in(upload: SkillUpload) -> Package:
    """The skill that somebody sent."""
    if upload.archive is not None:
        return await anyio.to_thread.run_sync(package_of_archive, upload.archive)
    texts = {path: text.encode("utf-8", "surrogatepass") for path, text in (upload.files or {}).items()}
    return await anyio.to_thread.run_sync(package_of, texts)


async def check(upload: SkillUpload) -> Checked:
    """What a strict check says; nothing is kept."""
    try:
        package = await package_in(upload)
    except SkillInvalidError as error:
        return Checked(valid=False, findings=FindingView.all(error.findings))
    found = await anyio.to_thread.run_sync(lambda: package.findings)
    return Checked(name=package.name, valid=not errors(found), findings=FindingView.all(found))


def _place(listed: Listed) -> _Folder:
    return listed.level, listed.shelved.files.folder.name


def _said(listed: Listed) -> dict[str, Any]:
    skill = listed.skill
    return {
        "name": skill.name,
        "level": listed.level,
        "state": "available" if listed.available else "unavailable",
        "description": skill.description,
        "always": skill.always,
        "requires_birth_info": skill.requires_birth_info,
        "compute_type": skill.compute_type,
        "missing": [str(each) for each in listed.missing],
    }


def _unusable(folder: _Folder, found: list[FindingView]) -> SkillView:
    level: Level = folder[0]  # type: ignore[assignment]  # a finding's file begins with it
    broken = any(each.severity == "error" for each in found)
    return SkillView(name=folder[1], level=level, state="broken" if broken else "hidden", findings=found)


def _detail(listed: Listed) -> SkillDetail:
    skill, files = listed.skill, listed.shelved.files
    level, folder = _place(listed)
    return SkillDetail(
        **_said(listed),
        **_declared(skill),
        findings=FindingView.all(validate_skill(files, folder, f"{level}/{folder}")),
        resources=ResourceView.all(listed.resources()),
    )


def _declared(skill: Skill) -> dict[str, Any]:
    requires = skill.requires
    return {
        "license": skill.license,
        "compatibility": skill.compatibility,
        "metadata": _plain(skill.metadata),
        "allowed_tools": list(skill.allowed_tools),
        "profile_fields": list(skill.profile_fields),
        "requires": {
            kind: list(names) for kind in ("binaries", "environment", "libraries") if (names := getattr(requires, kind))
        },
        "sop": list(skill.sop),
        "cases": list(skill.cases),
        "data_schema": skill.data_schema,
        "voices": list(skill.voices),
        "others": _plain(skill.others),
        "body": skill.body,
    }


def _plain(value: Any) -> Any:
    """What somebody wrote in YAML, as JSON can say it."""
    match value:
        case Mapping():
            return {replace_unstorable(str(key)): _plain(inner) for key, inner in value.items()}
        case list():
            return [_plain(each) for each in value]
        case str():
            return replace_unstorable(value)
        case float() if not isfinite(value):
            return str(value)
        case int() if value not in _INTEGERS:
            return str(value)
    return value
