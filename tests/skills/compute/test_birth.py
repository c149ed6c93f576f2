"""Birth data: what a profile holds is read whole, and what cannot be computed with is named."""

from datetime import date, time
from typing import Any

import pytest

from weft.profiles.shapes import check_shape
from weft.skills.compute.birth import Birth, Place
from weft.skills.compute.errors import BirthDataError

PLACE = {"name": "北京", "latitude": 39.9, "longitude": 116.4, "timezone": "Asia/Shanghai"}


def test_a_profile_s_birth_info_is_taken_as_it_is_stored() -> None:
    """PRO-8"""
    stored = check_shape(
        "birth_info",
        {"date": "1990-04-23", "time": "08:30", "calendar": "lunar", "place": PLACE, "gender": "female"},
    )
    birth = Birth.from_info(stored)
    assert birth == Birth(date(1990, 5, 17), time(8, 30), Place(39.9, 116.4, "Asia/Shanghai", "北京"), "female")


def test_what_is_not_known_stays_unknown() -> None:
    """PRO-8"""
    birth = Birth.from_info({"date": "1990-05-17", "calendar": "solar"})
    assert (birth.time, birth.place, birth.gender) == (None, None, None)


def test_seconds_are_known_only_where_they_were_given() -> None:
    """PRO-8"""
    info = {"date": "1990-05-17", "calendar": "solar"}
    assert not Birth.from_info({**info, "time": "08:30"}).to_the_second
    assert Birth.from_info({**info, "time": "08:30:00"}).to_the_second


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"date": "1990-02-30"}, "date"),
        ({"date": "1899-12-31"}, "date"),
        ({"date": "2101-01-01"}, "date"),
        ({"date": "17.5.1990"}, "date"),
        ({"date": None}, "date"),
        ({"date": "１９９０-05-17"}, "date"),
        ({"time": "24:00"}, "time"),
        ({"time": "0830"}, "time"),
        ({"time": "08:30+08:00"}, "time"),
        ({"time": 8}, "time"),
        ({"calendar": "julian"}, "calendar"),
        ({"leap_month": True}, "leap_month"),
        ({"calendar": "lunar", "leap_month": True, "date": "1991-05-17"}, "leap_month"),
        ({"gender": "x"}, "gender"),
        ({"place": {"latitude": 1}}, "place"),
        ({"place": "Beijing"}, "place"),
        ({"place": {**PLACE, "latitude": 90.1}}, "place.latitude"),
        ({"place": {**PLACE, "longitude": float("nan")}}, "place.longitude"),
        ({"place": {**PLACE, "latitude": True}}, "place.latitude"),
        ({"place": {**PLACE, "timezone": "Mars/Base"}}, "place.timezone"),
        ({"hour": 8}, "hour"),
    ],
)
def test_what_cannot_be_computed_with_is_refused_by_name(change: dict[str, Any], field: str) -> None:
    """PRO-8"""
    info = {"date": "1990-05-17", "time": "08:30", "calendar": "solar", "place": PLACE, "gender": "male"}
    with pytest.raises(BirthDataError) as refused:
        Birth.from_info({**info, **change})
    assert refused.value.field == field
