"""What stands around an answer in a chat."""

import io
from decimal import Decimal
from pathlib import Path

from weft.cli.chat_costs import Spent
from weft.cli.chat_english import ENGLISH
from weft.cli.chat_paper import Paper
from weft.cli.chat_screen import Screen


def told(turn: Spent, all_: Spent) -> str:
    aside = io.StringIO()
    Screen(Paper(io.StringIO(), aside), ENGLISH, Path("chat.log")).spent(turn, all_, 1.25)
    return aside.getvalue()


def test_what_a_turn_and_the_conversation_cost() -> None:
    """SURF-5, LED-8: as exact as the ledger; what has no price is said once, and is never nothing."""
    one = Spent(1, 10, 0, 5, Decimal("0.000035"))
    assert told(one, Spent(2, 20, 0, 10, Decimal("0.00007"))).endswith("¥0.000035 · 1.2 s · conversation ¥0.00007\n")
    unknown = Spent(1, 10, 0, 5, unpriced=1)
    assert told(unknown, unknown) == "  1 call · 10 in · 5 out · no price known · 1.2 s\n"
    mixed = Spent(2, 20, 0, 10, Decimal("0.000035"), unpriced=1)
    assert told(unknown, mixed).endswith("no price known · 1.2 s · conversation ¥0.000035 + 1 without a price\n")
