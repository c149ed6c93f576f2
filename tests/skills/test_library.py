"""One library for a process: each sees their own skills, and the disk is looked at beside the event loop."""

import asyncio
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from tests.skills.conftest import Write
from weft.skills.errors import ResourceRefusedError
from weft.skills.library import SHIPPED, SkillLibrary
from weft.skills.voices import voice_of, voices


@pytest.fixture
def shop() -> UUID:
    return uuid4()


@pytest.fixture
def ann() -> UUID:
    return uuid4()


@pytest.fixture
def library(tmp_path: Path) -> SkillLibrary:
    return SkillLibrary(tmp_path / "home", shipped=tmp_path / "shipped")


def described(text: str) -> str:
    return f"name: tarot\ndescription: {text}"


async def test_the_users_skill_hides_that_of_the_business_the_operators_and_the_shipped_one(
    library: SkillLibrary, write: Write, shop: UUID, ann: UUID
) -> None:
    """SKILL-5: a stated precedence, from folders that each have their place."""
    places = {
        "shipped": "shipped",
        "operator": "home/skills",
        "business": f"home/businesses/{shop}/skills",
        "user": f"home/workspaces/{shop}/{ann}/skills",
    }
    for level, place in places.items():
        write(f"{place}/tarot", described(f"From {level}."))
        assert (await library.look(shop, ann, now=True)).get("tarot").level == level
    seen = [
        (await library.look(*who)).get("tarot").skill.description
        for who in ((shop, ann), (shop, uuid4()), (shop,), (uuid4(), ann), (None,))
    ]
    assert seen == ["From user.", "From business.", "From business.", "From operator.", "From operator."]


async def test_users_and_businesses_do_not_see_each_others_skills(
    library: SkillLibrary, write: Write, shop: UUID, ann: UUID
) -> None:
    """SEC-1: the same user id under another business is somebody else."""
    other = uuid4()
    write(f"home/workspaces/{shop}/{ann}/skills/mine")
    write(f"home/businesses/{shop}/skills/ours")
    assert set((await library.look(shop, ann)).skills) == {"mine", "ours"}
    assert set((await library.look(shop, uuid4())).skills) == {"ours"}
    assert set((await library.look(other, ann)).skills) == set()


async def test_whoever_keeps_no_skills_sees_the_same_object_as_all_others(
    library: SkillLibrary, write: Write, shop: UUID, ann: UUID
) -> None:
    """SKILL-10: the same catalogue, and so the same bytes; memory does not grow with the users."""
    write("home/skills/tarot")
    everybodys = await library.look(shop)
    assert await library.look(shop, ann) is everybodys
    assert await library.look(shop, uuid4()) is everybodys
    write(f"home/workspaces/{shop}/{ann}/skills/mine")
    own = await library.look(shop, ann, now=True)
    assert (set(own.skills), set(everybodys.skills)) == ({"tarot", "mine"}, {"tarot"})
    assert await library.look(shop, ann) is own
    assert own.skills["tarot"].skill is everybodys.skills["tarot"].skill


async def test_a_changed_file_is_seen_without_a_restart(
    library: SkillLibrary, write: Write, shop: UUID, ann: UUID
) -> None:
    """SKILL-5: hot reload, also for somebody who asks right after somebody else has."""
    write(f"home/workspaces/{shop}/{ann}/skills/mine")
    write("home/skills/tarot", described("Old."))
    before = await library.look(shop, ann)
    write("home/skills/tarot", described("New."))
    assert (await library.look(shop, now=True)).get("tarot").skill.description == "New."
    assert (await library.look(shop, ann)).get("tarot").skill.description == "New."
    assert before.get("tarot").skill.description == "Old."


async def test_a_changed_added_or_removed_voice_is_seen(library: SkillLibrary, write: Write) -> None:
    """SKILL-7: voices are read with the skill, and followed as it is."""
    place = write("shipped/core", "name: core\ndescription: x", voices__warm_md="")
    (place / "voices/warm_md").rename(place / "voices/warm.md")
    (place / "voices/warm.md").write_text("one", encoding="utf-8")

    async def core() -> dict[str, str]:
        return dict((await library.look(None, now=True)).get("core").skill.voices)

    assert await core() == {"warm": "one"}
    (place / "voices/warm.md").write_text("two", encoding="utf-8")
    assert await core() == {"warm": "two"}
    (place / "voices/calm.md").write_text("slow", encoding="utf-8")
    assert await core() == {"calm": "slow", "warm": "two"}
    (place / "voices/warm.md").unlink()
    assert await core() == {"calm": "slow"}


async def test_a_user_cannot_replace_the_persona(library: SkillLibrary, write: Write, shop: UUID, ann: UUID) -> None:
    """SAFE-4: the core skill is an instruction; a user's folder is not."""
    write("shipped/core", "name: core\ndescription: Shipped.")
    write(f"home/workspaces/{shop}/{ann}/skills/core", "name: core\ndescription: Mine.")
    write(f"home/workspaces/{shop}/{ann}/skills/other", "name: core\ndescription: Mine too.")
    seen = await library.look(shop, ann)
    assert seen.get("core").level == "shipped"
    assert [each.file for each in seen.findings if "SOUL.md" in each.message] == [
        "user/core/SKILL.md",
        "user/other/SKILL.md",
    ]
    write(f"home/businesses/{shop}/skills/core", "name: core\ndescription: The shop's.")
    assert (await library.look(shop, ann, now=True)).get("core").level == "business"


async def test_operators_may_link_folders_of_other_agents_and_users_may_not(
    library: SkillLibrary, write: Write, tmp_path: Path, shop: UUID, ann: UUID
) -> None:
    """SKILL-5, TOOL-5"""
    elsewhere = write("elsewhere/pdf", "name: pdf\ndescription: Reads PDF.\nmodel: opus")
    for place in (library.roots.operator, library.roots.business(shop), library.roots.user(shop, ann)):
        place.mkdir(parents=True)
        (place / "pdf").symlink_to(elsewhere)
    seen = await library.look(shop, ann)
    assert seen.get("pdf").level == "business"
    assert [str(each) for each in seen.findings if each.file.startswith("user")] == [
        "user/pdf: warning: is a link, which this root does not follow"
    ]


@pytest.mark.parametrize("swapped", ["skills", "skills/mine"])
async def test_a_folder_that_becomes_a_link_after_it_was_looked_at_is_not_read(
    library: SkillLibrary, write: Write, tmp_path: Path, shop: UUID, ann: UUID, swapped: str
) -> None:
    """TOOL-5, SEC-1: whoever can write a workspace cannot make it lead into somebody else's."""
    write("elsewhere/mine", secret="hunter2")
    place = write(f"home/workspaces/{shop}/{ann}/skills/mine", secret="my own")
    listed = (await library.look(shop, ann)).get("mine")
    assert await asyncio.to_thread(listed.read, "secret") == b"my own"
    moved = place.parent.parent / swapped
    moved.rename(tmp_path / "away")
    moved.symlink_to(tmp_path / "elsewhere" / ("" if swapped == "skills" else "mine"))
    with pytest.raises(ResourceRefusedError, match="leads over a link"):
        await asyncio.to_thread(listed.read, "secret")
    assert await asyncio.to_thread(listed.resources) == []
    assert list(await asyncio.to_thread(listed.shelved.files.names, "")) == []
    assert set((await library.look(shop, ann, now=True)).skills) == set()


async def test_only_so_many_users_are_held(tmp_path: Path, write: Write, shop: UUID) -> None:
    """SEC-4: shelves of those asked least recently go, and come again when they are asked for."""
    library = SkillLibrary(tmp_path / "home", shipped=tmp_path / "shipped", most_users=3)
    users = [uuid4() for _ in range(10)]
    for user in users:
        write(f"home/workspaces/{shop}/{user}/skills/s{user.hex}")
    for user in [*users, *users]:
        assert set((await library.look(shop, user)).skills) == {f"s{user.hex}"}
    assert len(library._users) == 3


async def test_procedures_and_cases_are_read_and_followed(library: SkillLibrary, write: Write) -> None:
    """SKILL-2, SKILL-6: a changed file is heard of at the next turn."""
    front = "name: tarot\ndescription: x\nsop: [sop.yaml, more.md]\ncases: cases.md"
    cases = "## 死神牌 {#death}\nwhen: 死神, death card\nIt came.\nadvice: Say that it means change.\n"
    place = write("home/skills/tarot", front)
    for name, text in {"sop.yaml": "- Breathe first.\n", "more.md": "Then draw.\n", "cases.md": cases}.items():
        (place / name).write_text(text, encoding="utf-8")
    listed = (await library.look(None)).get("tarot")
    assert await library.sop_text(listed) == "- Breathe first.\n\nThen draw."
    assert [each.case.id for each in await library.match_cases(listed, "我抽到了死神", 3)] == ["death"]
    (place / "more.md").write_text("Then shuffle, and draw.\n", encoding="utf-8")
    assert (await library.sop_text(listed)).endswith("Then shuffle, and draw.")
    (place / "sop.yaml").unlink()
    assert await library.sop_text(listed) == "Then shuffle, and draw."
    plain = write("home/skills/plain")
    listed = (await library.look(None, now=True)).get(plain.name)
    assert (await library.sop_text(listed), await library.match_cases(listed, "死神", 3)) == ("", [])


async def test_what_a_skill_may_keep_is_what_its_schema_says_now(library: SkillLibrary, write: Write) -> None:
    """PRO-8: a skill without a schema keeps any object; one whose schema is none says what is wrong with it."""
    front = "name: tarot\ndescription: x\ndata_schema: schema.json"
    place = write("home/skills/tarot", front)
    write("home/skills/plain")
    (place / "schema.json").write_text('{"type": "object", "maxProperties": 1}', encoding="utf-8")
    schemas = await library.data_schemas(None, None)
    assert schemas["tarot"].schema == {"type": "object", "maxProperties": 1}
    assert (schemas["plain"].schema, schemas["plain"].problem) == ({"type": "object"}, None)
    (place / "schema.json").write_text('{"type": "nothing"}', encoding="utf-8")
    assert "is no JSON schema" in ((await library.data_schemas(None, None))["tarot"].problem or "")
    (place / "schema.json").unlink()
    assert "has no file 'schema.json'" in ((await library.data_schemas(None, None))["tarot"].problem or "")


async def test_what_is_shipped_can_be_used(tmp_path: Path) -> None:
    """SKILL-7: the persona and its default voice come with Weft."""
    assert SHIPPED.is_dir()
    seen = await SkillLibrary(tmp_path).look(uuid4(), uuid4())
    assert seen.findings == ()
    assert {"core", "bazi", "zodiac", "tarot", "career", "lifecoach"} <= set(seen.skills)
    core = seen.get("core").skill
    assert "warm" in voices(core)
    assert voice_of(core, "warm")
