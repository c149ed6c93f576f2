"""Making an accepted skill live, and an earlier version live again: decided in the database first, then put in place.

A version is written down before the folder is touched and marked once it is there. Whoever dies in between leaves a
version that is not marked; the next one to change that skill puts it in place first, and doing so twice does no harm.
"""

from contextlib import AbstractAsyncContextManager
from uuid import UUID

from weft.kit.actor import Actor, Right
from weft.kit.db import Database, Transaction
from weft.kit.errors import ForbiddenError
from weft.skills.errors import ProposalChangedError
from weft.skills.library import SkillLibrary
from weft.skills.reviewing import ReviewService
from weft.skills.schemas import Acceptance, ProposalDetail, Rollback, VersionView
from weft.skills.versions import Target, VersionService


class Publishing:
    """Changes of what is live, on behalf of an operator, each in several transactions."""

    def __init__(self, database: Database, library: SkillLibrary, actor: Actor) -> None:
        if actor.operator_reach is None:
            raise ForbiddenError("this is for operators; sign in with an operator key")
        self._database = database
        self._library = library
        self._actor = actor
        self._reach = actor.operator_reach

    async def accept(self, proposal_id: UUID, acceptance: Acceptance) -> ProposalDetail:
        """Accept what was shown, and make it live."""
        async with self._transaction() as tx:
            target = await ReviewService(tx, self._library).target(proposal_id)
        if await self.finish(target) == proposal_id:
            seen = await self._detail(proposal_id)
            if seen.decided_by == self._actor.via:  # they had accepted it, and only the folder was left to do
                return seen
        async with self._transaction() as tx:
            versions = VersionService(tx, self._library.roots)
            await versions.lock(target)
            package = await ReviewService(tx, self._library).take(proposal_id, acceptance.shown, acceptance.reason)
            if package.name != target.name:  # it was renamed before anybody was locked out
                raise ProposalChangedError(proposal_id)
            made = {"origin": "proposal", "proposal_id": proposal_id, "reason": acceptance.reason}
            await versions.write_down(target, package.files, made)
        await self.finish(target)
        return await self._detail(proposal_id)

    async def rollback(self, target: Target, wish: Rollback) -> VersionView:
        """Make an earlier version live again, as a new version; 0 takes the skill away."""
        self._actor.require(Right.SKILLS)
        await self.finish(target)
        async with self._transaction() as tx:
            versions = VersionService(tx, self._library.roots)
            await versions.lock(target)
            files = await versions.files(target, wish.to)
            made = {"origin": "rollback", "restores": wish.to, "reason": wish.reason}
            number = await versions.write_down(target, files, made)
        await self.finish(target)
        async with self._transaction() as tx:
            return await VersionService(tx, self._library.roots).get(target, number)

    async def finish(self, target: Target) -> UUID | None:
        """Bring the folder to what was decided last, if it is not; returns the proposal that became live by it."""
        async with self._transaction() as tx:
            versions = VersionService(tx, self._library.roots)
            await versions.lock(target)
            proposal_id = await versions.put_in_place(target)
            if proposal_id is not None:
                await ReviewService(tx, self._library).activated(proposal_id)
        await self._library.look(target.business_id, now=True)
        return proposal_id

    async def _detail(self, proposal_id: UUID) -> ProposalDetail:
        async with self._transaction() as tx:
            return await ReviewService(tx, self._library).detail(proposal_id)

    def _transaction(self) -> AbstractAsyncContextManager[Transaction]:
        return self._database.transaction(self._actor, self._reach)
