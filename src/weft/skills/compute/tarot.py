"""A tarot draw: shuffled honestly, recorded whole, and verifiable from its record."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from weft.skills.compute import shuffle
from weft.skills.compute.cards import DECK, SPREADS, Card, Place, Spread
from weft.skills.compute.errors import ComputeOptionError, DrawRecordError, one_of

_REVERSED_MARK = "r"


@dataclass(frozen=True, slots=True)
class Drawn:
    """One card in its place."""

    place: Place
    card: Card
    reversed: bool


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw: the whole shuffled deck, and the cards laid from its top."""

    seed: str
    spread: Spread
    reversals: bool
    deck: tuple[tuple[Card, bool], ...]

    @property
    def cards(self) -> tuple[Drawn, ...]:
        """The cards that lie, in the order of the spread's places."""
        laid = zip(self.spread.places, self.deck, strict=False)
        return tuple(Drawn(place, card, reversed_) for place, (card, reversed_) in laid)

    def record(self) -> dict[str, Any]:
        """The draw as JSON, to be kept in `skill_data.tarot` and to be verified at any later time."""
        return {
            "algorithm": shuffle.ALGORITHM,
            "seed": self.seed,
            "spread": self.spread.key,
            "reversals": self.reversals,
            "deck": [card.key + _REVERSED_MARK * reversed_ for card, reversed_ in self.deck],
            "cards": [
                {"place": drawn.place.key, "card": drawn.card.key, "reversed": drawn.reversed} for drawn in self.cards
            ],
        }


def draw(spread: str = "three", *, seed: str | None = None, reversals: bool = True) -> Draw:
    """Shuffle all 78 cards and lay a spread; without a seed, by one from the operating system."""
    one_of(spread, tuple(SPREADS), "spread")
    seed = shuffle.new_seed() if seed is None else seed
    if not shuffle.is_seed(seed):
        raise ComputeOptionError(
            "seed must be 64 hexadecimal digits in lower case; leave it out for a new one", field="seed"
        )
    numbers = shuffle.Numbers(seed)
    order = shuffle.permutation(len(DECK), numbers.below)
    # Every card turns on its own, also those that stay in the deck, so that the record shows the whole shuffle.
    turned = [reversals and numbers.below(2) == 1 for _ in order]
    deck = tuple((DECK[number], reversed_) for number, reversed_ in zip(order, turned, strict=True))
    return Draw(seed, SPREADS[spread], reversals, deck)


def verify(record: Mapping[str, Any]) -> Draw:
    """The draw that a record tells of, if its seed leads to exactly these cards."""
    if record.get("algorithm") != shuffle.ALGORITHM:
        message = f"algorithm {record.get('algorithm')!r:.60} is not one that this version can repeat"
        raise DrawRecordError(message, field="algorithm")
    spread, reversals = record.get("spread"), record.get("reversals")
    if not isinstance(spread, str) or spread not in SPREADS or not isinstance(reversals, bool):
        raise DrawRecordError(
            "the record names no spread that there is, or not whether cards were turned", field="spread"
        )
    if not shuffle.is_seed(record.get("seed")):
        raise DrawRecordError("the record has no seed of 64 hexadecimal digits", field="seed")
    again = draw(spread, seed=record["seed"], reversals=reversals)
    for name, value in again.record().items():
        if record.get(name) != value:
            raise DrawRecordError(f"{name} is not what the seed leads to", field=name)
    return again
