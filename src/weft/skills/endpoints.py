"""`/api/skills`: the catalogue, proposals and their review, what was live before and live again."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from weft.http.calling import operating, operator, overseer, reader, visitor
from weft.http.pages import CursorParameter, Limit, Page, page_of, read_cursor
from weft.http.problems import documented
from weft.kit.actor import Actor, Right
from weft.kit.db import Transaction
from weft.skills.library import SkillLibrary
from weft.skills.proposals import ProposalService
from weft.skills.publishing import Publishing
from weft.skills.reviewing import ReviewService
from weft.skills.schemas import (
    Acceptance,
    Checked,
    ProposalDetail,
    ProposalRevision,
    ProposalStatus,
    ProposalView,
    ProposalWish,
    Rejection,
    Rollback,
    SkillDetail,
    SkillName,
    SkillUpload,
    SkillView,
    VersionView,
)
from weft.skills.service import SkillService, check, package_in
from weft.skills.versions import Target, VersionService

router = APIRouter(prefix="/api/skills", tags=["skills"])
Visitor = Annotated[Actor, visitor(Right.CHAT, operators=Right.SKILLS)]
Operator = Annotated[Actor, operating(Right.SKILLS)]
Made = Annotated[Transaction, reader(Right.CHAT, operators=Right.SKILLS)]
Seen = Annotated[Transaction, overseer(Right.CHAT, operators=Right.SKILLS)]
Reviewed = Annotated[Transaction, operator(Right.SKILLS)]
_FILE = {"content": {"application/octet-stream": {}, "text/plain": {}}, "description": "the file"}


def _library(request: Request) -> SkillLibrary:
    library: SkillLibrary = request.app.state.weft.skills
    return library


Library = Annotated[SkillLibrary, Depends(_library)]


def _target(
    actor: Operator,
    name: SkillName,
    business_id: Annotated[UUID | None, Query(description="another business than one's own")] = None,
    *,
    installation: Annotated[bool, Query(description="what is live for everybody, instead")] = False,
) -> Target:
    return Target.meant_by(actor, name, business_id, installation=installation)


Place = Annotated[Target, Depends(_target)]


def _file(content: bytes) -> Response:
    """A file that somebody wrote, as nothing that a browser would run."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        kind = "application/octet-stream"
    else:
        kind = "text/plain; charset=utf-8"
    headers = {"X-Content-Type-Options": "nosniff", "Content-Disposition": "attachment"}
    return Response(content, media_type=kind, headers=headers)


@router.get("", responses=documented(422))
async def list_skills(
    actor: Visitor, library: Library, cursor: CursorParameter = None, limit: Limit = 50
) -> Page[SkillView]:
    """The skills as the caller has them, by name; those that are broken or hidden too, of whoever looks after them."""
    after = read_cursor("skills", cursor, tuple[str, str, str])
    views = await SkillService(library, actor).views()
    rest = [view for view in views if after is None or (view.name, view.level, view.state) > after]
    return page_of("skills", rest[: limit + 1], limit, lambda last: [last.name, last.level, last.state])


@router.post("/validate", responses=documented(422))
async def validate_skill(actor: Visitor, upload: SkillUpload) -> Checked:
    """Check a skill strictly; nothing of it is kept."""
    return await check(upload)


@router.get("/proposals", responses=documented(422))
async def list_proposals(
    tx: Seen,
    cursor: CursorParameter = None,
    limit: Limit = 20,
    status: Annotated[ProposalStatus | None, Query(description="only these")] = None,
) -> Page[ProposalView]:
    """Proposals, the newest first: a user's own, or those within an operator's reach."""
    listing = f"skills:proposals:{status or 'all'}"
    position = read_cursor(listing, cursor, tuple[UUID])
    found = await ProposalService(tx).recent(status, position and position[0], limit + 1)
    return page_of(listing, found, limit, lambda last: [last.id])


@router.post("/proposals", status_code=201, responses=documented(409, 422))
async def propose_skill(tx: Made, wish: ProposalWish) -> ProposalView:
    """Propose a new or changed skill. Nothing is live before an operator has accepted it."""
    package = await package_in(wish)
    return await ProposalService(tx).propose(package, wish.note, scope=wish.scope, draft=wish.draft)


@router.get("/proposals/{proposal_id}", responses=documented(404, 409, 422))
async def read_proposal(tx: Seen, library: Library, proposal_id: UUID) -> ProposalDetail:
    """A proposal with what it would change and what a strict check says."""
    return await ReviewService(tx, library).detail(proposal_id)


@router.put("/proposals/{proposal_id}", responses=documented(404, 409, 422))
async def revise_proposal(tx: Made, proposal_id: UUID, wish: ProposalRevision) -> ProposalView:
    """Put other files in the place of those of one's own proposal, as long as nobody has decided."""
    return await ProposalService(tx).revise(proposal_id, await package_in(wish), wish.note)


@router.delete("/proposals/{proposal_id}", status_code=204, responses=documented(404, 409, 422))
async def delete_proposal(tx: Made, proposal_id: UUID) -> None:
    """Take one's own proposal back, as long as nobody has decided."""
    await ProposalService(tx).delete(proposal_id)


@router.get(
    "/proposals/{proposal_id}/files/{path:path}",
    responses=documented(404, 409, 422) | {200: _FILE},
    response_class=Response,
)
async def read_proposed_file(tx: Seen, library: Library, proposal_id: UUID, path: str) -> Response:
    """One file of a proposal."""
    return _file(await ReviewService(tx, library).file(proposal_id, path))


@router.post("/proposals/{proposal_id}/submit", responses=documented(404, 409, 422))
async def submit_proposal(tx: Made, proposal_id: UUID) -> ProposalView:
    """Hand a draft over for review."""
    return await ProposalService(tx).submit(proposal_id)


@router.post("/proposals/{proposal_id}/accept", responses=documented(404, 409, 422))
async def accept_proposal(
    request: Request, actor: Operator, library: Library, proposal_id: UUID, acceptance: Acceptance
) -> ProposalDetail:
    """Accept exactly what was shown, and make it live."""
    return await Publishing(request.app.state.database, library, actor).accept(proposal_id, acceptance)


@router.post("/proposals/{proposal_id}/reject", responses=documented(404, 409, 422))
async def reject_proposal(tx: Reviewed, library: Library, proposal_id: UUID, rejection: Rejection) -> ProposalView:
    """Reject a proposal, and say why."""
    return await ReviewService(tx, library).reject(proposal_id, rejection.reason)


@router.get("/{name}", responses=documented(404, 422))
async def read_skill(actor: Visitor, library: Library, name: SkillName) -> SkillDetail:
    """One skill: its instructions, what it says of itself, its files, and what a strict check says."""
    return await SkillService(library, actor).detail(name)


@router.get(
    "/{name}/resources/{path:path}",
    responses=documented(404, 422) | {200: _FILE},
    response_class=Response,
)
async def read_resource(actor: Visitor, library: Library, name: SkillName, path: str) -> Response:
    """One file of a skill."""
    return _file(await SkillService(library, actor).resource(name, path))


@router.get("/{name}/history", responses=documented(422))
async def skill_history(
    tx: Reviewed, library: Library, target: Place, cursor: CursorParameter = None, limit: Limit = 20
) -> Page[VersionView]:
    """The versions of a skill that were ever live, the newest first."""
    listing = f"skills:history:{target.business_id}:{target.name}"
    position = read_cursor(listing, cursor, tuple[int])
    found = await VersionService(tx, library.roots).history(target, position and position[0], limit + 1)
    return page_of(listing, found, limit, lambda last: [last.number])


@router.post("/{name}/rollback", responses=documented(404, 409, 422))
async def roll_back(request: Request, actor: Operator, library: Library, target: Place, wish: Rollback) -> VersionView:
    """Make an earlier version of a skill live again, or take the skill away."""
    return await Publishing(request.app.state.database, library, actor).rollback(target, wish)
