"""The versions of a skill that were ever live in one place: kept whole, so that each can be live again (SKILL-9)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import anyio.to_thread

from weft.kit import clock
from weft.kit.actor import Actor, Reach
from weft.kit.db import Transaction
from weft.kit.errors import ForbiddenError
from weft.kit.ids import new_id
from weft.skills.errors import SkillBusyError, VersionUnknownError
from weft.skills.library import Roots
from weft.skills.live_folders import read_whole, replace
from weft.skills.packages import digest_of, pack, unpack
from weft.skills.repository import SkillRepository
from weft.skills.schemas import VersionView

Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Target:
    """Where a skill is to be live: for one business, or without one for everybody."""

    business_id: UUID | None
    name: str

    @classmethod
    def meant_by(cls, actor: Actor, name: str, business_id: UUID | None, *, installation: bool) -> "Target":
        """The place that an operator means: their business's, unless they say another or the installation's."""
        wanted = None if installation else business_id or actor.business_id
        if actor.operator_reach is not Reach.INSTALLATION and (wanted is None or wanted != actor.business_id):
            raise ForbiddenError("what lies outside their business is for operators of the whole installation")
        return cls(wanted, name)


class VersionService:
    """Versions, on behalf of an operator."""

    def __init__(self, tx: Transaction, roots: Roots) -> None:
        self._actor = tx.actor
        self._roots = roots
        self._skills = SkillRepository(tx.connection)

    async def history(self, target: Target, before: int | None, limit: int) -> list[VersionView]:
        """The versions, the newest first."""
        rows = await self._skills.history(target.business_id, target.name, before, limit)
        return [VersionView.of(row) for row in rows]

    async def get(self, target: Target, number: int) -> VersionView:
        """One version."""
        return VersionView.of(await self._row(target, number))

    async def files(self, target: Target, number: int) -> Files | None:
        """What was live then; None where nothing was, as before the first version."""
        if number == 0:
            return None
        content = (await self._row(target, number))["content"]
        return None if content is None else await anyio.to_thread.run_sync(unpack, content)

    async def waiting(self) -> list[Target]:
        """Where a version was decided and is not marked as in its place."""
        return [Target(business_id, name) for business_id, name in await self._skills.pending()]

    async def lock(self, target: Target) -> None:
        """Take turns with whoever else changes what is live there, until the transaction ends."""
        await self._skills.lock_skill(target.business_id, target.name)

    async def write_down(self, target: Target, files: Files | None, made: Mapping[str, Any]) -> int:
        """The version that is to be live, after what somebody put there by hand; returns its number."""
        newest = await self._skills.newest_version(target.business_id, target.name)
        if newest is not None and newest["activated_at"] is None:
            raise SkillBusyError(target.name, "is just being changed by somebody else; look again")
        there = await anyio.to_thread.run_sync(read_whole, self._root(target), target.name)
        if _digest(there) == _digest(files):
            raise SkillBusyError(target.name, "is live exactly so already" if files else "is not live there")
        number = 1 if newest is None else newest["number"] + 1
        if _digest(there) != (newest and newest["digest"]):
            await self._add(target, number, there, {"origin": "found", "reason": "", "activated_at": clock.now()})
            number += 1
        await self._add(target, number, files, made)
        return number

    async def put_in_place(self, target: Target) -> UUID | None:
        """Bring the folder to the newest version if it is not marked as there; returns the proposal that it came of."""
        newest = await self._skills.newest_version(target.business_id, target.name)
        if newest is None or newest["activated_at"] is not None:
            return None
        files = None if newest["content"] is None else await anyio.to_thread.run_sync(unpack, newest["content"])
        await anyio.to_thread.run_sync(replace, self._root(target), target.name, files)
        await self._skills.activated(newest["id"])
        proposal_id: UUID | None = newest["proposal_id"]
        return proposal_id

    async def _row(self, target: Target, number: int) -> dict[str, Any]:
        row = await self._skills.version(target.business_id, target.name, number)
        if row is None:
            raise VersionUnknownError(target.name, number)
        return row

    async def _add(self, target: Target, number: int, files: Files | None, made: Mapping[str, Any]) -> None:
        whole: dict[str, Any] = {
            "business_id": target.business_id,
            "name": target.name,
            "number": number,
            "made_by": self._actor.via,
        }
        content = None if files is None else await anyio.to_thread.run_sync(pack, files)
        await self._skills.add_version({**whole, "id": new_id(), "digest": _digest(files), "content": content, **made})

    def _root(self, target: Target) -> Path:
        return self._roots.operator if target.business_id is None else self._roots.business(target.business_id)


def _digest(files: Files | None) -> bytes | None:
    return None if files is None else digest_of(files)
