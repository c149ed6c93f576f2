"""Moments that callers name."""

from datetime import UTC, datetime

import httpx
import pytest
from pydantic import TypeAdapter, ValidationError

from weft.http.moments import Moment

MOMENT: TypeAdapter[datetime] = TypeAdapter(Moment)


def test_a_moment_is_told_in_utc() -> None:
    assert MOMENT.validate_python("2026-11-01T00:00:00+08:00") == datetime(2026, 10, 31, 16, tzinfo=UTC)


@pytest.mark.parametrize("edge", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_the_edges_of_the_calendar_have_no_utc(edge: str) -> None:
    """Issue 1: no 5xx for any input."""
    with pytest.raises(ValidationError, match="beyond the years 1 to 9999"):
        MOMENT.validate_python(edge)


def test_a_moment_names_its_zone() -> None:
    with pytest.raises(ValidationError):
        MOMENT.validate_python("2026-11-01T00:00:00")


@pytest.mark.parametrize("bound", ["since", "until"])
async def test_a_report_up_to_the_edge_of_the_calendar_is_the_callers_error(
    local: httpx.AsyncClient, bound: str
) -> None:
    """Issue 1: no 5xx for any input."""
    answer = await local.get("/api/usage", params={bound: "0001-01-01T00:00:00+14:00"})
    assert (answer.status_code, answer.json()["field"]) == (422, bound)
