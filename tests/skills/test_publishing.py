"""From a proposal to a live skill and back: reviewed, accepted exactly as shown, kept, rolled back (SKILL-9)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from tests.people import People
from weft.kit.actor import Actor, Reach
from weft.kit.db import Database
from weft.kit.errors import CallerError, ForbiddenError
from weft.kit.ids import new_id
from weft.skills import versions
from weft.skills.errors import (
    ProposalChangedError,
    ProposalStateError,
    ProposalUnknownError,
    SkillBusyError,
    SkillInvalidError,
    SkillsFolderError,
    TooManyProposalsError,
    VersionUnknownError,
)
from weft.skills.library import SkillLibrary
from weft.skills.live_folders import read_whole
from weft.skills.packages import Package, package_of
from weft.skills.proposals import MOST_OPEN, ProposalService
from weft.skills.publishing import Publishing
from weft.skills.reviewing import ReviewService
from weft.skills.schemas import Acceptance, ProposalDetail, ProposalStatus, ProposalView, Rollback, Scope, VersionView
from weft.skills.starting import finish_publishing
from weft.skills.versions import Target, VersionService


def tarot(says: str = "Draw three cards.", name: str = "tarot", **files: str) -> Package:
    text = f"---\nname: {name}\ndescription: Draws cards.\n---\n{says}\n"
    return package_of({"SKILL.md": text.encode()} | {name: each.encode() for name, each in files.items()})


@dataclass
class Shop:
    """A business with a user, an operator, and skills of its own."""

    database: Database
    library: SkillLibrary
    ann: Actor
    operator: Actor

    @property
    def id(self) -> UUID:
        assert self.ann.business_id is not None
        return self.ann.business_id

    @property
    def target(self) -> Target:
        return Target(self.id, "tarot")

    @property
    def folder(self) -> Path:
        return self.library.roots.business(self.id)

    @asynccontextmanager
    async def proposals(self, actor: Actor | None = None, reach: Reach | None = None) -> AsyncIterator[ProposalService]:
        actor = actor or self.ann
        async with self.database.transaction(actor, reach or actor.operator_reach or Reach.USER) as tx:
            yield ProposalService(tx)

    @asynccontextmanager
    async def review(self, actor: Actor | None = None) -> AsyncIterator[ReviewService]:
        actor = actor or self.operator
        async with self.database.transaction(actor, actor.operator_reach or Reach.USER) as tx:
            yield ReviewService(tx, self.library)

    async def propose(self, package: Package | None = None, actor: Actor | None = None, **more: Any) -> ProposalView:
        async with self.proposals(actor) as service:
            return await service.propose(package or tarot(), **more)

    async def detail(self, proposal: ProposalView, actor: Actor | None = None) -> ProposalDetail:
        async with self.review(actor) as service:
            return await service.detail(proposal.id)

    def publishing(self, actor: Actor | None = None) -> Publishing:
        return Publishing(self.database, self.library, actor or self.operator)

    async def accept(self, proposal: ProposalView, actor: Actor | None = None) -> ProposalDetail:
        shown = (await self.detail(proposal, actor)).shown or "-"
        return await self.publishing(actor).accept(proposal.id, Acceptance(shown=shown))

    async def publish(self, says: str) -> ProposalDetail:
        return await self.accept(await self.propose(tarot(says)))

    async def rollback(self, to: int) -> VersionView:
        return await self.publishing().rollback(self.target, Rollback(to=to))

    async def history(self) -> list[tuple[int, str, int | None]]:
        async with self.database.transaction(self.operator, Reach.BUSINESS) as tx:
            found = await VersionService(tx, self.library.roots).history(self.target, None, 100)
        return [(each.number, each.origin, each.restores) for each in found]

    async def body(self) -> str | None:
        listed = (await self.library.look(self.id)).skills.get("tarot")
        return None if listed is None else listed.skill.body


def full(*_: object) -> None:
    """What putting a folder in place comes to on a full disk."""
    raise SkillsFolderError("no space left")


@pytest.fixture
async def shop(database: Database, people: People, tmp_path: Path) -> Shop:
    ann = await people.user()
    return Shop(database, SkillLibrary(tmp_path, shipped=tmp_path / "shipped"), ann, people.operator(of=ann))


async def test_nothing_is_live_before_an_operator_accepts_it(shop: Shop) -> None:
    """SKILL-9: proposed, shown, accepted, live, in the folder of the proposer's business and in no other."""
    proposed = await shop.propose(note="please")
    assert (proposed.status, proposed.user_id, await shop.body()) == (ProposalStatus.REVIEW, shop.ann.user_id, None)
    done = await shop.accept(proposed)
    assert (done.status, done.version, done.decided_by) == (ProposalStatus.ACTIVE, 1, "cli")
    assert await shop.body() == "Draw three cards."
    assert await asyncio.to_thread(read_whole, shop.folder, "tarot") == dict(tarot().files)
    assert (await shop.library.look(None)).skills == {}


async def test_a_draft_waits_and_may_be_wrong_until_it_is_submitted(shop: Shop) -> None:
    """SKILL-9: what strict checking refuses does not come to review; nothing is changed by the attempt."""
    broken = package_of({"SKILL.md": b"---\nname: tarot\ndescription: x\nsop: none.md\n---\nDraw."})
    with pytest.raises(SkillInvalidError, match=r"none\.md"):
        await shop.propose(broken)
    draft = await shop.propose(broken, draft=True)
    assert (draft.status, draft.submitted_at) == (ProposalStatus.DRAFT, None)
    assert [each.severity for each in (await shop.detail(draft)).findings] == ["error"]
    async with shop.proposals() as service:
        with pytest.raises(SkillInvalidError):
            await service.submit(draft.id)
    with pytest.raises(ProposalStateError, match="'draft'"):
        await shop.accept(draft)
    async with shop.proposals() as service:
        revised = await service.revise(draft.id, tarot(), "mended")
        assert (revised.status, revised.note, revised.digest == draft.digest) == (ProposalStatus.DRAFT, "mended", False)
        submitted = await service.submit(draft.id)
        assert (submitted.status, submitted.submitted_at is None) == (ProposalStatus.REVIEW, False)
        with pytest.raises(ProposalStateError, match="no draft"):
            await service.submit(draft.id)
        with pytest.raises(SkillInvalidError):
            await service.revise(draft.id, broken, "")
    assert (await shop.accept(draft)).status is ProposalStatus.ACTIVE


async def test_a_reviewer_sees_the_change_against_what_is_live(shop: Shop, tmp_path: Path) -> None:
    """SKILL-9: against the skill that would be hidden, wherever it comes from."""
    shipped = tmp_path / "shipped" / "tarot"
    shipped.mkdir(parents=True)
    (shipped / "SKILL.md").write_bytes(tarot("Draw one card.").files["SKILL.md"])
    (shipped / "old.md").write_text("old\n", encoding="utf-8")
    seen = await shop.detail(await shop.propose())
    assert (seen.against, [(each.path, each.change) for each in seen.changes]) == (
        "shipped",
        [("SKILL.md", "changed"), ("old.md", "removed")],
    )
    assert "-Draw one card.\n+Draw three cards." in (seen.changes[0].diff or "")


async def test_what_is_accepted_is_what_was_shown(shop: Shop) -> None:
    """SKILL-9: a proposal that was revised, or a live skill that changed meanwhile, must be looked at again."""
    proposed = await shop.propose()
    shown = (await shop.detail(proposed)).shown or ""
    async with shop.proposals() as service:
        await service.revise(proposed.id, tarot("Steal the purse."), "")
    with pytest.raises(ProposalChangedError):
        await shop.publishing().accept(proposed.id, Acceptance(shown=shown))
    shown = (await shop.detail(proposed)).shown or ""
    await shop.publish("Draw two cards.")
    with pytest.raises(ProposalChangedError):
        await shop.publishing().accept(proposed.id, Acceptance(shown=shown))
    assert (await shop.body(), (await shop.detail(proposed)).status) == ("Draw two cards.", ProposalStatus.REVIEW)
    assert (await shop.accept(proposed)).version == 2


async def test_of_two_who_accept_at_once_one_wins(shop: Shop) -> None:
    """SKILL-9: the other hears that it is decided."""
    proposed = await shop.propose()
    operators = [replace(shop.operator, via=f"operator:{number}") for number in range(4)]
    done = await asyncio.gather(*(shop.accept(proposed, each) for each in operators), return_exceptions=True)
    won = [each for each in done if isinstance(each, ProposalDetail)]
    assert [(each.status, each.version) for each in won] == [(ProposalStatus.ACTIVE, 1)]
    assert [type(each) for each in done if not isinstance(each, ProposalDetail)] == [ProposalStateError] * 3
    assert await shop.history() == [(1, "proposal", None)]


async def test_of_two_proposals_for_one_skill_the_second_is_looked_at_again(shop: Shop) -> None:
    """SKILL-9: whoever accepted against a skill that is another one now, is told."""
    proposed = [await shop.propose(tarot(f"Draw {number}.")) for number in range(4)]
    shown = [(await shop.detail(each)).shown or "" for each in proposed]
    done = await asyncio.gather(
        *(
            shop.publishing().accept(each.id, Acceptance(shown=word))
            for each, word in zip(proposed, shown, strict=True)
        ),
        return_exceptions=True,
    )
    won = [at for at, each in enumerate(done) if isinstance(each, ProposalDetail)]
    assert len(won) == 1, done
    assert await shop.body() == f"Draw {won[0]}."
    assert all(isinstance(each, ProposalDetail | ProposalChangedError | SkillBusyError) for each in done)
    assert await shop.history() == [(1, "proposal", None)]


async def test_accepting_what_is_live_already_changes_nothing(shop: Shop) -> None:
    """SKILL-9"""
    await shop.publish("Draw.")
    again = await shop.propose(tarot("Draw."))
    with pytest.raises(SkillBusyError, match="exactly so already"):
        await shop.accept(again)
    assert ((await shop.detail(again)).status, len(await shop.history())) == (ProposalStatus.REVIEW, 1)


async def test_a_rejection_has_a_reason_and_is_final(shop: Shop) -> None:
    """SKILL-9"""
    proposed = await shop.propose()
    shown = (await shop.detail(proposed)).shown or ""
    async with shop.review() as service:
        rejected = await service.reject(proposed.id, "not kind")
    assert (rejected.status, rejected.reason, rejected.decided_by) == (ProposalStatus.REJECTED, "not kind", "cli")
    with pytest.raises(ProposalStateError, match="'rejected'"):
        await shop.publishing().accept(proposed.id, Acceptance(shown=shown))
    async with shop.review() as service:
        with pytest.raises(ProposalStateError):
            await service.reject(proposed.id, "again")
    async with shop.proposals() as service:
        with pytest.raises(ProposalStateError, match="stays as it is"):
            await service.revise(proposed.id, tarot("kind"), "")
        with pytest.raises(ProposalStateError):
            await service.delete(proposed.id)
    assert (await shop.body(), await shop.history()) == (None, [])


async def test_every_version_is_kept_and_any_is_live_again(shop: Shop) -> None:
    """SKILL-9: also that there was none, and what somebody put there by hand."""
    await shop.publish("one")
    await shop.publish("two")
    assert ((await shop.rollback(1)).number, await shop.body()) == (3, "one")
    (shop.folder / "tarot" / "SKILL.md").write_bytes(tarot("by hand").files["SKILL.md"])
    await shop.publish("three")
    assert ((await shop.rollback(4)).number, await shop.body()) == (6, "by hand")
    gone = await shop.rollback(0)
    assert (gone.digest, await shop.body(), (shop.folder / "tarot").exists()) == (None, None, False)
    assert ((await shop.rollback(2)).number, await shop.body()) == (8, "two")
    assert await shop.history() == [
        (8, "rollback", 2),
        (7, "rollback", 0),
        (6, "rollback", 4),
        (5, "proposal", None),
        (4, "found", None),
        (3, "rollback", 1),
        (2, "proposal", None),
        (1, "proposal", None),
    ]
    with pytest.raises(SkillBusyError, match="exactly so already"):
        await shop.rollback(2)
    with pytest.raises(VersionUnknownError, match="no version 9"):
        await shop.rollback(9)


async def test_a_folder_that_history_cannot_keep_stays(shop: Shop) -> None:
    """SKILL-9: rather than to lose what an operator keeps there, nothing is decided."""
    await shop.publish("one")
    (shop.folder / "tarot" / "link").symlink_to(shop.folder)
    proposed = await shop.propose(tarot("two"))
    with pytest.raises(SkillBusyError, match="'link'"):
        await shop.accept(proposed)
    assert ((await shop.detail(proposed)).status, await shop.body()) == (ProposalStatus.REVIEW, "one")


async def test_a_process_that_dies_before_the_folder_is_done_leaves_nothing_half(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STATE-5: it is accepted, and the next one to come puts it in place; a full disk is told and tried again."""
    proposed = await shop.propose(tarot("one"))
    with monkeypatch.context() as patch:
        patch.setattr(versions, "replace", full)
        for _ in range(2):
            with pytest.raises(SkillsFolderError):
                await shop.accept(proposed)
            assert ((await shop.detail(proposed)).status, await shop.body()) == (ProposalStatus.ACCEPTED, None)
    second = await shop.propose(tarot("two"))
    with pytest.raises(ProposalChangedError):  # it was compared with nothing, and now there is the first
        await shop.accept(second)
    assert await shop.body() == "one"
    assert (await shop.accept(second)).version == 2
    assert ((await shop.detail(proposed)).status, await shop.body()) == (ProposalStatus.ACTIVE, "two")
    assert await shop.history() == [(2, "proposal", None), (1, "proposal", None)]

    third = await shop.propose(tarot("three"))
    with monkeypatch.context() as patch:
        patch.setattr(versions, "replace", full)
        with pytest.raises(SkillsFolderError):
            await shop.accept(third)
    assert ((await shop.accept(third)).status, await shop.body()) == (ProposalStatus.ACTIVE, "three")


async def test_what_a_dead_process_left_is_done_at_the_next_start(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """STATE-5: nobody needs to ask; a folder that still cannot be written stops no start."""
    await shop.publish("one")
    with monkeypatch.context() as patch:
        patch.setattr(versions, "replace", full)
        with pytest.raises(SkillsFolderError):
            await shop.rollback(0)
        await finish_publishing(shop.database, shop.library)
    assert await shop.body() == "one"
    await finish_publishing(shop.database, shop.library)
    assert (await shop.body(), await shop.history()) == (None, [(2, "rollback", 0), (1, "proposal", None)])
    await finish_publishing(shop.database, shop.library)
    assert len(await shop.history()) == 2


async def test_whoever_is_not_meant_to_sees_and_decides_nothing(shop: Shop, people: People) -> None:
    """SEC-1: another user, another business and its operator get the answer that there is no such proposal."""
    proposed = await shop.propose()
    shown = (await shop.detail(proposed)).shown or ""
    eve, bob = await people.user(), await people.user(shop.id, "bob")
    for stranger in (eve, bob, people.operator(of=eve)):
        with pytest.raises(ProposalUnknownError):
            await shop.detail(proposed, stranger)
        async with shop.proposals(stranger) as service:
            assert await service.recent(None, None, 10) == []
            for attempt in (service.submit, service.delete):
                with pytest.raises(ProposalUnknownError):
                    await attempt(proposed.id)
    with pytest.raises(ProposalUnknownError):
        await shop.publishing(people.operator(of=eve)).accept(proposed.id, Acceptance(shown=shown))
    async with shop.proposals(shop.operator) as service:
        assert [each.id for each in await service.recent(ProposalStatus.REVIEW, None, 10)] == [proposed.id]
        assert await service.recent(ProposalStatus.ACTIVE, None, 10) == []
        with pytest.raises(ForbiddenError, match="whoever made it"):
            await service.revise(proposed.id, tarot("mine"), "")
    assert (await shop.body(), (await shop.detail(proposed)).digest) == (None, proposed.digest)


async def test_a_user_decides_nothing_not_even_past_the_service(shop: Shop) -> None:
    """SEC-1, SKILL-9: the database itself refuses a user who would make their own proposal live."""
    proposed = await shop.propose()
    with pytest.raises(ForbiddenError):
        shop.publishing(shop.ann)
    async with shop.review(shop.ann) as service:
        for attempt in (service.reject(proposed.id, "x"), service.take(proposed.id, "x", "")):
            with pytest.raises(ForbiddenError):
                await attempt
    for sql in (
        "UPDATE skill_proposals SET status = 'active', decided_at = now()",
        "INSERT INTO skill_versions (id, business_id, name, number, origin, made_by, reason)"
        f" VALUES (gen_random_uuid(), '{shop.id}', 'tarot', 1, 'found', 'x', '')",
    ):
        with pytest.raises(DBAPIError, match="row-level security"):
            async with shop.database.transaction(shop.ann) as tx:
                await tx.connection.execute(text(sql))
    async with shop.database.transaction(shop.ann) as tx:
        assert await VersionService(tx, shop.library.roots).history(shop.target, None, 9) == []


async def test_what_is_for_everybody_is_for_operators_of_the_installation(shop: Shop, people: People) -> None:
    """INFRA-5: an operator of one business changes nothing for another."""
    everybodys = people.operator()
    name = f"s{new_id().hex}"  # what is for everybody is so for the other tests of this database too
    with pytest.raises(ForbiddenError):
        await shop.propose(scope=Scope.INSTALLATION)
    with pytest.raises(ForbiddenError, match="act for no business"):
        await shop.propose(actor=everybodys)
    with pytest.raises(ForbiddenError):
        await shop.propose(actor=shop.operator, scope=Scope.INSTALLATION)
    proposed = await shop.propose(tarot(name=name), everybodys, scope=Scope.INSTALLATION)
    assert (proposed.business_id, proposed.user_id) == (None, None)
    with pytest.raises(ProposalUnknownError):
        await shop.detail(proposed, shop.operator)
    await shop.accept(proposed, everybodys)
    assert (await shop.library.look(shop.id, now=True)).get(name).level == "operator"
    with pytest.raises(ForbiddenError):
        Target.meant_by(shop.operator, "tarot", None, installation=True)
    with pytest.raises(ForbiddenError):
        Target.meant_by(shop.operator, "tarot", people.operator(of=await people.user()).business_id, installation=False)
    assert Target.meant_by(shop.operator, "tarot", None, installation=False) == shop.target
    assert Target.meant_by(everybodys, "tarot", None, installation=False) == Target(None, "tarot")
    assert Target.meant_by(everybodys, "tarot", shop.id, installation=False) == shop.target


async def test_only_so_many_wait_for_a_decision(shop: Shop) -> None:
    """SEC-4: what a user may leave lying about has an end; what is deleted makes room."""
    made = [await shop.propose(tarot(str(number)), draft=number % 2 == 0) for number in range(MOST_OPEN)]
    with pytest.raises(TooManyProposalsError):
        await shop.propose()
    async with shop.proposals() as service:
        await service.delete(made[0].id)
        page = await service.recent(None, None, 5)
        rest = await service.recent(None, page[-1].id, 100)
    assert [each.id for each in page + rest] == [each.id for each in made[:0:-1]]
    await shop.propose()


async def test_a_row_that_was_written_past_weft_is_not_accepted(shop: Shop) -> None:
    """SKILL-9: what is stored must be what was proposed."""
    proposed = await shop.propose()
    shown = (await shop.detail(proposed)).shown or ""
    other = await shop.propose(tarot("Steal."))
    async with shop.database.transaction(shop.operator, Reach.BUSINESS) as tx:
        steal = "UPDATE skill_proposals SET content = (SELECT content FROM skill_proposals WHERE id = :o) WHERE id = :p"
        await tx.connection.execute(text(steal), {"o": other.id, "p": proposed.id})
    with pytest.raises(ProposalChangedError):
        await shop.publishing().accept(proposed.id, Acceptance(shown=shown))
    assert await shop.body() is None


@pytest.mark.parametrize("name", ["proposals", "validate"])
async def test_addresses_of_the_api_are_no_names(shop: Shop, name: str) -> None:
    """House: a skill that could never be shown is refused."""
    package = package_of({"SKILL.md": f"---\nname: {name}\ndescription: x\n---\nDo.".encode()})
    with pytest.raises(CallerError, match="address"):
        await shop.propose(package)
