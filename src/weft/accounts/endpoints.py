"""`/api/businesses`, `/api/keys`, `/api/operators`, and the console's sign-in."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response

from weft.accounts.authentication import SESSION_HOURS, KeyAuthentication
from weft.accounts.schemas import (
    BusinessView,
    BusinessWish,
    KeyView,
    KeyWish,
    MadeSecret,
    OperatorView,
    OperatorWish,
    SignedIn,
    SignIn,
)
from weft.accounts.service import AccountService
from weft.http.calling import SESSION_COOKIE, credentials_of, operator
from weft.http.pages import CursorParameter, Limit, Page, page_of, read_cursor
from weft.http.problems import documented
from weft.kit.actor import Right
from weft.kit.db import Transaction
from weft.kit.errors import ConflictError

router = APIRouter(prefix="/api", tags=["accounts"])


def _keys_service(tx: Annotated[Transaction, operator(Right.KEYS)]) -> AccountService:
    return AccountService(tx)


def _operators_service(tx: Annotated[Transaction, operator(Right.OPERATORS)]) -> AccountService:
    return AccountService(tx)


KeysService = Annotated[AccountService, Depends(_keys_service)]
OperatorsService = Annotated[AccountService, Depends(_operators_service)]


@router.get("/businesses", responses=documented(422))
async def list_businesses(
    service: KeysService, cursor: CursorParameter = None, limit: Limit = 50
) -> Page[BusinessView]:
    """The businesses within the operator's reach, by slug."""
    position = read_cursor("businesses", cursor, tuple[str])
    found = await service.businesses(position and position[0], limit + 1)
    return page_of("businesses", found, limit, lambda last: [last.slug])


@router.post("/businesses", status_code=201, responses=documented(409, 422))
async def make_business(service: KeysService, wish: BusinessWish) -> BusinessView:
    """Make a business; for operators of the installation."""
    return await service.add_business(wish)


@router.get("/keys", responses=documented(422))
async def list_keys(service: KeysService, cursor: CursorParameter = None, limit: Limit = 50) -> Page[KeyView]:
    """The business keys within the operator's reach, newest first, revoked ones included."""
    position = read_cursor("keys", cursor, tuple[UUID])
    found = await service.keys(position and position[0], limit + 1)
    return page_of("keys", found, limit, lambda last: [last.id])


@router.post("/keys", status_code=201, responses=documented(404, 422))
async def make_key(service: KeysService, wish: KeyWish) -> MadeSecret:
    """Make a business key. The answer is the only place where it is ever shown."""
    return await service.add_key(wish)


@router.delete("/keys/{key_id}", status_code=204, responses=documented(404, 422))
async def revoke_key(service: KeysService, key_id: UUID) -> None:
    """Revoke a business key; the next call with it is refused."""
    await service.revoke_key(key_id)


@router.get("/operators", responses=documented(422))
async def list_operators(
    service: OperatorsService, cursor: CursorParameter = None, limit: Limit = 50
) -> Page[OperatorView]:
    """The operators within the operator's reach, newest first, revoked ones included."""
    position = read_cursor("operators", cursor, tuple[UUID])
    found = await service.operators(position and position[0], limit + 1)
    return page_of("operators", found, limit, lambda last: [last.id])


@router.post("/operators", status_code=201, responses=documented(404, 422))
async def make_operator(service: OperatorsService, wish: OperatorWish) -> MadeSecret:
    """Make an operator. The answer is the only place where their key is ever shown."""
    return await service.add_operator(wish)


@router.delete("/operators/{operator_id}", status_code=204, responses=documented(404, 422))
async def revoke_operator(service: OperatorsService, operator_id: UUID) -> None:
    """End an operator and their console sessions."""
    await service.revoke_operator(operator_id)


def _by_keys(request: Request) -> KeyAuthentication:
    authentication = request.app.state.authenticator
    if not isinstance(authentication, KeyAuthentication):
        raise ConflictError("a local installation has no sign-in; you are its operator (WEFT_AUTH=local)")
    return authentication


ByKeys = Annotated[KeyAuthentication, Depends(_by_keys)]


@router.post("/operator/session", responses=documented(409, 422))
async def sign_in(request: Request, response: Response, authentication: ByKeys, wish: SignIn) -> SignedIn:
    """Sign in to the console with an operator key; the session is a cookie that no script can read."""
    cookie, signed_in = await authentication.sign_in(wish.key)
    response.set_cookie(
        SESSION_COOKIE,
        cookie,
        max_age=SESSION_HOURS * 3600,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
        path="/",
    )
    return signed_in


@router.delete("/operator/session", status_code=204, responses=documented(409))
async def sign_out(request: Request, response: Response, authentication: ByKeys) -> None:
    """Sign out of the console."""
    await authentication.sign_out(credentials_of(request).cookie or "")
    response.delete_cookie(SESSION_COOKIE, path="/", httponly=True, samesite="strict")
