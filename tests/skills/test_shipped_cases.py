"""Questions of real people find the case that helps, in both languages, in the cases that Weft ships."""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from weft.skills.case_index import CaseIndex, Match
from weft.skills.cases import Case, read_cases
from weft.skills.files import FolderFiles
from weft.skills.findings import Findings
from weft.skills.library import SHIPPED
from weft.skills.words import normal, words_of

QUESTIONS = Path(__file__).parent / "shipped_cases" / "questions.yaml"
HALVES = ("development", "held_out")
FIRST = 3
_CHINESE = re.compile(r"[\u4e00-\u9fff]{4}")
_SENTENCE = re.compile(r"[。！？；.!?;\n]+")


@dataclass(frozen=True)
class Question:
    half: str
    skill: str
    case: str
    ask: str


def questions() -> list[Question]:
    halves = yaml.safe_load(QUESTIONS.read_text(encoding="utf-8"))
    return [Question(half, **each) for half in HALVES for each in halves[half]]


def cases_of(skill: str) -> list[Case]:
    findings = Findings(skill)
    cases = list(read_cases(FolderFiles(SHIPPED / skill), "cases.yaml", findings))
    assert list(findings) == []
    return cases


@pytest.fixture(scope="module")
def indexes() -> dict[str, CaseIndex]:
    return {skill: CaseIndex(cases_of(skill)) for skill in sorted({each.skill for each in questions()})}


def rank(question: Question, matches: list[Match]) -> int:
    """Where the right case stands, from 1; 0 where it does not."""
    names = [match.case.id for match in matches]
    return names.index(question.case) + 1 if question.case in names else 0


def test_right_case_is_among_the_first_three(indexes: dict[str, CaseIndex], capsys: pytest.CaptureFixture[str]) -> None:
    """SKILL-6: for at least 50 of 60; the misses are listed."""
    found = [(each, rank(each, indexes[each.skill].match(each.ask, 16))) for each in questions()]
    lines = []
    for half in HALVES:
        ranks = [at for each, at in found if each.half == half]
        lines.append(f"{half}: {sum(0 < at <= FIRST for at in ranks)} of {len(ranks)}, first: {ranks.count(1)}")
    missed = [(each, at) for each, at in found if not 0 < at <= FIRST]
    lines += [f"  missed at {at or 'nowhere'}: {each.skill}/{each.case}: {each.ask}" for each, at in missed]
    with capsys.disabled():
        sys.stdout.write("\n" + "\n".join(lines) + "\n")
    for half in HALVES:
        assert sum(0 < at <= FIRST for each, at in found if each.half == half) >= 25
    assert sum(0 < at <= FIRST for _, at in found) >= 50


def test_questions_are_sixty_in_both_languages_about_cases_that_there_are() -> None:
    """SKILL-6"""
    asked = questions()
    chinese = [each for each in asked if _CHINESE.search(each.ask)]
    assert len(asked) == len({each.ask for each in asked}) == 60
    assert len(chinese) == 30
    for half in HALVES:
        assert sum(each.half == half for each in asked) == 30
        assert sum(each.half == half for each in chinese) == 15
    for each in asked:
        assert each.case in {case.id for case in cases_of(each.skill)}, each


def test_no_question_shares_a_sentence_with_a_case() -> None:
    """SKILL-6: nor most of its words."""
    for each in questions():
        for case in cases_of(each.skill):
            said = [normal(part).strip() for part in _SENTENCE.split("\n".join([*case.when, case.text]))]
            asked = {normal(part).strip() for part in _SENTENCE.split(each.ask)}
            assert asked.isdisjoint(part for part in said if part), each
    shares = [len(words & theirs) / len(words) for words, theirs in _words()]
    assert sum(shares) / len(shares) < 0.4


def _words() -> list[tuple[set[str], set[str]]]:
    right = {(skill, case.id): case for skill in {each.skill for each in questions()} for case in cases_of(skill)}
    return [(set(words_of(each.ask)), set(words_of(right[each.skill, each.case].text))) for each in questions()]


@pytest.mark.parametrize("skill", ["bazi", "career", "lifecoach", "tarot", "zodiac"])
def test_every_case_is_found_by_its_own_title(indexes: dict[str, CaseIndex], skill: str) -> None:
    """SKILL-6"""
    for case in cases_of(skill):
        assert case.id in [match.case.id for match in indexes[skill].match(case.title, FIRST)]
