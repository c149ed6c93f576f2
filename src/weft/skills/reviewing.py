"""The review of proposals: what would change, and the decision, which is about exactly what was shown (SKILL-9)."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID

import anyio.to_thread

from weft.kit import clock
from weft.kit.db import Transaction
from weft.skills.differences import differences
from weft.skills.errors import ProposalChangedError, ProposalStateError
from weft.skills.library import SkillLibrary
from weft.skills.live_folders import read_shown
from weft.skills.packages import Package, digest_of, unpack
from weft.skills.proposals import checked, must_decide, package_of_row, row_of
from weft.skills.repository import SkillRepository
from weft.skills.schemas import ChangeView, FindingView, ProposalDetail, ProposalStatus, ProposalView, Scope
from weft.skills.shelf import Level
from weft.skills.versions import Target


@dataclass(frozen=True, slots=True)
class _Base:
    """What is live in its place as things are."""

    files: Mapping[str, bytes]
    level: Level | None


class ReviewService:
    """Proposals as reviewers see and decide them, on behalf of the transaction's actor."""

    def __init__(self, tx: Transaction, library: SkillLibrary) -> None:
        self._actor = tx.actor
        self._library = library
        self._skills = SkillRepository(tx.connection)

    async def detail(self, proposal_id: UUID) -> ProposalDetail:
        """A proposal as a reviewer sees it: what would change, what a strict check says, and what stands for both."""
        row = await row_of(self._skills, proposal_id)
        package, base = await package_of_row(row), await self._base(row)
        changes = await anyio.to_thread.run_sync(differences, base.files, package.files)
        found = await anyio.to_thread.run_sync(lambda: package.findings)
        return ProposalDetail(
            **ProposalView.of(row).model_dump(),
            findings=FindingView.all(found),
            against=base.level,
            changes=ChangeView.all(changes),
            shown=_stands_for(row, base) if row["status"] == ProposalStatus.REVIEW else None,
        )

    async def file(self, proposal_id: UUID, path: str) -> bytes:
        """One of its files."""
        package = await package_of_row(await row_of(self._skills, proposal_id))
        return package.as_files().read(path)

    async def target(self, proposal_id: UUID) -> Target:
        """Where it would be live, for whoever may decide that."""
        row = await row_of(self._skills, proposal_id)
        must_decide(self._actor, row["scope"])
        return _target(row)

    async def take(self, proposal_id: UUID, shown: str, reason: str) -> Package:
        """Accept exactly what was shown. The skill is locked by whoever calls."""
        await self._skills.lock_proposal(proposal_id)
        row = await row_of(self._skills, proposal_id)
        must_decide(self._actor, row["scope"])
        _must_wait(row, "cannot be accepted")
        if shown != _stands_for(row, await self._base(row)):
            raise ProposalChangedError(proposal_id)
        package = await package_of_row(row)
        await checked(package, strict=True)
        await self._decide(proposal_id, ProposalStatus.ACCEPTED, reason)
        return package

    async def activated(self, proposal_id: UUID) -> None:
        """What was accepted is live now."""
        await self._skills.change_proposal(proposal_id, status=ProposalStatus.ACTIVE)

    async def reject(self, proposal_id: UUID, reason: str) -> ProposalView:
        """Say no, and why."""
        await self._skills.lock_proposal(proposal_id)
        row = await row_of(self._skills, proposal_id)
        must_decide(self._actor, row["scope"])
        _must_wait(row, "cannot be rejected")
        await self._decide(proposal_id, ProposalStatus.REJECTED, reason)
        return ProposalView.of(await row_of(self._skills, proposal_id))

    async def _decide(self, proposal_id: UUID, status: ProposalStatus, reason: str) -> None:
        decided = {"decided_by": self._actor.via, "decided_at": clock.now(), "reason": reason}
        await self._skills.change_proposal(proposal_id, status=status, **decided)

    async def _base(self, row: Mapping[str, Any]) -> _Base:
        """What is live in its place; for a proposal that became a version, what had been there before."""
        target = _target(row)
        if row["version"] is not None:
            before = await self._skills.version(target.business_id, target.name, row["version"] - 1)
            packed = None if before is None else before["content"]
            return _Base({} if packed is None else await anyio.to_thread.run_sync(unpack, packed), None)
        listed = (await self._library.look(target.business_id, now=True)).skills.get(target.name)
        if listed is None:
            return _Base({}, None)
        return _Base(await anyio.to_thread.run_sync(read_shown, listed), listed.level)


def _target(row: Mapping[str, Any]) -> Target:
    return Target(row["business_id"] if row["scope"] == Scope.BUSINESS else None, row["name"])


def _stands_for(row: Mapping[str, Any], base: _Base) -> str:
    """A word for what a reviewer saw: these files, instead of those, in that place."""
    place = f"{row['id']} {row['scope']} {row['name']} {base.level}".encode()
    return sha256(row["digest"] + digest_of(base.files) + place).hexdigest()


def _must_wait(row: Mapping[str, Any], otherwise: str) -> None:
    if row["status"] != ProposalStatus.REVIEW:
        raise ProposalStateError(row["id"], row["status"], otherwise)
