"""From what a request shows to somebody who acts: on a local installation the one person there, else by key."""

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from weft.accounts import secrets
from weft.accounts.errors import KeyRefusedError, UserNameInvalidError
from weft.accounts.repository import AccountRepository
from weft.accounts.roles import ALL_RIGHTS, RIGHTS, Role
from weft.accounts.schemas import SignedIn
from weft.http.calling import Credentials
from weft.kit import clock
from weft.kit.actor import Actor, Reach, Right
from weft.kit.db import Database
from weft.kit.errors import TooManyError
from weft.kit.text import replace_unstorable

LOCAL = "local"  # the business, and its one user, of a local installation
SESSION_HOURS = 8
_USER = re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]{1,255}")


def cli_actor(business_id: UUID | None = None, user_id: UUID | None = None) -> Actor:
    """Whoever has a shell on the machine and the database's address: an operator of the installation."""
    return Actor("cli", ALL_RIGHTS, business_id, user_id, Reach.INSTALLATION)


def check_external_id(external_id: str) -> str:
    """The id, if a business may give it to a user."""
    if _USER.fullmatch(external_id) and external_id == external_id.strip():
        return external_id
    shown = replace_unstorable(external_id[:60])
    raise UserNameInvalidError(
        f"{shown!r} cannot be a user's id; it has 1 to 255 characters, none of them a control character, "
        f"and no space at either end",
        field="X-Weft-User",
    )


@dataclass(frozen=True, slots=True)
class LocalAuthentication:
    """One person, who needs no key: user and operator at once."""

    actor: Actor

    @classmethod
    async def prepare(cls, database: Database) -> "LocalAuthentication":
        """Make the local business and its user on the first start."""
        async with database.transaction(cli_actor(), Reach.INSTALLATION) as tx:
            accounts = AccountRepository(tx.connection)
            await accounts.add_business(LOCAL, "Local")
            business_id = (await accounts.business(slug=LOCAL)).id
        async with database.system() as tx:
            user_id = await AccountRepository(tx.connection).user_at_first_sight(business_id, LOCAL)
        return cls(Actor("local", ALL_RIGHTS, business_id, user_id, Reach.INSTALLATION))

    async def authenticate(self, credentials: Credentials) -> Actor:
        """The one person there is, whatever they show."""
        return self.actor


@dataclass(frozen=True, slots=True)
class KeyAuthentication:
    """Business keys act for the business's users; operators come with a key or a console session."""

    database: Database

    async def authenticate(self, credentials: Credentials) -> Actor:
        """Who shows a key that lives, or a refusal that tells nothing about keys that do not."""
        if credentials.bearer is not None:
            if credentials.bearer.startswith(secrets.OPERATOR + "_"):
                return await self._operator(key=credentials.bearer)
            return await self._business(credentials.bearer, credentials.user)
        if credentials.cookie is not None:
            return await self._operator(cookie=credentials.cookie)
        raise KeyRefusedError("show a key: 'Authorization: Bearer weft_bk_…' and the user's id in 'X-Weft-User'")

    async def _business(self, token: str, user: str | None) -> Actor:
        if user is not None:
            check_external_id(user)  # out here: an error inside would give the key its call back
        async with self.database.system() as tx:
            accounts = AccountRepository(tx.connection)
            key = await accounts.live_key(secrets.digest_of(token))
            if key is None:
                raise KeyRefusedError("this key is not known, or no longer; `weft keys list` shows those that are")
            if key.rate_per_minute is not None:
                wait = await accounts.take_call(key.id, key.rate_per_minute)
                if wait:
                    message = f"this key may call {key.rate_per_minute} times a minute; wait {wait:.1f} seconds"
                    raise TooManyError(message, retry_after=wait)
            user_id = None
            if user is not None:
                user_id = await accounts.user_at_first_sight(key.business_id, user)
        rights = frozenset(Right(right) for right in key.rights)
        return Actor(f"key:{key.prefix}", rights, key.business_id, user_id)

    async def _operator(self, *, key: str | None = None, cookie: str | None = None) -> Actor:
        async with self.database.system() as tx:
            accounts = AccountRepository(tx.connection)
            if key is not None:
                found = await accounts.live_operator(secrets.digest_of(key))
            else:
                found = await accounts.signed_in_operator(secrets.digest_of(cookie or ""))
        if found is None:
            raise KeyRefusedError("this operator key or console session is not known, or no longer; sign in again")
        return _operator_actor(found)

    async def sign_in(self, key: str) -> tuple[str, SignedIn]:
        """Open a console session for the operator whose key this is: the cookie's value, and who they are."""
        cookie = secrets.make_secret(secrets.COOKIE)
        expires_at = clock.now() + timedelta(hours=SESSION_HOURS)
        async with self.database.system() as tx:
            accounts = AccountRepository(tx.connection)
            found = await accounts.live_operator(secrets.digest_of(key))
            if found is None:
                raise KeyRefusedError("no operator has this key; `weft keys operators create` makes one")
            await accounts.sign_in(found.id, cookie.digest, expires_at)
        return cookie.token, SignedIn(name=found.name, role=Role(found.role), expires_at=expires_at)

    async def sign_out(self, cookie: str) -> None:
        """End a console session."""
        async with self.database.system() as tx:
            await AccountRepository(tx.connection).sign_out(secrets.digest_of(cookie))


def _operator_actor(row: Any) -> Actor:
    reach = Reach.INSTALLATION if row.business_id is None else Reach.BUSINESS
    return Actor(f"operator:{row.id}", RIGHTS[Role(row.role)], row.business_id, None, reach)
