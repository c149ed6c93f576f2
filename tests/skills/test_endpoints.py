"""`/api/skills` as users and operators call it."""

import base64
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.clients import KEYS_URL, LOCAL_URL, Keys, application, bearer, client_of
from tests.skills.conftest import Write
from weft.accounts.roles import Role
from weft.kit.db import Database
from weft.kit.ids import new_id
from weft.settings import Auth
from weft.skills.packages import pack


def text_of(name: str, says: str = "Draw three cards.", front: str = "") -> str:
    return f"---\nname: {name}\ndescription: Does {name}.\n{front}---\n{says}\n"


@pytest.fixture
def name() -> str:
    """A name that no other test's skill has: the tests of a process share the business of a local installation."""
    return f"s{new_id().hex}"


@pytest.fixture
async def client(database: Database, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """The one person of a local installation, user and operator at once."""
    async with client_of(await application(database, home=tmp_path), LOCAL_URL) as client:
        yield client


@pytest.fixture
async def business(database: Database, tmp_path: Path) -> Keys:
    """An installation with keys and skills of its own."""
    return Keys(await application(database, auth=Auth.KEYS, home=tmp_path), database)


async def answer(sent: Any, status: int = 200) -> Any:
    """What was answered, which must have this status."""
    response = await sent
    assert response.status_code == status, response.text
    return response.json() if response.content else None


async def propose(client: httpx.AsyncClient, name: str, says: str = "Draw three cards.", **more: Any) -> Any:
    body = {"files": {"SKILL.md": text_of(name, says)}} | more
    return await answer(client.post("/api/skills/proposals", json=body), 201)


async def accept(client: httpx.AsyncClient, proposal: Any, status: int = 200) -> Any:
    shown = (await answer(client.get(f"/api/skills/proposals/{proposal['id']}")))["shown"]
    return await answer(client.post(f"/api/skills/proposals/{proposal['id']}/accept", json={"shown": shown}), status)


async def test_a_proposal_becomes_live_and_is_rolled_back(client: httpx.AsyncClient, name: str) -> None:
    """SKILL-9: nothing is live before an operator accepts it; every version is kept, and can be live again."""
    proposed = await propose(client, name, note="first")
    assert (proposed["status"], proposed["files"], proposed["note"]) == ("review", 1, "first")
    assert (await client.get(f"/api/skills/{name}")).status_code == 404
    seen = await answer(client.get(f"/api/skills/proposals/{proposed['id']}"))
    assert (seen["changes"][0]["change"], "+Draw three cards." in seen["changes"][0]["diff"]) == ("added", True)

    done = await accept(client, proposed)
    assert (done["status"], done["version"]) == ("active", 1)
    assert (await answer(client.get(f"/api/skills/{name}")))["body"] == "Draw three cards."

    second = await propose(client, name, "Draw five cards.")
    shown = await answer(client.get(f"/api/skills/proposals/{second['id']}"))
    assert (shown["against"], shown["changes"][0]["change"]) == ("business", "changed")
    assert "-Draw three cards.\n+Draw five cards." in shown["changes"][0]["diff"]
    await accept(client, second)
    assert (await answer(client.get(f"/api/skills/{name}")))["body"] == "Draw five cards."

    back = await answer(client.post(f"/api/skills/{name}/rollback", json={"to": 1, "reason": "too many"}))
    assert (back["number"], back["origin"], back["restores"], back["activated_at"] is None) == (3, "rollback", 1, False)
    assert (await answer(client.get(f"/api/skills/{name}")))["body"] == "Draw three cards."
    history = (await answer(client.get(f"/api/skills/{name}/history")))["items"]
    assert [(each["number"], each["origin"]) for each in history] == [(3, "rollback"), (2, "proposal"), (1, "proposal")]
    assert history[0]["digest"] == history[2]["digest"] != history[1]["digest"]

    await answer(client.post(f"/api/skills/{name}/rollback", json={"to": 0}))
    assert (await client.get(f"/api/skills/{name}")).status_code == 404
