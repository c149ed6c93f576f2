"""A user's files over HTTP."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from tests.clients import KEYS_URL, Keys, application, bearer, client_of
from weft.kit.actor import Right
from weft.kit.db import Database
from weft.settings import Auth

FILES = "/api/workspace/files"


@pytest.fixture
async def keys(database: Database, tmp_path: Path) -> Keys:
    """An application whose workspaces are this test's."""
    return Keys(await application(database, auth=Auth.KEYS, home=tmp_path), database)


@pytest.fixture
async def ann(keys: Keys) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(keys.app, KEYS_URL, headers=bearer(await keys.key(), "ann")) as client:
        yield client


async def test_a_file_is_written_listed_read_and_deleted(ann: httpx.AsyncClient) -> None:
    """WORK-1: whatever it is called and holds."""
    written = await ann.put(
        f"{FILES}/笔记/计划.json", content=b'{"a": 1}', headers={"Content-Type": "application/json"}
    )
    assert written.json() == {"path": "笔记/计划.json", "size": 8, "replaced": False}
    assert (await ann.put(f"{FILES}/笔记/计划.json", content=b"\0\xff")).json()["replaced"] is True
    (listed,) = (await ann.get(FILES)).json()["items"]
    assert (listed["path"], listed["is_folder"]) == ("笔记", True)
    (listed,) = (await ann.get(FILES, params={"folder": "笔记/"})).json()["items"]
    assert (listed["path"], listed["size"], listed["is_folder"]) == ("笔记/计划.json", 2, False)
    assert listed["modified_at"].endswith("Z")
    read = await ann.get(f"{FILES}/笔记/计划.json")
    assert read.content == b"\0\xff"
    assert (await ann.delete(f"{FILES}/笔记/计划.json")).status_code == 204
    gone = await ann.get(f"{FILES}/笔记/计划.json")
    assert (gone.status_code, gone.json()["code"]) == (404, "workspace_file_unknown")


async def test_a_file_is_never_opened_on_our_origin(ann: httpx.AsyncClient) -> None:
    """SEC-2: what a model or somebody else wrote must not run where the console's cookie is."""
    await ann.put(f"{FILES}/x.html", content=b"<script>alert(1)</script>")
    read = await ann.get(f"{FILES}/x.html")
    assert read.headers["content-type"] == "application/octet-stream"
    assert read.headers["content-disposition"].startswith("attachment;")
    assert read.headers["x-content-type-options"] == "nosniff"


async def test_a_folder_comes_in_pages(ann: httpx.AsyncClient) -> None:
    """DESIGN 7: by cursor; each entry once, folders first."""
    for path in ("b", "a", "d/x", "c"):
        await ann.put(f"{FILES}/{path}", content=b"")
    seen, cursor = [], None
    while True:
        page = (await ann.get(FILES, params={"limit": 2} | ({"cursor": cursor} if cursor else {}))).json()
        seen += [each["path"] for each in page["items"]]
        if (cursor := page.get("next_cursor")) is None:
            break
    assert seen == ["d", "a", "b", "c"]


async def test_what_is_sent_along_becomes_an_attachment(ann: httpx.AsyncClient) -> None:
    """WORK-4: under a name of its own, ready for a turn."""
    plain = await ann.post(FILES, params={"name": "a.md"}, content=b"a", headers={"Content-Type": "text/markdown; x=1"})
    assert plain.json()["media_type"] == "text/markdown"
    odd = await ann.post(FILES, params={"name": "a"}, content=b"", headers={"Content-Type": "<script>"})
    assert odd.json()["media_type"] == "application/octet-stream"
    kept = await ann.post(FILES, params={"name": "猫 1.png"}, content=b"\x89PNG\r\n\x1a\n")
    assert kept.status_code == 201
    assert (kept.json()["name"], kept.json()["media_type"]) == ("猫 1.png", "image/png")
    assert (await ann.get(f"{FILES}/{kept.json()['path']}")).content == b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize(
    "path", ["%2e%2e/x", "a%2f..%2f..%2fx", "%2Fetc%2Fpasswd", "a%00b", "a%5c..%5cb", "skills/x/SKILL.md"]
)
async def test_a_path_that_leads_elsewhere_is_refused(ann: httpx.AsyncClient, path: str) -> None:
    """TOOL-5, SKILL-9"""
    for answer in (await ann.put(f"{FILES}/{path}", content=b"x"), await ann.delete(f"{FILES}/{path}")):
        assert (answer.status_code, answer.json()["code"]) == (422, "workspace_path_refused")
    assert (await ann.get(FILES)).json()["items"] == []


async def test_nobody_reaches_the_files_of_another(keys: Keys, ann: httpx.AsyncClient) -> None:
    """SEC-1, SEC-2: another user, the same id in another business, a key without the right, nobody at all."""
    await ann.put(f"{FILES}/secret.md", content=b"mine")
    business = await keys.business()
    key = await keys.key(business)
    for headers in (
        bearer(key, "ann"),
        bearer(key, "bob"),
        {"Authorization": ann.headers["authorization"], "X-Weft-User": "bob"},
    ):
        async with client_of(keys.app, KEYS_URL, headers=headers) as other:
            assert (await other.get(FILES)).json()["items"] == []
            assert (await other.get(f"{FILES}/secret.md")).status_code == 404
    weak = await keys.key(business, rights={Right.PROFILE})
    async with client_of(keys.app, KEYS_URL, headers=bearer(weak, "ann")) as other:
        assert (await other.get(FILES)).status_code == 403
    async with client_of(keys.app, KEYS_URL) as nobody:
        assert (await nobody.put(f"{FILES}/x", content=b"")).status_code == 401


async def test_a_body_past_the_limit_changes_nothing(ann: httpx.AsyncClient) -> None:
    """SEC-4"""
    answer = await ann.put(f"{FILES}/big", content=b"x" * 1_048_577)
    assert answer.status_code == 413
    assert (await ann.get(FILES)).json()["items"] == []
