"""Proposals of new and changed skills: made, revised, submitted and taken back by whoever has an idea (SKILL-9)."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import anyio.to_thread

from weft.kit import clock
from weft.kit.actor import Actor, Reach, Right
from weft.kit.db import Transaction
from weft.kit.errors import ForbiddenError
from weft.kit.ids import new_id
from weft.skills.errors import (
    ProposalChangedError,
    ProposalStateError,
    ProposalUnknownError,
    SkillInvalidError,
    TooManyProposalsError,
)
from weft.skills.findings import Finding
from weft.skills.packages import Package, pack, unpack
from weft.skills.repository import SkillRepository
from weft.skills.schemas import ProposalStatus, ProposalView, Scope
from weft.skills.skill import SKILL_FILE

MOST_OPEN = 20  # proposals of one user that nobody has decided
_TAKEN = frozenset({"proposals", "validate"})  # addresses under /api/skills
_OPEN = (ProposalStatus.DRAFT, ProposalStatus.REVIEW)


class ProposalService:
    """Proposals, on behalf of the transaction's actor."""

    def __init__(self, tx: Transaction) -> None:
        self._actor = tx.actor
        self._skills = SkillRepository(tx.connection)

    async def propose(
        self, package: Package, note: str = "", *, scope: Scope = Scope.BUSINESS, draft: bool = False
    ) -> ProposalView:
        """Keep a proposal, for review at once or as a draft."""
        scope = self._checked_scope(scope)
        await checked(package, strict=not draft)
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
        return ProposalView.of(await row_of(self._skills, proposal_id))

    async def revise(self, proposal_id: UUID, package: Package, note: str) -> ProposalView:
        """Put other files in its place, as long as nobody has decided."""
        row = await self._own(proposal_id)
        await checked(package, strict=row["status"] == ProposalStatus.REVIEW)
        await self._skills.change_proposal(proposal_id, **await _content(package, note))
        return ProposalView.of(await row_of(self._skills, proposal_id))

    async def submit(self, proposal_id: UUID) -> ProposalView:
        """Hand a draft over for review."""
        row = await self._own(proposal_id)
        if row["status"] != ProposalStatus.DRAFT:
            raise ProposalStateError(proposal_id, row["status"], "is no draft that could be submitted")
        await checked(await package_of_row(row), strict=True)
        await self._skills.change_proposal(proposal_id, status=ProposalStatus.REVIEW, submitted_at=clock.now())
        return ProposalView.of(await row_of(self._skills, proposal_id))

    async def delete(self, proposal_id: UUID) -> None:
        """Take one's own proposal back."""
        await self._own(proposal_id)
        await self._skills.delete_proposal(proposal_id)

    async def recent(self, status: ProposalStatus | None, before: UUID | None, limit: int) -> list[ProposalView]:
        """Those within reach, the newest first."""
        return [ProposalView.of(row) for row in await self._skills.proposals(status, before, limit)]

    async def _own(self, proposal_id: UUID) -> dict[str, Any]:
        """A proposal that the actor made and nobody decided; it is locked."""
        status = await self._skills.lock_proposal(proposal_id)
        row = await row_of(self._skills, proposal_id)
        if row["user_id"] != self._actor.user_id:
            raise ForbiddenError("a proposal is changed by whoever made it; an operator accepts or rejects it")
        if status not in _OPEN:
            raise ProposalStateError(proposal_id, row["status"], "is decided, and stays as it is")
        return row

    def _checked_scope(self, scope: Scope) -> Scope:
        if scope is Scope.INSTALLATION:
            must_decide(self._actor, scope)
        elif self._actor.business_id is None:
            raise ForbiddenError("you act for no business; propose it for the installation (scope 'installation')")
        return scope


async def row_of(skills: SkillRepository, proposal_id: UUID) -> dict[str, Any]:
    """A proposal within reach."""
    row = await skills.proposal(proposal_id)
    if row is None:
        raise ProposalUnknownError(proposal_id)
    return row


def must_decide(actor: Actor, scope: str) -> None:
    """Refuse whoever may not say what is live there."""
    actor.require(Right.SKILLS)
    if actor.operator_reach is None:
        raise ForbiddenError("operators decide about proposals; sign in with an operator key")
    if scope == Scope.INSTALLATION and actor.operator_reach is not Reach.INSTALLATION:
        raise ForbiddenError("what is live for everybody is for operators of the whole installation to decide")


async def package_of_row(row: Mapping[str, Any]) -> Package:
    """The files as they were proposed."""
    package = Package(row["name"], await anyio.to_thread.run_sync(unpack, row["content"]))
    if package.digest != row["digest"]:
        raise ProposalChangedError(row["id"])  # the row was written past Weft
    return package


async def checked(package: Package, *, strict: bool) -> None:
    """Refuse what could not be shown, and, strictly, what a strict check refuses."""
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
