"""Draws: honest, recorded whole, and verified from the record alone."""

import copy
import json
from collections import Counter
from typing import Any

import pytest

from tests.skills.compute.test_shuffle import seed
from weft.skills.compute.cards import DECK, SPREADS
from weft.skills.compute.errors import ComputeOptionError, DrawRecordError
from weft.skills.compute.tarot import draw, verify


def test_the_deck_has_78_cards_of_their_own() -> None:
    """SKILL-7"""
    assert len(DECK) == 78
    for attribute in ("key", "name", "name_zh"):
        assert len({getattr(card, attribute) for card in DECK}) == 78
    assert Counter(card.suit for card in DECK) == {None: 22, "wands": 14, "cups": 14, "swords": 14, "pentacles": 14}


@pytest.mark.parametrize("spread", SPREADS)
def test_every_spread_lays_one_card_on_each_place(spread: str) -> None:
    """SKILL-7"""
    drawn = draw(spread)
    assert [each.place for each in drawn.cards] == list(SPREADS[spread].places)
    assert len({each.card for each in drawn.cards}) == len(drawn.cards)
    assert len({place.key for place in SPREADS[spread].places}) == len(SPREADS[spread].places)
    assert sorted(card.key for card, _ in drawn.deck) == sorted(card.key for card in DECK)


def test_the_same_seed_draws_the_same_cards_for_ever() -> None:
    """SKILL-7"""
    drawn = draw("three", seed="00" * 32)
    assert drawn == draw("three", seed="00" * 32)
    assert [(each.card.key, each.reversed) for each in drawn.cards] == GOLDEN
    assert draw("three").seed != draw("three").seed


def test_a_record_survives_json_and_verifies() -> None:
    """SKILL-7"""
    drawn = draw("celtic_cross")
    assert verify(json.loads(json.dumps(drawn.record()))) == drawn


def test_cards_lie_upright_where_reversals_are_not_wanted() -> None:
    """SKILL-7"""
    drawn = draw("year", seed=seed(3), reversals=False)
    assert not any(turned for _, turned in drawn.deck)
    # Turning comes after shuffling, so that it changes no order.
    assert [card for card, _ in drawn.deck] == [card for card, _ in draw("year", seed=seed(3)).deck]


def test_half_of_the_cards_lie_reversed() -> None:
    """SKILL-7"""
    turned = sum(sum(flags for _, flags in draw("single", seed=seed(number)).deck) for number in range(500))
    assert abs(turned - 19500) < 5 * (39000 * 0.25) ** 0.5


# Drawn once with the first version; recorded draws depend on it.
GOLDEN = [("wands-05", True), ("wands-07", False), ("cups-05", True)]


def swap_first_cards(record: dict[str, Any]) -> None:
    record["cards"][0], record["cards"][1] = record["cards"][1], record["cards"][0]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (swap_first_cards, "cards"),
        (lambda record: record["cards"][0].update(reversed=not record["cards"][0]["reversed"]), "cards"),
        (lambda record: record["deck"].reverse(), "deck"),
        (lambda record: record.update(seed="11" * 32), "deck"),
        (lambda record: record.update(seed="short"), "seed"),
        (lambda record: record.update(spread="nine"), "spread"),
        (lambda record: record.update(spread=["three"]), "spread"),
        (lambda record: record.update(reversals="yes"), "spread"),
        (lambda record: record.update(algorithm="other"), "algorithm"),
        (lambda record: record.pop("deck"), "deck"),
    ],
)
def test_a_record_that_was_touched_does_not_verify(change: Any, field: str) -> None:
    """SKILL-7"""
    record = copy.deepcopy(draw("three", seed=seed(5)).record())
    change(record)
    with pytest.raises(DrawRecordError) as refused:
        verify(record)
    assert refused.value.field == field


@pytest.mark.parametrize(("options", "field"), [({"spread": "nine"}, "spread"), ({"seed": "1"}, "seed")])
def test_an_unknown_option_is_refused(options: dict[str, str], field: str) -> None:
    """SKILL-7"""
    with pytest.raises(ComputeOptionError) as refused:
        draw(**options)
    assert refused.value.field == field
