"""SEC-5: what somebody may do is looked up again when what they asked for is carried out."""

import asyncio

from tests.clients import Keys
from tests.people import OPERATOR
from weft.accounts.authentication import KeyAuthentication
from weft.accounts.service import AccountService
from weft.accounts.standing import Standing
from weft.http.calling import Credentials
from weft.kit.actor import Reach, Right


async def test_a_revoked_key_has_no_rights_any_more(keys: Keys) -> None:
    """SEC-5: within a moment; whoever is known in person needs no key."""
    key = await keys.key()
    actor = await KeyAuthentication(keys.database).authenticate(Credentials(bearer=key, user="ann"))
    standing = Standing(keys.database)
    assert Right.CHAT in (await standing.rights(actor.via) or ())
    async with keys.database.transaction(OPERATOR, Reach.INSTALLATION) as tx:
        service = AccountService(tx)
        (made,) = [each for each in await service.keys() if f"key:{each.prefix}" == actor.via]
        await service.revoke_key(made.id)
    await asyncio.sleep(1.1)
    assert await standing.rights(actor.via) == frozenset()
    assert await standing.rights("local") is None


async def test_an_unknown_key_has_none(keys: Keys) -> None:
    """SEC-5: what is not there gives no right."""
    assert await Standing(keys.database).rights("key:weft_bk_none") == frozenset()
