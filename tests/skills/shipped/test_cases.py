"""The cases of the shipped skills are found: by their own situations, and by questions in other words."""

from pathlib import Path

import pytest
import yaml

from tests.skills.shipped.shipped import EXPERTS, cases
from weft.skills.case_index import CaseIndex

_FILE = Path(__file__).parent / "questions.yaml"
QUESTIONS: dict[str, dict[str, list[str]]] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
INDEXES = {name: CaseIndex(cases(name)) for name in EXPERTS}
every_expert = pytest.mark.parametrize("name", EXPERTS)


def found(name: str, words: str, limit: int) -> list[str]:
    return [match.case.id for match in INDEXES[name].match(words, limit)]


@every_expert
def test_a_case_is_found_by_its_own_situation(name: str) -> None:
    """SKILL-6, SKILL-7: before all others."""
    missed = [case.id for case in cases(name) if found(name, case.situation, 1) != [case.id]]
    assert missed == []


@every_expert
def test_a_case_is_found_by_each_phrase_that_was_written_to_find_it(name: str) -> None:
    """SKILL-6: among the first three; phrases that several cases name may bring any of these first."""
    missed = [(case.id, words) for case in cases(name) for words in case.when if case.id not in found(name, words, 3)]
    assert missed == []


@every_expert
def test_questions_in_other_words_find_their_case(name: str) -> None:
    """SKILL-6: nine in ten of them among the first three, in both languages; the misses are listed."""
    asked = [(case, question) for case, questions in QUESTIONS[name].items() for question in questions]
    assert {case for case, _ in asked} <= {case.id for case in cases(name)}
    assert not [question for _, question in asked if any(question in case.text for case in cases(name))]
    assert sum(question.isascii() for _, question in asked) >= 7
    missed = [
        (case, question, found(name, question, 3)) for case, question in asked if case not in found(name, question, 3)
    ]
    assert len(missed) <= len(asked) // 10, missed


def test_there_are_questions_enough_to_tell() -> None:
    """SKILL-6"""
    assert sum(len(questions) for each in QUESTIONS.values() for questions in each.values()) >= 100
