"""What the shipped skills say: whole, well formed, within their sizes, and without anything left to fill in."""

import json
import re
from collections import Counter
from datetime import UTC, datetime

import pytest

from tests.skills.shipped.shipped import COMPUTING, EXPERTS, NAMES, cases, files_of, skill, sop
from weft.llm.token_estimate import Family, estimate
from weft.skills.computing import COMPUTATIONS, Given, compute
from weft.skills.library import SHIPPED
from weft.skills.validating import validate_skill
from weft.skills.voices import voice_of, voices
from weft.tools.builtin import NAMES as TOOLS

UNFINISHED = re.compile(
    r"TODO|TBD|FIXME|XXX|lorem ipsum|placeholder|占位|待补|待填|此处填|\{\{|<[a-z_]+>", re.IGNORECASE
)
CHINESE = re.compile(r"[\u4e00-\u9fff]")
BORN = {
    "date": "1990-05-17",
    "time": "08:30",
    "calendar": "solar",
    "place": {"name": "成都", "latitude": 30.67, "longitude": 104.07, "timezone": "Asia/Shanghai"},
    "gender": "female",
}
every_skill = pytest.mark.parametrize("name", NAMES)
every_expert = pytest.mark.parametrize("name", EXPERTS)


def options_in(text: str) -> list[dict[str, object]]:
    """What a text tells a model to pass to `compute`; one that leaves a part to fill in is no example."""
    found = [json.loads(each) for each in re.findall(r"\{\"[^{}…]*\}", text)]
    assert found
    return found


def test_these_are_shipped_and_no_others() -> None:
    """SKILL-7"""
    assert tuple(sorted(folder.name for folder in SHIPPED.iterdir() if folder.is_dir())) == NAMES


@every_skill
def test_strict_validation_finds_nothing(name: str) -> None:
    """SKILL-5: neither an error nor a warning."""
    assert [str(each) for each in validate_skill(files_of(name), name)] == []
    assert skill(name).license == "Apache-2.0"


@pytest.mark.parametrize(
    ("name", "birth", "computed", "fields"),
    [
        ("core", False, None, ()),
        ("bazi", True, "bazi", ("birth_info", "skill_data.bazi")),
        ("zodiac", True, "zodiac", ("birth_info", "skill_data.zodiac")),
        ("tarot", False, "tarot", ("skill_data.tarot",)),
        ("career", False, None, ("life_context", "skill_data.career")),
        ("lifecoach", False, None, ("life_context", "extracted")),
    ],
)
def test_each_declares_what_it_needs(name: str, birth: bool, computed: str | None, fields: tuple[str, ...]) -> None:
    """SKILL-7, PRO-7: and names computations, fields and tools that there are."""
    read = skill(name)
    assert (read.requires_birth_info, read.compute_type, read.profile_fields) == (birth, computed, fields)
    assert read.requires_compute == (computed is not None)
    assert computed is None or computed in COMPUTATIONS
    assert set(read.allowed_tools) <= TOOLS
    keeps_own = f"skill_data.{name}" in fields
    assert (read.data_schema is not None) == keeps_own


def test_every_computation_has_its_skill() -> None:
    """SKILL-7"""
    assert {skill(name).compute_type for name in COMPUTING} == set(COMPUTATIONS)


def test_the_persona_has_its_voices() -> None:
    """SKILL-7, SURF-2: `warm` among them; each says something of its own, in few words."""
    core = skill("core")
    assert voices(core) == ("calm", "direct", "playful", "warm")
    texts = [voice_of(core, each) for each in voices(core)]
    assert len(set(texts)) == len(texts)
    assert all(15 < estimate(text, "deepseek") <= 60 for text in texts)
    assert "Vibe" in core.body
    assert "生命对话者" in core.body


@pytest.mark.parametrize(("name", "longest"), [("core", 200), *((name, 600) for name in EXPERTS)])
def test_a_persona_is_short_and_not_a_stub(name: str, longest: int) -> None:
    """SKILL-1, SKILL-2: in the vocabularies of both kinds of models that read Chinese well."""
    families: tuple[Family, ...] = ("deepseek", "qwen")
    for family in families:
        assert longest / 3 < estimate(skill(name).body, family) <= longest


@every_expert
def test_a_procedure_has_steps_and_is_short(name: str) -> None:
    """SKILL-2: numbered from 1, none left out."""
    text = sop(name)
    steps = [int(number) for number in re.findall(r"^- (\d+) ", text, re.MULTILINE)]
    assert steps == list(range(1, len(steps) + 1))
    assert len(steps) >= 5
    assert estimate(text, "qwen") <= 500


@every_skill
def test_nothing_is_left_to_fill_in(name: str) -> None:
    """SKILL-7: no placeholder in any file."""
    for resource in files_of(name).list():
        text = files_of(name).read(resource.path).decode()
        assert UNFINISHED.search(text) is None, (resource.path, UNFINISHED.search(text))
        assert "\ufffd" not in text


@every_skill
def test_when_to_call_it_in_is_said_in_both_languages_and_few_words(name: str) -> None:
    """SKILL-8"""
    said = skill(name).description
    assert CHINESE.search(said)
    assert re.search(r"[A-Za-z]{4,}", said)
    assert estimate(said, "deepseek") <= 45


@every_skill
def test_every_persona_knows_what_to_do_when_somebody_is_in_danger(name: str) -> None:
    """SKILL-7: in phase 2 the core persona is not there to say it."""
    body = skill(name).body
    for said in ("安全", "身边的人", "危机热线"):
        assert said in body
    assert "专业" in body or "医生" in body


@every_expert
def test_there_are_cases_enough_and_in_both_languages(name: str) -> None:
    """SKILL-7: at least twelve, each with a situation and an advice of its own."""
    found = cases(name)
    english = [case for case in found if not CHINESE.search(case.title)]
    assert len(found) >= 12
    assert len(english) >= 3
    assert len(found) - len(english) >= 9
    for part in ("id", "title", "situation", "advice"):
        assert max(Counter(getattr(case, part) for case in found).values()) == 1
    assert all(len(case.advice) >= 60 for case in found)
    for case in found:
        assert any(CHINESE.search(words) for words in case.when)
        assert any(words.isascii() for words in case.when)


@every_expert
def test_five_cases_of_the_longest_fit_their_budget(name: str) -> None:
    """SKILL-2: so that no case that fits is left out for want of room."""
    sizes = sorted(estimate(case.text, "qwen") for case in cases(name))
    assert sizes[-1] <= 200
    assert sum(sizes[-5:]) <= 1_000


@pytest.mark.parametrize("name", COMPUTING)
async def test_the_options_that_a_procedure_names_are_those_that_there_are(name: str) -> None:
    """SKILL-7: each example in the texts is carried out as it stands."""
    given = Given(datetime(2026, 3, 6, tzinfo=UTC), BORN)
    kept = (await compute(name, {}, given)).keep
    given = Given(given.now, BORN, kept or {})
    for options in options_in(skill(name).body + sop(name)):
        assert (await compute(name, options, given)).result
