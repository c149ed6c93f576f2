"""The shuffle: exact by counting every case, unbiased by chi-square, and the same from the same seed."""

import hashlib
from collections import Counter
from collections.abc import Callable
from itertools import permutations, product
from typing import Any

import pytest

from weft.skills.compute.shuffle import Numbers, is_seed, new_seed, permutation

SHUFFLES = 4000
CARDS = 78
# 77 x 77 degrees of freedom; five standard deviations to either side.
FREEDOM = (CARDS - 1) ** 2
TOLERANCE = 5 * (2 * FREEDOM) ** 0.5


def seed(number: int) -> str:
    return hashlib.sha256(number.to_bytes(4)).hexdigest()


def chi_square(shuffle: Callable[[Callable[[int], int]], list[int]]) -> float:
    """Over every card in every place, from one fixed row of seeds."""
    seen: Counter[tuple[int, int]] = Counter()
    for number in range(SHUFFLES):
        seen.update(enumerate(shuffle(Numbers(seed(number)).below)))
    likely = SHUFFLES / CARDS
    total = sum((seen[place, card] - likely) ** 2 / likely for place in range(CARDS) for card in range(CARDS))
    return total * (CARDS - 1) / CARDS  # each row and each column adds up by itself


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_every_row_of_choices_gives_another_order_and_every_order_comes(size: int) -> None:
    """SKILL-7"""
    orders = []
    for choices in product(*(range(limit) for limit in range(size, 1, -1))):
        row = iter(choices)
        orders.append(tuple(permutation(size, lambda _limit, row=row: next(row))))
    assert sorted(orders) == sorted(permutations(range(size)))


def test_every_card_comes_to_every_place_equally_often() -> None:
    """SKILL-7"""
    assert abs(chi_square(lambda below: permutation(CARDS, below)) - FREEDOM) < TOLERANCE


def test_the_same_measure_finds_a_biased_shuffle() -> None:
    """SKILL-7"""

    def swap_any(below: Callable[[int], int]) -> list[int]:
        order = list(range(CARDS))
        for place in range(CARDS):
            other = below(CARDS)
            order[place], order[other] = order[other], order[place]
        return order

    assert chi_square(swap_any) - FREEDOM > 3 * TOLERANCE


@pytest.mark.parametrize("limit", [1, 2, 7, 78])
def test_numbers_are_uniform(limit: int) -> None:
    """SKILL-7"""
    numbers = Numbers(seed(1))
    seen = Counter(numbers.below(limit) for _ in range(300 * limit))
    assert set(seen) == set(range(limit))
    total = sum((count - 300) ** 2 / 300 for count in seen.values())
    assert total < limit - 1 + 5 * (2 * limit) ** 0.5


def test_a_word_that_would_favour_small_numbers_is_thrown_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """SKILL-7"""
    words = iter([b"\xff\xff\xff\xff", b"\xff\xff\xff\xfc", b"\x00\x00\x00\x0c"])
    monkeypatch.setattr(Numbers, "_take", lambda _self: next(words))
    # 2**32 is 4 more than a multiple of 7, so that the last four words have no fair place.
    assert Numbers(seed(1)).below(7) == 12 % 7


def test_the_stream_stays_what_recorded_draws_were_made_with() -> None:
    """SKILL-7"""
    numbers = Numbers("00" * 32)
    block = b"".join(hashlib.sha256(bytes(32) + count.to_bytes(8)).digest() for count in range(2))
    words = [int.from_bytes(block[at : at + 4]) for at in range(0, 64, 4)]
    assert [numbers.below(1 << 32) for _ in range(16)] == words


def test_new_seeds_are_seeds_and_differ() -> None:
    """SKILL-7"""
    seeds = {new_seed() for _ in range(100)}
    assert len(seeds) == 100
    assert all(map(is_seed, seeds))


@pytest.mark.parametrize("text", ["", "ab", "AB" * 32, "g" * 64, "0" * 64 + "\n", None, 7])
def test_anything_else_is_no_seed(text: Any) -> None:
    """SKILL-7"""
    assert not is_seed(text)
