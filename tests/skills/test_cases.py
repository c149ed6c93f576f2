"""Cases are found by what people say, in Chinese and in English, and it is told why."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kit.endless import assert_quick
from weft.skills.case_index import CaseIndex
from weft.skills.cases import Case, read_cases
from weft.skills.files import FolderFiles, MemoryFiles
from weft.skills.findings import Findings
from weft.skills.synonyms import Synonyms
from weft.skills.words import stem, words_of

HERE = FolderFiles(Path(__file__).parent / "bilingual_cases")
CASES = read_cases(HERE, "cases.yaml", Findings("cases.yaml"))
QUESTIONS = [
    (question, case)
    for case, questions in yaml.safe_load(HERE.read("questions.yaml")).items()
    for question in questions
]
BOUNDARY = ("boundary", "people pleaser")
MARKDOWN = """# Cases

## 水逆恐慌 {#mercury}
- **适用**：水逆，逆行
- **情况**：把争吵都归到水逆。
- **建议**：解释视运动。

## Saying no
A client takes on every favour.

### When
boundary, people pleaser

### Advice
Offer a smaller yes.
"""


def cases_in(name: str, text: str) -> tuple[list[Case], list[str]]:
    findings = Findings(name)
    return read_cases(MemoryFiles({name: text.encode()}), name, findings), [str(each) for each in findings]


def test_questions_that_share_no_sentence_find_their_case() -> None:
    """SKILL-6: at least 50 of 60 among the first three."""
    index = CaseIndex(CASES)
    missed = [
        question for question, case in QUESTIONS if case not in [each.case.id for each in index.match(question, 3)]
    ]
    assert len(QUESTIONS) == 60
    assert not [question for question, _ in QUESTIONS if any(question in case.text for case in CASES)]
    assert len(missed) <= 10, missed


def test_it_is_told_why_a_case_matched() -> None:
    """SKILL-6: the very words, and words that mean the same."""
    best = CaseIndex(CASES).match("I get nervous when I give a speech")[0]
    assert best.case.id == "stage"
    assert {(why.asked, why.says) for why in best.why} >= {("nervous", "紧张"), ("speech", "演讲")}
    assert best.score == pytest.approx(sum(why.weight for why in best.why))
    exact = CaseIndex(CASES).match("水逆")[0]
    assert ("水逆", "水逆") in {(why.asked, why.says) for why in exact.why}


@pytest.mark.parametrize("text", ["", "   ", "的了吗", "the of and", "?!", "😀", "\u0000", "zzzqqq"])
def test_what_says_nothing_finds_nothing(text: str) -> None:
    """SKILL-6"""
    assert CaseIndex(CASES).match(text) == []
    assert CaseIndex([]).match("水逆") == []


@given(st.lists(st.tuples(st.booleans(), st.integers(0, len(CASES) - 1)), max_size=40))
@settings(max_examples=40, deadline=None)
def test_an_index_that_grew_and_shrank_is_the_one_made_at_once(steps: list[tuple[bool, int]]) -> None:
    """SKILL-6: incremental, with nothing left behind."""
    grown, held = CaseIndex(), {}
    for adds, number in steps:
        case = CASES[number]
        (grown.add(case), held.update({case.id: case})) if adds else (grown.remove(case.id), held.pop(case.id, None))
    made = CaseIndex(held.values())
    assert len(grown) == len(made)
    for question, _ in QUESTIONS[::6]:
        ours, theirs = grown.match(question), made.match(question)
        assert [each.case.id for each in ours] == [each.case.id for each in theirs]
        assert [each.score for each in ours] == pytest.approx([each.score for each in theirs])


def test_replacing_leaves_what_is_the_same_alone() -> None:
    """SKILL-6"""
    index = CaseIndex(CASES)
    changed = Case("new", "新的", "水逆水逆", "等", ("水逆",))
    index.replace([*CASES[:3], changed])
    assert len(index) == 4
    assert [each.case.id for each in index.match("水逆")] == ["new"]


def test_cases_are_read_from_markdown_in_both_languages() -> None:
    """SKILL-5"""
    cases, findings = cases_in("cases.md", MARKDOWN)
    assert findings == []
    assert cases == [
        Case("mercury", "水逆恐慌", "把争吵都归到水逆。", "解释视运动。", ("水逆", "逆行")),
        Case("case-2", "Saying no", "A client takes on every favour.", "Offer a smaller yes.", BOUNDARY),
    ]


@pytest.mark.parametrize(
    ("text", "kept", "says"),
    [
        ("- {id: a, title: t, situation: s, advice: x}\n- {id: a, title: u, situation: s, advice: x}", 1, ":2: error"),
        ("- {id: a, title: t, situation: s, advice: x}\n- text\n", 1, "cases.yaml:2: error: case 2 is no mapping"),
        ("cases:\n  - {title: t, advice: x}", 0, "cases.yaml:2: error: case 1 has no situation or when"),
        ("a: b", 0, "no list"),
        ("- [", 0, "not valid YAML"),
        ("- &a [*a]", 0, "stands for nothing"),
        ("", 0, "holds no cases"),
    ],
)
def test_a_wrong_case_is_told_by_its_line_and_the_others_are_kept(text: str, kept: int, says: str) -> None:
    """SKILL-5"""
    cases, findings = cases_in("cases.yaml", text)
    assert len(cases) == kept
    assert says in findings[0]


def test_words() -> None:
    """SKILL-6"""
    assert list(words_of("我的工作")) == ["的工", "工作"]
    assert set(words_of("ＷＯＲＫＩＮＧ works worked")) == {stem("work")}
    for forms in (("worry", "worries", "worried"), ("plan", "planned", "planning"), ("decide", "decided", "deciding")):
        assert len(set(map(stem, forms))) == 1, forms


def test_the_longest_entry_counts_and_groups_may_share_a_word() -> None:
    """SKILL-6"""
    synonyms = Synonyms({"layoff": ["lost my job", "裁员"], "lost": ["lost", "迷茫"], "other": ["裁员"]})
    assert [(each.name, each.said) for each in synonyms.find("I lost my job")] == [("layoff", "lost my job")]
    assert [each.name for each in synonyms.find("裁员以后很迷茫")] == ["layoff", "other", "lost"]
    assert Synonyms({}).find("anything") == []


def test_endless_words_are_matched_in_no_time() -> None:
    """SEC-4"""
    index = CaseIndex(CASES)
    assert_quick(lambda text: index.match(text))
