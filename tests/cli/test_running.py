"""How commands show what came of them."""

from decimal import Decimal

import pytest

from weft.cli.running import show_table


def test_columns_line_up_also_where_characters_are_wide(capsys: pytest.CaptureFixture[str]) -> None:
    show_table(("name", "n"), [("小雨", 1), ("Ann\nB", None)], "nothing")
    assert capsys.readouterr().out == "name   n\n小雨   1\nAnn B\n"


def test_money_is_written_as_people_write_it(capsys: pytest.CaptureFixture[str]) -> None:
    """DESIGN 7: an amount is exact, never in powers of ten, and ends in no row of zeros."""
    amounts = ("0E-12", "1.5E-7", "0.000021400000", "2.000000", "12.50", "0.2", "7")
    show_table(("cost",), [(Decimal(each),) for each in amounts], "nothing")
    assert capsys.readouterr().out.split() == ["cost", "0.00", "0.00000015", "0.0000214", "2.00", "12.50", "0.2", "7"]


def test_an_empty_table_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    show_table(("name",), [], "There is nothing.")
    assert capsys.readouterr().out == "There is nothing.\n"
