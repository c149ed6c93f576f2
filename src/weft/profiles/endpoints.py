"""`/api/profile`: read it, change it."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request

from weft.http.calling import owner
from weft.http.problems import documented
from weft.kit.actor import Right
from weft.kit.db import Transaction
from weft.profiles.schemas import ProfilePatch, ProfileView
from weft.profiles.service import ProfileService

router = APIRouter(prefix="/api/profile", tags=["profile"])
Owned = Annotated[Transaction, owner(Right.PROFILE)]


async def _service(tx: Owned, request: Request) -> ProfileService:
    return ProfileService(tx, await request.app.state.weft.profile_rules(tx.actor))


Service = Annotated[ProfileService, Depends(_service)]


@router.get("", responses=documented(422))
async def read_profile(tx: Owned) -> ProfileView:
    """The calling user's profile."""
    return await ProfileService(tx).read(tx.actor.owner_id)


@router.patch("", responses=documented(422))
async def change_profile(tx: Owned, service: Service, patch: ProfilePatch) -> ProfileView:
    """Change parts of the calling user's profile."""
    return await service.change(tx.actor.owner_id, patch.model_dump(exclude_unset=True))
