"""Who is calling, and one transaction on their behalf: the dependencies that endpoints declare."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Protocol

from fastapi import Depends, Request
from fastapi.security import APIKeyCookie, APIKeyHeader, HTTPBearer

from weft.kit.actor import Actor, Reach, Right
from weft.kit.db import Database, Transaction
from weft.kit.errors import ForbiddenError, InvalidError

SESSION_COOKIE = "weft_operator"
BUSINESS_KEY, USER, OPERATOR_KEY, CONSOLE = "businessKey", "user", "operatorKey", "console"
_business_key = HTTPBearer(auto_error=False, scheme_name=BUSINESS_KEY, description="a business's key")
_user = APIKeyHeader(
    name="X-Weft-User", auto_error=False, scheme_name=USER, description="the business's id of the user"
)
_operator_key = HTTPBearer(auto_error=False, scheme_name=OPERATOR_KEY, description="an operator's key")
_console = APIKeyCookie(name=SESSION_COOKIE, auto_error=False, scheme_name=CONSOLE, description="a console session")


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a request shows to say who is calling."""

    bearer: str | None = field(default=None, repr=False)
    user: str | None = None
    cookie: str | None = field(default=None, repr=False)


class Authenticator(Protocol):
    """Turns credentials into somebody who acts, or refuses them."""

    async def authenticate(self, credentials: Credentials) -> Actor:
        """Who this is."""


def credentials_of(request: Request) -> Credentials:
    """What the request shows; an id in the header may be any UTF-8 text."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    user = request.headers.get("x-weft-user")
    if user is not None:
        try:
            user = user.encode("latin-1").decode("utf-8")
        except UnicodeDecodeError:
            raise InvalidError("the X-Weft-User header is not UTF-8", field="X-Weft-User") from None
    return Credentials(
        bearer=token.strip() if scheme.lower() == "bearer" and token.strip() else None,
        user=user,
        cookie=request.cookies.get(SESSION_COOKIE),
    )


async def current_actor(request: Request) -> Actor:
    """Whoever sent the request."""
    authenticator: Authenticator = request.app.state.authenticator
    return await authenticator.authenticate(credentials_of(request))


CurrentActor = Annotated[Actor, Depends(current_actor)]


# What callers show is read in `credentials_of`; these three only say in /openapi.json what it is.
async def _as_user(key: Annotated[Any, Depends(_business_key)], user: Annotated[Any, Depends(_user)]) -> None:
    """Shown on behalf of a user."""


async def _as_operator(key: Annotated[Any, Depends(_operator_key)], cookie: Annotated[Any, Depends(_console)]) -> None:
    """Shown by an operator."""


async def _as_either(
    user: Annotated[None, Depends(_as_user)], operator: Annotated[None, Depends(_as_operator)]
) -> None:
    """Shown by one or the other."""


def _opener(
    right: Right, reach_of: Callable[[Actor], Reach], shown: Callable[..., Any], operators: Right | None = None
) -> Callable[..., AsyncIterator[Transaction]]:
    async def open_transaction(
        request: Request, actor: CurrentActor, _shown: Annotated[None, Depends(shown)]
    ) -> AsyncIterator[Transaction]:
        actor.require(_needed(actor, right, operators))
        database: Database = request.app.state.database
        async with database.transaction(actor, reach_of(actor)) as tx:
            yield tx

    return open_transaction


def _needed(actor: Actor, right: Right, operators: Right | None) -> Right:
    """The right that this caller must hold, where operators who are no users need another one."""
    return operators if operators is not None and actor.is_only_operator else right


def _users_reach(actor: Actor) -> Reach:
    _ = actor.owner_id  # refuses whoever acts for nobody
    return Reach.USER


def _operators_reach(actor: Actor) -> Reach:
    if actor.operator_reach is None:
        raise ForbiddenError("this is for operators; sign in with an operator key")
    return actor.operator_reach


def _readers_reach(actor: Actor) -> Reach:
    return _operators_reach(actor) if actor.is_only_operator else _users_reach(actor)


def _widest_reach(actor: Actor) -> Reach:
    return actor.operator_reach or _users_reach(actor)


def owner(right: Right) -> Any:
    """A transaction on the calling user's own rows; it commits before the answer leaves."""
    return Depends(_opener(right, _users_reach, _as_user), scope="function")


def operator(right: Right) -> Any:
    """A transaction over all that the calling operator is responsible for."""
    return Depends(_opener(right, _operators_reach, _as_operator), scope="function")


def operating(right: Right) -> Any:
    """The calling operator alone, for work that must not hold a transaction while it waits for the world."""

    async def actor_allowed(actor: CurrentActor, _shown: Annotated[None, Depends(_as_operator)]) -> Actor:
        actor.require(right)
        _operators_reach(actor)
        return actor

    return Depends(actor_allowed)


def caller(right: Right) -> Any:
    """The calling user alone, for work that opens its own transactions, or holds none while it waits."""

    async def actor_allowed(actor: CurrentActor, _shown: Annotated[None, Depends(_as_user)]) -> Actor:
        actor.require(right)
        _users_reach(actor)
        return actor

    return Depends(actor_allowed)


def reader(right: Right, operators: Right | None = None) -> Any:
    """A transaction over the caller's own rows, or, for an operator who is no user, over those within reach."""
    return Depends(_opener(right, _readers_reach, _as_either, operators), scope="function")


def overseer(right: Right, operators: Right) -> Any:
    """A transaction over all that an operator is responsible for, user or not; else over the calling user's rows."""
    return Depends(_opener(right, _widest_reach, _as_either, operators), scope="function")


def visitor(right: Right, operators: Right) -> Any:
    """Whoever calls, a user or an operator, for what stands in no table."""

    async def actor_allowed(actor: CurrentActor, _shown: Annotated[None, Depends(_as_either)]) -> Actor:
        actor.require(_needed(actor, right, operators))
        _widest_reach(actor)
        return actor

    return Depends(actor_allowed)
