"""How commands show what came of them."""

from decimal import Decimal

import pytest

from weft.cli.running import show_table


def test_columns_line_up_also_where_characters_are_wide(capsys: pytest.CaptureFixture[str]) -> None:
    show_table(("name", "n"), [("小雨", 1), ("Ann\nB", None)], "nothing")
    assert capsys.readouterr().out == "name   n\n小雨   1\nAnn B\n"


def test_money_is_written_as_people_write_it(capsys: pytest.CaptureFixture[str]) -> None:
    """DESIGN 7: an amount is never shown in powers of ten."""
    show_table(("cost",), [(Decimal("0E-12"),), (Decimal("1.5E-7"),)], "nothing")
    assert capsys.readouterr().out.split() == ["cost", "0.000000000000", "0.00000015"]


def test_an_empty_table_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    show_table(("name",), [], "There is nothing.")
    assert capsys.readouterr().out == "There is nothing.\n"
