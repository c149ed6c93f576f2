"""Hostile texts on the whole way that a turn takes: from the API's own services, through the database, to a vendor."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from tests.context.corpus import CORPUS
from tests.context.corpus.shape import shape_of
from tests.turns import House, calls
from weft.kit.actor import Actor
from weft.kit.text import check_storable
from weft.profiles.service import ProfileService
from weft.skills.library import Roots
from weft.workspaces.service import Workspaces, WorkspaceService

SHORT = 300  # characters: longer ones are cut here and there, which tests/context/test_corpus.py is about
EVERY = 19


def storable(text: str) -> bool:
    """Whether it gets past what validates requests: no NUL, no half of a pair."""
    try:
        check_storable(text)
    except ValueError:
        return False
    return not any(0xD800 <= ord(letter) <= 0xDFFF for letter in text)


PAYLOADS = [text for text in CORPUS if len(text) <= SHORT and text.strip() and storable(text)][::EVERY]


async def everywhere(house: House, ann: Actor, text: str) -> None:
    """The text wherever this user can write."""
    fact = {"fact": text, "source": text[:100], "confidence": 0.5}
    life = {"occupation": text[:100], "goals": [text]}
    async with house.database.transaction(ann) as tx:
        profiles = ProfileService(tx)
        await profiles.change(ann.owner_id, {"username": text[:255], "bio": text})
        await profiles.save_user_data(ann.owner_id, "life_context", life)
        await profiles.save_user_data(ann.owner_id, "extracted", [fact])
    folder = house.weft.settings.folder
    workspace = WorkspaceService(ann, Workspaces(folder / "workspaces"))
    for name in ("AGENTS.md", "SOUL.md", "memory/MEMORY.md"):
        await workspace.write_text(name, text)
    assert ann.business_id is not None
    front = {"name": "mine", "description": text, "profile_fields": ["life_context", "extracted"]}
    front |= {"sop": "sop.md", "cases": "cases.yaml", "allowed-tools": ["read_file", text[:100]]}
    case = [{"id": "one", "title": text, "when": "tea", "situation": text, "advice": text}]
    files = {
        "SKILL.md": f"---\n{yaml.safe_dump(front, allow_unicode=True)}---\n{text}\n",
        "sop.md": f"First listen. {text}\n",
        "cases.yaml": yaml.safe_dump(case, allow_unicode=True),
    }
    mine = Roots(folder).user(ann.business_id, ann.owner_id) / "mine"
    await asyncio.to_thread(_write, mine, files)


def _write(folder: Any, files: Mapping[str, str]) -> None:
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")


async def asked(house: House, text: str) -> list[Mapping[str, Any]]:
    """What the vendor is sent in three turns of somebody who wrote this everywhere, says it, and has tools give it."""
    ann, before = await house.someone(), len(house.asked)
    await everywhere(house, ann, text)
    place: dict[str, Any] = {"channel": text[:100], "chat_id": text[:100]}
    house.says(calls("read_file", path="AGENTS.md"), f"So it is. {text}")
    first = await house.turn(ann, f"tea? {text}", **place)
    assert first.run.status == "completed", first.run
    house.says(calls("search_history", query=text[:100] or "tea"), f"Here it is. {text}")
    second = await house.turn(
        ann, f"tea, please. {text}", session_id=first.session_id, skill="mine", scenario=text[:100], **place
    )
    assert second.run.status == "completed", second.run
    house.says(f"Well. {text}")
    third = await house.turn(ann, f"tea {text}", session_id=first.session_id, **place)
    assert third.run.status == "completed", third.run
    return list(house.asked[before:])


def structure(requests: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Everything but data and words: the tools are the same, whoever asks."""
    return [(json.dumps(each["tools"], sort_keys=True), shape_of(each["messages"])) for each in requests]


async def test_nothing_that_a_user_writes_changes_what_a_vendor_is_sent(house: House) -> None:
    """SAFE-1, SAFE-2, SAFE-4, SAFE-5: over profile, files, memory, an own skill, cases, words, answers and results."""
    assert len(PAYLOADS) >= 20
    harmless = await asked(house, "harmless")
    expected = structure(harmless)
    everything = json.dumps(harmless)
    for block in (
        "USER_PROFILE",
        "FILE",
        "MEMORY",
        "MY_SKILL",
        "MY_SKILLS",
        "CASES",
        "LIFE_CONTEXT",
        "EXTRACTED",
        "PLACE",
    ):
        assert f"# {block} (JSON" in everything, block
    for payload in PAYLOADS:
        assert structure(await asked(house, payload)) == expected, payload
