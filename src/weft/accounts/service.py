"""What can be done with businesses, keys and operators."""

from collections.abc import Sequence
from uuid import UUID

from weft.accounts import secrets
from weft.accounts.authentication import check_external_id
from weft.accounts.errors import (
    BusinessTakenError,
    BusinessUnknownError,
    KeyUnknownError,
    OperatorUnknownError,
    UserUnknownError,
)
from weft.accounts.models import BusinessKeyRow, OperatorRow
from weft.accounts.repository import AccountRepository
from weft.accounts.roles import BUSINESS_RIGHTS, RIGHTS
from weft.accounts.schemas import (
    BusinessView,
    BusinessWish,
    KeyView,
    KeyWish,
    MadeSecret,
    OperatorView,
    OperatorWish,
)
from weft.kit import clock
from weft.kit.actor import Reach
from weft.kit.db import Transaction
from weft.kit.errors import ForbiddenError, InvalidError

ALL = 10_000  # more than anybody has; whoever shows a list to a person asks for a page


class AccountService:
    """Accounts, on behalf of an operator."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self._accounts = AccountRepository(tx.connection)

    async def businesses(self, after: str | None = None, limit: int = ALL) -> list[BusinessView]:
        """The businesses within reach, by slug."""
        return [BusinessView.model_validate(dict(row)) for row in await self._accounts.businesses(after, limit)]

    async def add_business(self, wish: BusinessWish) -> BusinessView:
        """A new business; for operators of the installation."""
        if self._tx.reach is not Reach.INSTALLATION:
            raise ForbiddenError("only an operator of the whole installation makes businesses")
        if await self._accounts.add_business(wish.slug, wish.name) is None:
            raise BusinessTakenError(f"there is a business {wish.slug!r} already; choose another slug", field="slug")
        return BusinessView.model_validate((await self._accounts.business(slug=wish.slug))._asdict())

    async def keys(self, before: UUID | None = None, limit: int = ALL) -> list[KeyView]:
        """The business keys within reach, newest first."""
        return [KeyView.model_validate(dict(row)) for row in await self._accounts.keys(before, limit)]

    async def add_key(self, wish: KeyWish) -> MadeSecret:
        """A new business key."""
        if extra := wish.rights - BUSINESS_RIGHTS:
            refused, possible = ", ".join(sorted(extra)), ", ".join(sorted(BUSINESS_RIGHTS))
            raise InvalidError(f"a business key cannot hold {refused}; it may hold {possible}", field="rights")
        if wish.expires_at is not None and wish.expires_at <= clock.now():
            raise InvalidError("lies in the past; the key would never work", field="expires_at")
        business_id = await self._business(wish.business)
        if business_id is None:
            raise InvalidError("name the business that this key is for", field="business")
        secret = secrets.make_secret(secrets.BUSINESS)
        values = wish.model_dump(include={"name", "rate_per_minute", "expires_at"})
        identity = await self._accounts.add_key(business_id, secret, values | {"rights": sorted(wish.rights)})
        return MadeSecret(id=identity, key=secret.token)

    async def revoke_key(self, key_id: UUID) -> None:
        """End a business key at once."""
        if not await self._accounts.revoke(BusinessKeyRow, key_id):
            raise KeyUnknownError(f"there is no key {key_id}")

    async def operators(self, before: UUID | None = None, limit: int = ALL) -> list[OperatorView]:
        """The operators within reach, newest first."""
        return [OperatorView.model_validate(dict(row)) for row in await self._accounts.operators(before, limit)]

    async def add_operator(self, wish: OperatorWish) -> MadeSecret:
        """A new operator, of the business named or, where none is, of whatever the maker is an operator of."""
        if not RIGHTS[wish.role] <= self._tx.actor.rights:
            raise ForbiddenError(f"nobody makes an operator with more rights than their own; {wish.role} has more")
        business_id = await self._business(wish.business)
        secret = secrets.make_secret(secrets.OPERATOR)
        identity = await self._accounts.add_operator(business_id, wish.name, wish.role, secret)
        return MadeSecret(id=identity, key=secret.token)

    async def revoke_operator(self, operator_id: UUID) -> None:
        """End an operator, and with them their console sessions."""
        if not await self._accounts.revoke(OperatorRow, operator_id):
            raise OperatorUnknownError(f"there is no operator {operator_id}")

    async def find_user(self, business: str, external_id: str) -> tuple[UUID, UUID]:
        """A business's id and its user's, for operators who act on a user's rows."""
        found = await self._accounts.business(slug=business)
        if found is None:
            raise BusinessUnknownError(f"there is no business {business!r}", field="business")
        user_id = await self._accounts.user(found.id, check_external_id(external_id))
        if user_id is None:
            raise UserUnknownError(f"business {business!r} has no user {external_id!r}", field="user")
        return found.id, user_id

    async def find_business(self, slug: str) -> UUID:
        """A business's id by its slug."""
        found = await self._accounts.business(slug=slug)
        if found is None:
            raise BusinessUnknownError(f"there is no business {slug!r}", field="business")
        identity: UUID = found.id
        return identity

    async def external_ids(self, users: Sequence[UUID]) -> dict[UUID, str]:
        """The ids that businesses gave to these users."""
        return await self._accounts.external_ids(users) if users else {}

    async def _business(self, slug: str | None) -> UUID | None:
        if slug is None:
            return None if self._tx.reach is Reach.INSTALLATION else self._tx.actor.business_id
        found = await self._accounts.business(slug=slug)
        if found is None:
            raise BusinessUnknownError(f"there is no business {slug!r}", field="business")
        identity: UUID = found.id
        return identity
