"""Whatever birth data are accepted, both charts come of them: the ends of the years, the poles, the date line."""

import datetime as dt

from hypothesis import example, given, settings
from hypothesis import strategies as st

from weft.skills.compute import Birth, Place, bazi, zodiac

ZONES = [
    "Asia/Shanghai",
    "Pacific/Kiritimati",
    "Etc/GMT+12",
    "Antarctica/Troll",
    "Australia/Lord_Howe",
    "Europe/Dublin",
]
PLACES = st.builds(
    Place,
    latitude=st.floats(-90, 90),
    longitude=st.floats(-180, 180),
    timezone=st.sampled_from(ZONES),
)
FIRST, LAST = dt.date(1900, 1, 1), dt.date(2100, 12, 31)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    birth=st.builds(
        Birth,
        date=st.dates(FIRST, LAST),
        time=st.none() | st.times(),
        place=st.none() | PLACES,
        gender=st.sampled_from([None, "female", "male", "other"]),
    )
)
@example(birth=Birth(FIRST, dt.time(0), Place(90, -180, "Pacific/Kiritimati"), "male"))
@example(birth=Birth(FIRST, None, None, "female"))
@example(birth=Birth(LAST, dt.time(23, 59, 59), Place(-90, 180, "Etc/GMT+12"), "male"))
@example(birth=Birth(LAST, None, None, "male"))
def test_every_accepted_birth_has_both_charts(birth: Birth) -> None:
    """SKILL-7"""
    chart, sky = bazi(birth), zodiac(birth, "placidus")
    known = (chart.year, chart.month, chart.day) + ((chart.hour,) if chart.hour else ())
    assert all(pillar.name in pillar.possible for pillar in known)
    assert all(len(pillar.turns) == len(pillar.possible) - 1 for pillar in known)
    assert (chart.hour is None) == (birth.time is None)
    assert all(body.sign in body.possible_signs or len(body.possible_signs) > 1 for body in sky.bodies)
    assert (sky.houses is None) or birth.time is not None
