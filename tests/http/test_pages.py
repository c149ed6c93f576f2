"""Cursors: opaque, of one list, and never the cause of a crash."""

import base64
import zlib
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import httpx
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.http.pages import page_of, read_cursor, write_cursor
from weft.kit.errors import InvalidError
from weft.kit.ids import new_id

POSITION = (datetime(2026, 1, 2, tzinfo=UTC), new_id())
SHAPE = tuple[datetime, UUID]


def forged(value: Any) -> str:
    """A cursor with a checksum that fits, as anybody could make it."""
    body = orjson.dumps(value)
    return base64.urlsafe_b64encode(zlib.crc32(body).to_bytes(4) + body).decode().rstrip("=")


def test_a_position_comes_back_as_it_was() -> None:
    assert read_cursor("sessions", write_cursor("sessions", POSITION), SHAPE) == POSITION


def test_without_a_cursor_there_is_no_position() -> None:
    assert read_cursor("sessions", None, SHAPE) is None


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "garbage",
        "小雨",
        "\x00",
        "=" * 8,
        write_cursor("sessions", POSITION)[:-4],
        "A" + write_cursor("sessions", POSITION)[1:],
        write_cursor("messages", POSITION),
        forged(["sessions"]),
        forged(["sessions", "yesterday", "somewhere"]),
        forged(["sessions", *POSITION, 1]),
        forged({"sessions": 1}),
        forged([["sessions"], *POSITION]),
        forged(7),
        forged([]),
    ],
)
def test_what_is_no_cursor_of_this_list_is_refused(cursor: str) -> None:
    """DESIGN 7: lists page by cursor; a foreign, cut, changed or made-up one is the caller's error."""
    with pytest.raises(InvalidError, match="is not a cursor of this list") as refused:
        read_cursor("sessions", cursor, SHAPE)
    assert refused.value.field == "cursor"


@given(st.text(max_size=60) | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(repr))
def test_no_text_whatever_breaks_the_reading(cursor: str) -> None:
    with pytest.raises(InvalidError):
        read_cursor("sessions", cursor, SHAPE)


def test_the_one_item_too_many_makes_the_next_page() -> None:
    page = page_of("numbers", [1, 2, 3], 2, lambda last: [last])
    assert page.items == [1, 2]
    assert read_cursor("numbers", page.next_cursor, tuple[int]) == (2,)
    assert page_of("numbers", [1, 2], 2, lambda last: [last]).next_cursor is None


@pytest.mark.parametrize("path", ["/api/sessions", "/api/keys", "/api/operators", "/api/businesses"])
@pytest.mark.parametrize("cursor", ["garbage", write_cursor("elsewhere", POSITION), "x" * 513])
async def test_lists_refuse_foreign_cursors(local: httpx.AsyncClient, path: str, cursor: str) -> None:
    """DESIGN 7: lists page by cursor."""
    answer = await local.get(path, params={"cursor": cursor})
    assert (answer.status_code, answer.json()["field"]) == (422, "cursor")


@pytest.mark.parametrize("limit", ["0", "101", "-1", "many"])
async def test_a_page_has_its_limits(local: httpx.AsyncClient, limit: str) -> None:
    """SEC-4: every input has a limit."""
    answer = await local.get("/api/sessions", params={"limit": limit})
    assert (answer.status_code, answer.json()["field"]) == (422, "limit")


async def test_pages_together_are_the_list(local: httpx.AsyncClient) -> None:
    """DESIGN 7: lists page by cursor, each item once."""
    made = {(await local.post("/api/sessions")).json()["id"] for _ in range(5)}
    seen: list[str] = []
    cursor: str | None = None
    while len(seen) < 5 or cursor:
        page = (await local.get("/api/sessions", params={"limit": 2} | ({"cursor": cursor} if cursor else {}))).json()
        seen += [session["id"] for session in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert set(seen) >= made
    assert len(seen) == len(set(seen))
