"""Finding what somebody looks for in lines of Chinese and English."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.kit.finding import MOST_TERMS, Wanted


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("换工作", "我想换工作", "工作很忙"),
        ("Offer 薪水", "收到 OFFER，薪水不错", "薪水"),
        ("the cat", "my cat is ill", "the dog is ill"),
        ("ｔａｒｏｔ", "a TAROT draw", "a draw"),
        ("团子生病", "团子昨天生病了", "团子很好"),
        ("new job", "about a new job", "the job is new"),
    ],
)
def test_what_says_more_of_it_scores_higher(query: str, better: str, worse: str) -> None:
    """WORK-1, WORK-6: in any case and width; common words count for nothing beside others."""
    wanted = Wanted.of(query)
    assert wanted.score(better) > wanted.score(worse)


def test_common_words_alone_are_still_looked_for() -> None:
    """WORK-1"""
    assert Wanted.of("what is this").score("What is this about?") > 0
    assert Wanted.of("what is this").score("nothing") == 0


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_query_is_bounded_and_says_nothing_of_what_it_does_not_share(query: str, text: str) -> None:
    """SEC-4: as many parts as are told; and terms are letters and digits alone, as a search in SQL relies on."""
    wanted = Wanted.of(query)
    assert len(wanted.terms) <= MOST_TERMS
    assert not any(set(term) & set("%_\\") for term, _ in wanted.terms)
    if not any(term in text for term, _ in wanted.terms) and text.isascii() and text.islower():
        assert wanted.score(text) == 0
