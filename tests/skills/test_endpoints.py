"""`/api/skills` as users and operators call it."""

import base64
import json
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


async def test_the_catalogue_says_what_is_there_and_what_is_not(
    client: httpx.AsyncClient, write: Write, tmp_path: Path
) -> None:
    """SKILL-5, SKILL-8: what is missing is named, and a broken skill is told with file and line."""
    write("skills/needy", "name: needy\ndescription: x\nrequires: {binaries: [no-such-binary]}\nalways: true")
    write("skills/broken", "name: broken")
    (tmp_path / "skills/broken/SKILL.md").write_text("---\nname: [\n---\n", encoding="utf-8")
    write("skills/tarot", "name: tarot\ndescription: Mine.")
    seen = {(each["name"], each["level"]): each for each in (await answer(client.get("/api/skills")))["items"]}
    assert (seen["needy", "operator"]["state"], seen["needy", "operator"]["missing"]) == (
        "unavailable",
        ["binary no-such-binary"],
    )
    broken = seen["broken", "operator"]
    assert (broken["state"], broken["findings"][0]["file"], broken["findings"][0]["line"]) == (
        "broken",
        "operator/broken/SKILL.md",
        3,
    )
    assert (seen["tarot", "operator"]["state"], seen["tarot", "shipped"]["state"]) == ("available", "hidden")
    bazi = seen["bazi", "shipped"]
    assert (bazi["state"], bazi["requires_birth_info"], bazi["compute_type"]) == ("available", True, "bazi")

    listed, cursor = [], None
    while cursor != "":
        page = await answer(client.get("/api/skills", params={"limit": 2} | ({"cursor": cursor} if cursor else {})))
        listed += [(each["name"], each["level"]) for each in page["items"]]
        cursor = page.get("next_cursor") or ""
    assert listed == sorted(seen)


async def test_one_skill_is_shown_whole(client: httpx.AsyncClient, write: Write) -> None:
    """SKILL-5, SKILL-8: resources are listed and read on demand; keys of other agents are kept."""
    front = (
        "name: pdf\ndescription: Reads.\nmodel: opus\nmetadata: {big: 99999999999999999999, odd: .inf, author: a}\n"
        "allowed-tools: Read Bash(git diff:*)\nrequires: {binaries: [sh]}\ncases: none.md"
    )
    place = write("skills/pdf", front, ref__forms="# Forms\n")
    (place / "page.html").write_text("<script>alert(1)</script>", encoding="utf-8")
    (place / "logo.png").write_bytes(b"\x89PNG\x00")
    shown = await answer(client.get("/api/skills/pdf"))
    assert shown["others"] == {"model": "opus"}
    assert shown["metadata"] == {"big": "99999999999999999999", "odd": "inf", "author": "a"}
    assert (shown["allowed_tools"], shown["requires"]) == (["Read", "Bash(git diff:*)"], {"binaries": ["sh"]})
    assert [each["path"] for each in shown["resources"]] == ["logo.png", "page.html", "ref/forms"]
    assert [each["file"] for each in shown["findings"] if each["severity"] == "error"] == ["operator/pdf/none.md"]

    page = await client.get("/api/skills/pdf/resources/page.html")
    assert (page.headers["content-type"], page.headers["x-content-type-options"]) == (
        "text/plain; charset=utf-8",
        "nosniff",
    )
    image = await client.get("/api/skills/pdf/resources/logo.png")
    assert (image.content, image.headers["content-type"]) == (b"\x89PNG\x00", "application/octet-stream")
    for path, status, code in (
        ("none.md", 404, "skill_resource_not_found"),
        ("..%2f..%2fskills%2fpdf%2fSKILL.md", 422, "skill_resource_refused"),
        ("%2fetc%2fpasswd", 422, "skill_resource_refused"),
    ):
        refused = await client.get(f"/api/skills/pdf/resources/{path}")
        assert (refused.status_code, refused.json()["code"]) == (status, code), path
    assert (await client.get("/api/skills/no-such-skill")).json()["code"] == "skill_not_found"


async def test_a_check_keeps_nothing(client: httpx.AsyncClient) -> None:
    """SKILL-5: findings with file and line, for files, archives, and what is no skill at all."""

    async def check(**body: Any) -> Any:
        return await answer(client.post("/api/skills/validate", json=body))

    good = await check(files={"SKILL.md": text_of("tarot")})
    assert good == {"name": "tarot", "valid": True, "findings": []}
    packed = base64.b64encode(pack({"tarot/SKILL.md": text_of("tarot").encode()})).decode()
    assert (await check(archive=packed)) == good
    odd = await check(files={"SKILL.md": text_of("tarot", front="sop: none.md\n")})
    assert (odd["valid"], odd["findings"][0]["file"]) == (False, "tarot/none.md")
    nothing = await check(files={"SKILL.md": "---\nname: [\n---\n"})
    assert (nothing["name"], nothing["valid"], nothing["findings"][0]["line"]) == (None, False, 3)
    before = await answer(client.get("/api/skills"))
    assert await answer(client.get("/api/skills")) == before


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"files": {"../x": "x", "SKILL.md": "x"}}, "skill_archive_refused"),
        ({"files": {}}, "skill_archive_refused"),
        ({"files": {"SKILL.md": "x"}}, "skill_invalid"),
        ({"files": {"SKILL.md": text_of("x", front="sop: none.md\n")}}, "skill_invalid"),
        ({"files": {"SKILL.md": text_of("proposals")}}, "skill_invalid"),
        ({"archive": base64.b64encode(b"no archive").decode()}, "skill_archive_refused"),
        ({"archive": "x"}, "invalid"),
        ({}, "invalid"),
        ({"files": {"SKILL.md": "x"}, "archive": "eA=="}, "invalid"),
        ({"files": {"SKILL.md": text_of("x")}, "note": "\ud800"}, "invalid"),
        ({"files": {"SKILL.md": text_of("x", "\u0000")}}, "skill_invalid"),
        ({"files": {"SKILL.md": text_of("x", "\ud800")}}, "skill_invalid"),
        ({"files": {"SKILL.md": text_of("x")}, "scope": "world"}, "invalid"),
    ],
)
async def test_what_is_refused_leaves_no_proposal(client: httpx.AsyncClient, body: Any, code: str) -> None:
    """SEC-4: escapes, archives that are none, skills that are none; the database stays as it was."""
    before = await answer(client.get("/api/skills/proposals"))
    content = json.dumps(body)
    headers = {"Content-Type": "application/json"}
    refused = await client.post("/api/skills/proposals", content=content, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (422, code), refused.text
    assert await answer(client.get("/api/skills/proposals")) == before


async def test_an_archive_is_proposed_and_its_files_are_read(client: httpx.AsyncClient, name: str) -> None:
    """SKILL-9: resources come with it, and a reviewer can look at each."""
    files = {"SKILL.md": text_of(name).encode(), "ref/logo.png": b"\x89PNG\x00"}
    packed = base64.b64encode(pack({f"{name}/{path}": content for path, content in files.items()})).decode()
    proposed = await answer(client.post("/api/skills/proposals", json={"archive": packed}), 201)
    address = f"/api/skills/proposals/{proposed['id']}"
    assert (proposed["name"], proposed["files"]) == (name, 2)
    shown = await answer(client.get(address))
    assert [(each["path"], each["diff"] is None) for each in shown["changes"]] == [
        ("SKILL.md", False),
        ("ref/logo.png", True),
    ]
    assert (await client.get(f"{address}/files/ref/logo.png")).content == b"\x89PNG\x00"
    assert (await client.get(f"{address}/files/none")).status_code == 404
    await accept(client, proposed)
    assert (await client.get(f"/api/skills/{name}/resources/ref/logo.png")).content == b"\x89PNG\x00"


async def test_a_draft_is_revised_submitted_and_taken_back(client: httpx.AsyncClient, name: str) -> None:
    """SKILL-9: draft, review, decided."""
    draft = await propose(client, name, draft=True)
    address = f"/api/skills/proposals/{draft['id']}"
    refused = await client.post(f"{address}/accept", json={"shown": "x"})
    assert (refused.status_code, refused.json()["code"]) == (409, "proposal_state")
    revised = await answer(client.put(address, json={"files": {"SKILL.md": text_of(name, "Better.")}, "note": "b"}))
    assert (revised["status"], revised["note"]) == ("draft", "b")
    assert (await answer(client.post(f"{address}/submit")))["status"] == "review"
    listed = await answer(client.get("/api/skills/proposals", params={"status": "review", "limit": 100}))
    assert draft["id"] in [each["id"] for each in listed["items"]]
    assert (await client.post(f"{address}/reject", json={"reason": ""})).status_code == 422
    assert (await client.post(f"{address}/accept", json={"shown": "x"})).json()["code"] == "proposal_changed"
    await answer(client.delete(address), 204)
    assert (await client.get(address)).json()["code"] == "proposal_unknown"


async def test_users_propose_and_operators_decide(business: Keys) -> None:
    """SEC-2: each with the right that it takes, within their own business."""
    shop, other = await business.business(), await business.business()
    ann = bearer(await business.key(shop), "ann")
    reviewer = bearer(await business.operator(Role.REVIEWER, shop))
    viewer = bearer(await business.operator(Role.VIEWER, shop))
    stranger = bearer(await business.operator(Role.REVIEWER, other))
    whole = bearer(await business.operator(Role.ADMIN))
    wish = {"files": {"SKILL.md": text_of("tarot", "Draw one.")}}
    async with client_of(business.app, KEYS_URL) as client:
        proposed = await answer(client.post("/api/skills/proposals", json=wish, headers=ann), 201)
        address = f"/api/skills/proposals/{proposed['id']}"
        for who, status in ((ann, 200), (reviewer, 200), (whole, 200), (viewer, 403), (stranger, 404)):
            assert (await client.get(address, headers=who)).status_code == status
        shown = (await answer(client.get(address, headers=reviewer)))["shown"]
        for who, status in ((ann, 403), (viewer, 403), (stranger, 404), ({}, 401)):
            for act in ("accept", "reject"):
                body = {"shown": shown} if act == "accept" else {"reason": "x"}
                refused = await client.post(f"{address}/{act}", json=body, headers=who)
                assert refused.status_code == status, (who, act)
        done = await answer(client.post(f"{address}/accept", json={"shown": shown}, headers=reviewer))
        assert done["decided_by"].startswith("operator:")
        everybody = (ann, reviewer, stranger, whole, bearer(await business.key(other), "ann"))
        levels = [(await answer(client.get("/api/skills/tarot", headers=who)))["level"] for who in everybody]
        assert levels == ["business", "business", "shipped", "shipped", "shipped"]
        assert (await client.get("/api/skills/tarot/history", headers=ann)).status_code == 403
        assert len((await answer(client.get("/api/skills/tarot/history", headers=reviewer)))["items"]) == 1
        assert (await answer(client.get("/api/skills/tarot/history", headers=stranger)))["items"] == []
        assert (await answer(client.get("/api/skills/tarot/history", headers=whole)))["items"] == []
        place = {"business_id": done["business_id"]}
        assert len((await answer(client.get("/api/skills/tarot/history", headers=whole, params=place)))["items"]) == 1
        refused = await client.post("/api/skills/tarot/rollback", json={"to": 0}, headers=stranger, params=place)
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
        await answer(client.post("/api/skills/tarot/rollback", json={"to": 0}, headers=whole, params=place))
        assert (await answer(client.get("/api/skills/tarot", headers=ann)))["level"] == "shipped"


async def test_findings_are_for_those_who_look_after_the_folder(business: Keys, write: Write) -> None:
    """SEC-1: a user hears what is wrong with their own skills, an operator all."""
    shop = await business.business()
    ann, reviewer = bearer(await business.key(shop), "ann"), bearer(await business.operator(Role.REVIEWER, shop))
    write("skills/broken", "name: [")
    async with client_of(business.app, KEYS_URL) as client:
        seen = [
            [each["name"] for each in (await answer(client.get("/api/skills", headers=who)))["items"]]
            for who in (ann, reviewer)
        ]
    assert ("broken" in seen[0], "broken" in seen[1]) == (False, True)


async def test_what_a_skill_keeps_is_checked_by_its_own_schema(client: httpx.AsyncClient, write: Write) -> None:
    """PRO-8: `skill_data.<skill>` by the JSON schema that the skill ships, and only for skills that there are."""
    place = write("skills/tea", "name: tea\ndescription: x\ndata_schema: schema.json")
    schema = {"type": "object", "properties": {"cups": {"type": "integer"}}, "additionalProperties": False}
    (place / "schema.json").write_text(json.dumps(schema), encoding="utf-8")

    async def keep(skill: str, data: Any) -> httpx.Response:
        return await client.patch("/api/profile", json={"skill_data": {skill: data}})

    kept = await answer(keep("tea", {"cups": 3}))
    assert kept["skill_data"]["tea"] == {"cups": 3}
    refused = await keep("tea", {"cups": "many"})
    assert (refused.status_code, refused.json()["field"]) == (422, "skill_data.tea.cups")
    assert (await keep("no-such-skill", {})).json()["code"] == "unknown_skill"
    (place / "schema.json").write_text("[]", encoding="utf-8")
    broken = await keep("tea", {"cups": 4})
    assert (broken.status_code, broken.json()["code"]) == (500, "skill_schema_broken")
    assert (await answer(client.get("/api/profile")))["skill_data"]["tea"] == {"cups": 3}
    await answer(keep("tea", None))
