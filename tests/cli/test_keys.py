"""`weft keys`: businesses, their keys and operators, from the making to the end."""

import pytest

from tests.cli.conftest import Weft
from weft.accounts.authentication import KeyAuthentication
from weft.accounts.errors import KeyRefusedError
from weft.http.calling import Credentials
from weft.kit.db import Database


async def authenticates(url: str, key: str) -> bool:
    database = Database(url)
    try:
        await KeyAuthentication(database).authenticate(Credentials(bearer=key, user="ann"))
    except KeyRefusedError:
        return False
    finally:
        await database.close()
    return True


async def test_a_business_gets_a_key_and_loses_it(weft: Weft, cli_database: str) -> None:
    """SEC-2, SURF-5: keys are made, listed without the key, and revoked."""
    assert "There is no key yet." in weft("keys", "list").out
    assert weft("keys", "businesses", "create", "acme", "--name", "小程序", "--json").json()["name"] == "小程序"
    assert "小程序" in weft("keys", "businesses", "list").out
    assert "'acme' already" in weft("keys", "businesses", "create", "acme").refused()
    made = weft("keys", "create", "--business", "acme", "--name", "web", "--right", "profile")
    key = made.out.strip()
    assert (made.code, "shown once" in made.err) == (0, True)
    assert await authenticates(cli_database, key)
    (listed,) = weft("keys", "list", "--json").json()
    assert (listed["business"], listed["rights"], listed["prefix"] in key) == ("acme", ["profile"], True)
    assert weft("keys", "revoke", listed["id"], "--json").json() == {"revoked": listed["id"]}
    assert not await authenticates(cli_database, key)
    table = weft("keys", "list").out
    assert "revoked" in table
    assert key not in table


async def test_an_operator_is_made_and_ended(weft: Weft, cli_database: str) -> None:
    """SEC-2, SURF-5: operators too."""
    key = weft("keys", "operators", "create", "小王", "--role", "owner", "--json").json()["key"]
    assert await authenticates(cli_database, key)
    (listed,) = weft("keys", "operators", "list", "--json").json()
    assert (listed["name"], listed["role"], listed["business"]) == ("小王", "owner", None)
    assert weft("keys", "operators", "revoke", listed["id"]).out == "Revoked.\n"
    assert not await authenticates(cli_database, key)
    assert "小王" in weft("keys", "operators", "list").out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["create", "--business", "nobody", "--name", "x"], "no business 'nobody'"),
        (["create", "--business", "nobody", "--name", "x", "--rate", "0"], "rate_per_minute"),
        (["create", "--business", "nobody", "--name", "x", "--expires", "tomorrow"], "expires_at"),
        (["businesses", "create", "Not A Slug"], "slug"),
        (["revoke", "0199f3c0-7e1d-7c55-9a43-0f6f1b2d3c4e"], "no key"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(weft: Weft, arguments: list[str], says: str) -> None:
    """DESIGN 4: what the caller can put right; exit code 1."""
    assert says in weft("keys", *arguments).refused()
