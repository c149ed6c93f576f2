"""A tarot draw as a model is told it, and as it is kept: what its seed, and nothing else, leads to."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from weft.skills.compute import shuffle
from weft.skills.compute.cards import SPREADS
from weft.skills.compute.errors import ComputeDataMissingError, DrawRecordError, one_of
from weft.skills.compute.tarot import Draw, draw
from weft.skills.compute.telling import Computed, Given, Options

TYPE = "tarot"
MOST_DRAWS = 8  # kept; they stand in every prompt of the skill
_REVERSED = "r"


class TarotOptions(Options):
    """The spread, the question that it is laid for, or that the last draw is to be verified."""

    spread: str = "three"
    question: Annotated[str, Field(max_length=200)] = ""
    reversals: bool = True
    verify: bool = False


def tell(given: Given, options: TarotOptions) -> Computed:
    """A draw, which is kept; or the proof that the last one followed from its seed."""
    kept = list(given.kept.get("draws") or ())
    if options.verify:
        return Computed(_verified(kept))
    one_of(options.spread, tuple(SPREADS), "spread")
    drawn = draw(options.spread, seed=given.seed, reversals=options.reversals)
    record = _record(drawn, given.now.isoformat(timespec="seconds"), options.question)
    return Computed(_told(drawn, record), {**given.kept, "draws": [record, *kept][:MOST_DRAWS]})


def repeated(record: Mapping[str, Any]) -> Draw:
    """The draw that a kept record tells of, if its seed leads to exactly these cards."""
    if record.get("algorithm") != shuffle.ALGORITHM:
        message = f"algorithm {record.get('algorithm')!r:.60} is not one that this version can repeat"
        raise DrawRecordError(message, field="algorithm")
    spread, seed = record.get("spread"), record.get("seed")
    if not isinstance(spread, str) or spread not in SPREADS or not shuffle.is_seed(seed):
        raise DrawRecordError("the record names no spread that there is, or no seed", field="spread")
    again = draw(spread, seed=str(seed), reversals=record.get("reversals") is True)
    if list(record.get("cards") or ()) != _cards(again):
        raise DrawRecordError("the cards are not those that the seed leads to", field="cards")
    return again


def _record(drawn: Draw, at: str, question: str) -> dict[str, Any]:
    said = {"question": question} if question else {}
    return {
        "at": at,
        **said,
        "spread": drawn.spread.key,
        "cards": _cards(drawn),
        "reversals": drawn.reversals,
        "seed": drawn.seed,
        "algorithm": shuffle.ALGORITHM,
    }


def _cards(drawn: Draw) -> list[str]:
    return [f"{each.place.key} {each.card.key}{_REVERSED * each.reversed}" for each in drawn.cards]


def _told(drawn: Draw, record: Mapping[str, Any]) -> dict[str, Any]:
    """Names in both languages: a model that has to translate a card sometimes names another."""
    laid = [
        {
            "place": f"{each.place.name_zh} {each.place.name}",
            "card": f"{each.card.name_zh} {each.card.name}",
            "reversed": each.reversed,
        }
        for each in drawn.cards
    ]
    spread = f"{drawn.spread.name_zh} {drawn.spread.name}"
    kept = {name: record[name] for name in ("at", "question", "seed", "algorithm") if name in record}
    return {"spread": spread, "cards": laid, **kept}


def _verified(kept: list[Any]) -> dict[str, Any]:
    if not kept:
        raise ComputeDataMissingError(TYPE, ["skill_data.tarot.draws"], "there is no draw yet that could be verified")
    again = repeated(kept[0])
    how = "SHA-256 of the seed in counter mode, numbers by rejection, Fisher–Yates over 78 cards"
    return {"verified": True, "how": how} | _told(again, kept[0])
