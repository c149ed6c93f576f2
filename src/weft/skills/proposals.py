"""Proposals of skills: made and revised by whoever has an idea, looked at and decided by operators (SKILL-9)."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID

import anyio.to_thread

from weft.kit import clock
from weft.kit.actor import Reach, Right
from weft.kit.db import Transaction
from weft.kit.errors import ForbiddenError
from weft.kit.ids import new_id
from weft.skills.differences import differences
from weft.skills.errors import (
    ProposalChangedError,
    ProposalStateError,
    ProposalUnknownError,
    SkillInvalidError,
    TooManyProposalsError,
)
from weft.skills.findings import Finding
from weft.skills.library import SkillLibrary
from weft.skills.live_folders import read_shown
from weft.skills.packages import Package, digest_of, pack, unpack
from weft.skills.repository import SkillRepository
from weft.skills.schemas import ChangeView, FindingView, ProposalDetail, ProposalStatus, ProposalView, Scope
from weft.skills.shelf import Level
from weft.skills.skill import SKILL_FILE
from weft.skills.versions import Target

MOST_OPEN = 20  # proposals of one user that nobody has decided
_TAKEN = frozenset({"proposals", "validate"})  # addresses under /api/skills
_OPEN = (ProposalStatus.DRAFT, ProposalStatus.REVIEW)


@dataclass(frozen=True, slots=True)
class _Base:
    """What is live in its place as things are."""

    files: Mapping[str, bytes]
    level: Level | None


class ProposalService:
    """Proposals, on behalf of the transaction's actor."""

    def __init__(self, tx: Transaction, library: SkillLibrary) -> None:
        self._tx = tx
        self._actor = tx.actor
        self._library = library
        self._skills = SkillRepository(tx.session)

    async def propose(
        self, package: Package, note: str = "", *, scope: Scope = Scope.BUSINESS, draft: bool = False
    ) -> ProposalView:
        """Keep a proposal, for review at once or as a draft."""
        scope = self._checked_scope(scope)
        await _check(package, strict=not draft)
        if await self._skills.open_proposals(self._actor.user_id) >= MOST_OPEN:
            raise TooManyProposalsError(MOST_OPEN)
        proposal_id = new_id()
        made = {
            "id": proposal_id,
            "business_id": self._actor.business_id,
            "user_id": self._actor.user_id,
            "scope": scope,
            "status": ProposalStatus.DRAFT if draft else ProposalStatus.REVIEW,
            "submitted_at": None if draft else clock.now(),
            "via": self._actor.via,
        }
        await self._skills.propose(made | await _content(package, note))
        return ProposalView.of(await self._row(proposal_id))

    async def revise(self, proposal_id: UUID, package: Package, note: str) -> ProposalView:
        """Put other files in its place, as long as nobody has decided."""
        row = await self._own(proposal_id)
        await _check(package, strict=row["status"] == ProposalStatus.REVIEW)
        await self._skills.change_proposal(proposal_id, **await _content(package, note))
        return ProposalView.of(await self._row(proposal_id))

    async def submit(self, proposal_id: UUID) -> ProposalView:
        """Hand a draft over for review."""
        row = await self._own(proposal_id)
        if row["status"] != ProposalStatus.DRAFT:
            raise ProposalStateError(proposal_id, row["status"], "is no draft that could be submitted")
        await _check(await _package(row), strict=True)
        await self._skills.change_proposal(proposal_id, status=ProposalStatus.REVIEW, submitted_at=clock.now())
        return ProposalView.of(await self._row(proposal_id))

    async def delete(self, proposal_id: UUID) -> None:
        """Take one's own proposal back."""
        await self._own(proposal_id)
        await self._skills.delete_proposal(proposal_id)

    async def recent(self, status: ProposalStatus | None, before: UUID | None, limit: int) -> list[ProposalView]:
        """Those within reach, the newest first."""
        return [ProposalView.of(row) for row in await self._skills.proposals(status, before, limit)]

    async def detail(self, proposal_id: UUID) -> ProposalDetail:
        """A proposal as a reviewer sees it: what would change, what a strict check says, and what stands for both."""
        row = await self._row(proposal_id)
        package, base = await _package(row), await self._base(row)
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
        package = await _package(await self._row(proposal_id))
        return package.as_files().read(path)

    async def target(self, proposal_id: UUID) -> Target:
        """Where it would be live, for whoever may decide that."""
        row = await self._row(proposal_id)
        self._must_decide(row["scope"])
        return _target(row)

    async def take(self, proposal_id: UUID, shown: str, reason: str) -> Package:
        """Accept exactly what was shown. The skill is locked by whoever calls."""
        await self._skills.lock_proposal(proposal_id)
        row = await self._row(proposal_id)
        self._must_decide(row["scope"])
        self._must_be(row, ProposalStatus.REVIEW, "cannot be accepted")
        if shown != _stands_for(row, await self._base(row)):
            raise ProposalChangedError(proposal_id)
        package = await _package(row)
        await _check(package, strict=True)
        await self._decide(proposal_id, ProposalStatus.ACCEPTED, reason)
        return package

    async def activated(self, proposal_id: UUID) -> None:
        """What was accepted is live now."""
        await self._skills.change_proposal(proposal_id, status=ProposalStatus.ACTIVE)

    async def reject(self, proposal_id: UUID, reason: str) -> ProposalView:
        """Say no, and why."""
        await self._skills.lock_proposal(proposal_id)
        row = await self._row(proposal_id)
        self._must_decide(row["scope"])
        self._must_be(row, ProposalStatus.REVIEW, "cannot be rejected")
        await self._decide(proposal_id, ProposalStatus.REJECTED, reason)
        return ProposalView.of(await self._row(proposal_id))

    async def _decide(self, proposal_id: UUID, status: ProposalStatus, reason: str) -> None:
        decided = {"decided_by": self._actor.via, "decided_at": clock.now(), "reason": reason}
        await self._skills.change_proposal(proposal_id, status=status, **decided)

    async def _row(self, proposal_id: UUID) -> dict[str, Any]:
        row = await self._skills.proposal(proposal_id)
        if row is None:
            raise ProposalUnknownError(proposal_id)
        return row

    async def _own(self, proposal_id: UUID) -> dict[str, Any]:
        """A proposal that the actor made and nobody decided; it is locked."""
        status = await self._skills.lock_proposal(proposal_id)
        row = await self._row(proposal_id)
        if row["user_id"] != self._actor.user_id:
            raise ForbiddenError("a proposal is changed by whoever made it; an operator accepts or rejects it")
        if status not in _OPEN:
            raise ProposalStateError(proposal_id, row["status"], "is decided, and stays as it is")
        return row

    async def _base(self, row: Mapping[str, Any]) -> _Base:
        if row["version"] is not None and row["version"] > 1:
            before = await self._skills.version(_target(row).business_id, row["name"], row["version"] - 1)
            content = None if before is None else before["content"]
            files = {} if content is None else await anyio.to_thread.run_sync(unpack, content)
            return _Base(files, None)
        snapshot = await self._library.look(_target(row).business_id, now=True)
        listed = snapshot.skills.get(row["name"])
        if listed is None or row["version"] is not None:
            return _Base({}, None)
        return _Base(await anyio.to_thread.run_sync(read_shown, listed), listed.level)

    def _checked_scope(self, scope: Scope) -> Scope:
        if scope is Scope.INSTALLATION:
            self._must_decide(scope)
        elif self._actor.business_id is None:
            raise ForbiddenError("you act for no business; propose it for the installation (scope 'installation')")
        return scope

    def _must_decide(self, scope: str) -> None:
        self._actor.require(Right.SKILLS)
        if self._actor.operator_reach is None:
            raise ForbiddenError("operators decide about proposals; sign in with an operator key")
        if scope == Scope.INSTALLATION and self._actor.operator_reach is not Reach.INSTALLATION:
            raise ForbiddenError("what is live for everybody is for operators of the whole installation to decide")

    @staticmethod
    def _must_be(row: Mapping[str, Any], status: ProposalStatus, otherwise: str) -> None:
        if row["status"] != status:
            raise ProposalStateError(row["id"], row["status"], otherwise)


def _target(row: Mapping[str, Any]) -> Target:
    return Target(row["business_id"] if row["scope"] == Scope.BUSINESS else None, row["name"])


def _stands_for(row: Mapping[str, Any], base: _Base) -> str:
    """A word for what a reviewer saw: these files, instead of those, in that place."""
    place = f"{row['id']} {row['scope']} {row['name']} {base.level}".encode()
    return sha256(row["digest"] + digest_of(base.files) + place).hexdigest()


async def _package(row: Mapping[str, Any]) -> Package:
    package = Package(row["name"], await anyio.to_thread.run_sync(unpack, row["content"]))
    if package.digest != row["digest"]:
        raise ProposalChangedError(row["id"])  # the row was written past Weft
    return package


async def _check(package: Package, *, strict: bool) -> None:
    if package.name in _TAKEN:
        message = f"the name {package.name!r} is an address of Weft's own; choose another"
        raise SkillInvalidError([Finding(f"{package.name}/{SKILL_FILE}", 0, "error", message)])
    if strict:
        await anyio.to_thread.run_sync(package.must_be_valid)


async def _content(package: Package, note: str) -> dict[str, Any]:
    return {
        "name": package.name,
        "note": note,
        "digest": package.digest,
        "content": await anyio.to_thread.run_sync(pack, package.files),
        "files": len(package.files),
        "size": package.size,
    }
