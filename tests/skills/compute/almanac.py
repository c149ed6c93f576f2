"""An independent almanac: the sky from XEphem's series (ephem), the rules of the pillars as verses state them."""

import math
import random
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import ephem
from lunar_python import Solar

from weft.skills.compute.birth import Birth, Place

PLACES = [
    Place(39.9042, 116.4074, "Asia/Shanghai", "Beijing"),
    Place(31.2304, 121.4737, "Asia/Shanghai", "Shanghai"),
    Place(43.8256, 87.6168, "Asia/Shanghai", "Urumqi, by Beijing's clock"),
    Place(22.3193, 114.1694, "Asia/Hong_Kong", "Hong Kong"),
    Place(35.6762, 139.6503, "Asia/Tokyo", "Tokyo"),
    Place(28.6139, 77.2090, "Asia/Kolkata", "Delhi"),
    Place(51.5072, -0.1276, "Europe/London", "London"),
    Place(69.6492, 18.9553, "Europe/Oslo", "Tromsø"),
    Place(78.2232, 15.6267, "Arctic/Longyearbyen", "Longyearbyen"),
    Place(64.1466, -21.9426, "Atlantic/Reykjavik", "Reykjavik"),
    Place(40.7128, -74.0060, "America/New_York", "New York"),
    Place(-0.1807, -78.4678, "America/Guayaquil", "Quito"),
    Place(-34.6037, -58.3816, "America/Argentina/Buenos_Aires", "Buenos Aires"),
    Place(-33.8688, 151.2093, "Australia/Sydney", "Sydney"),
    Place(-41.2865, 174.7762, "Pacific/Auckland", "Wellington"),
    Place(-77.8419, 166.6863, "Antarctica/McMurdo", "McMurdo"),
    Place(1.8721, -157.4278, "Pacific/Kiritimati", "Kiritimati"),
]

# 五虎遁: which stem the 寅 month has, by the year's stem. 甲己之年丙作首, …
FIRST_MONTH = dict(zip("甲己乙庚丙辛丁壬戊癸", "丙丙戊戊庚庚壬壬甲甲", strict=True))
# 五鼠遁: which stem the 子 hour has, by the day's stem. 甲己还加甲, …
FIRST_HOUR = dict(zip("甲己乙庚丙辛丁壬戊癸", "甲甲丙丙戊戊庚庚壬壬", strict=True))
STEMS, MONTHS, HOURS = "甲乙丙丁戊己庚辛壬癸", "寅卯辰巳午未申酉戌亥子丑", "子丑寅卯辰巳午未申酉戌亥"


def random_birth(chance: random.Random) -> Birth:
    """A birth anywhere and at any second from 1900 to 2100 whose clock reading was shown exactly once."""
    while True:
        moment = datetime.fromisoformat("1900-01-01") + timedelta(seconds=chance.randrange(201 * 365 * 86400))
        place = chance.choice(PLACES)
        if is_plain(moment, place):
            gender = chance.choice(["female", "male"])
            return Birth(moment.date(), moment.time(), place, gender, to_the_second=True)


def is_plain(clock: datetime, place: Place) -> bool:
    zone = ZoneInfo(place.timezone)
    back = clock.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)
    return back.replace(tzinfo=None) == clock and back.replace(fold=1).utcoffset() == back.utcoffset()


def is_summer_time(birth: Birth) -> bool:
    return bool(datetime.combine(birth.date, birth.time, ZoneInfo(birth.place.timezone)).dst())


def minutes_of(day: date, every: int) -> list[datetime]:
    """Moments of a day's clock, its last second among them."""
    midnight = datetime.combine(day, datetime.min.time())
    shown = [midnight + timedelta(minutes=count) for count in range(0, 24 * 60, every)]
    return [*shown, midnight + timedelta(hours=24) - timedelta(seconds=1)]


def instant(birth: Birth) -> datetime:
    return datetime.combine(birth.date, birth.time, ZoneInfo(birth.place.timezone)).astimezone(UTC)


def longitude(body: str, when: datetime) -> float:
    """The apparent geocentric longitude on the ecliptic of date."""
    at = ephem.Date(when.replace(tzinfo=None))
    thing = getattr(ephem, body.capitalize())()
    thing.compute(at, epoch=at)
    return math.degrees(ephem.Ecliptic(ephem.Equatorial(thing.g_ra, thing.g_dec, epoch=at), epoch=at).lon)


def sundial(when: datetime, east: float) -> datetime:
    """Local apparent time: the sun's hour angle, on the date that is nearest to the mean sun's."""
    observer = ephem.Observer()
    observer.lon, observer.lat, observer.date = math.radians(east), 0.0, ephem.Date(when.replace(tzinfo=None))
    sun = ephem.Sun(observer)
    hours = math.degrees(observer.sidereal_time() - sun.g_ra) / 15 + 12
    mean = when.replace(tzinfo=None) + timedelta(hours=east / 15)
    midnight = datetime.combine(mean.date(), datetime.min.time())
    off = (hours - (mean - midnight) / timedelta(hours=1) + 12) % 24 - 12
    return mean + timedelta(hours=off)


def year_and_month(when: datetime) -> tuple[str, str]:
    """By the sun's longitude: 立春 at 315 degrees opens the year and its 寅 month."""
    month = int((longitude("sun", when) - 315) % 360 // 30)
    # The 子 and 丑 months of a year lie around the next solar new year.
    year = when.year - 1 if when.month <= 2 and month >= 9 else when.year
    year_name = STEMS[(year - 4) % 10] + HOURS[(year - 4) % 12]
    first = STEMS.index(FIRST_MONTH[year_name[0]])
    return year_name, STEMS[(first + month) % 10] + MONTHS[month]


def day_and_hour(shown: datetime) -> tuple[str, str]:
    """The day that begins at 23:00, and its hour."""
    day = day_name((shown + timedelta(hours=1)).date())
    hour = (shown.hour + 1) // 2 % 12
    return day, STEMS[(STEMS.index(FIRST_HOUR[day[0]]) + hour) % 10] + HOURS[hour]


def day_name(day: date) -> str:
    return Solar.fromYmd(day.year, day.month, day.day).getLunar().getDayInGanZhi()


def near_boundary(shown: datetime, seconds: float) -> bool:
    """Whether the sundial stands so near a double hour's end that two almanacs may differ."""
    into = ((shown - datetime.fromisoformat("1899-01-01T01:00")) / timedelta(seconds=1)) % 7200
    return min(into, 7200 - into) < seconds
