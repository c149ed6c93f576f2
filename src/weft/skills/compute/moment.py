"""The moment of a birth: which instants it can have been, given what its clock said and what is not known."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

from weft.skills.compute.birth import Birth

# Where the zone is not known: the calendar's own meridian for reckoning, and every zone there is for what is possible.
_HOME = timezone(timedelta(hours=8))
_EASTMOST, _WESTMOST = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))


@dataclass(frozen=True, slots=True)
class Note:
    """Something that the reader of a chart must be told: a stable code, and the words."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Moment:
    """The instant reckoned with, and the first and last that the birth data allow; `clock` is what the clock said."""

    clock: datetime
    reckoned: datetime
    earliest: datetime
    latest: datetime
    offset: timedelta
    daylight_saving: timedelta
    hour_known: bool
    notes: tuple[Note, ...] = ()


def moment_of(birth: Birth) -> Moment:
    """Which moment a birth was."""
    if birth.time is None:
        first = datetime.combine(birth.date, time(0))
        last = datetime.combine(birth.date, time(23, 59, 59))
        clock = datetime.combine(birth.date, time(12))
    else:
        clock = first = datetime.combine(birth.date, birth.time)
        # '08:30' was said of any second of that minute.
        last = first if birth.to_the_second else first + timedelta(seconds=59)
    unknown = Note(
        "hour_unknown", "The hour of birth is not known: noon stands in for it, and nothing is read from the hour."
    )
    notes = [unknown] if birth.time is None else []
    return _placed(birth, clock, first, last, notes) if birth.place else _placeless(birth, clock, first, last, notes)


def _placed(birth: Birth, clock: datetime, first: datetime, last: datetime, notes: list[Note]) -> Moment:
    assert birth.place is not None  # noqa: S101 - for the type checker: the caller has looked
    zone = ZoneInfo(birth.place.timezone)
    if birth.time is not None:
        notes += _clock_changes(clock, zone)
    local = clock.replace(tzinfo=zone)
    return Moment(
        clock=clock,
        reckoned=local.astimezone(UTC),
        earliest=first.replace(tzinfo=zone).astimezone(UTC),
        latest=_latest(last, zone),
        offset=local.utcoffset() or timedelta(0),
        daylight_saving=local.dst() or timedelta(0),
        hour_known=birth.time is not None,
        notes=tuple(notes),
    )


def _placeless(birth: Birth, clock: datetime, first: datetime, last: datetime, notes: list[Note]) -> Moment:
    text = "The place of birth is not known: the clock is read as UTC+8, and what another zone could change is listed."
    return Moment(
        clock=clock,
        reckoned=clock.replace(tzinfo=_HOME).astimezone(UTC),
        earliest=first.replace(tzinfo=_EASTMOST).astimezone(UTC),
        latest=last.replace(tzinfo=_WESTMOST).astimezone(UTC),
        offset=timedelta(hours=8),
        daylight_saving=timedelta(0),
        hour_known=birth.time is not None,
        notes=(*notes, Note("place_unknown", text)),
    )


def _skipped(clock: datetime, zone: ZoneInfo) -> bool:
    return clock.replace(tzinfo=zone).astimezone(UTC).astimezone(zone).replace(tzinfo=None) != clock


def _latest(clock: datetime, zone: ZoneInfo) -> datetime:
    # A clock put back showed this time twice; one that skipped it showed it never, and is read as not yet moved.
    fold = 0 if _skipped(clock, zone) else 1
    return clock.replace(tzinfo=zone, fold=fold).astimezone(UTC)


def _clock_changes(clock: datetime, zone: ZoneInfo) -> list[Note]:
    if _skipped(clock, zone):
        text = (
            f"Clocks in {zone.key} were put forward over {clock:%Y-%m-%d %H:%M}; it is read as if not yet put forward."
        )
        return [Note("clock_skipped", text)]
    first, second = (clock.replace(tzinfo=zone, fold=fold).utcoffset() for fold in (0, 1))
    if first == second:
        return []
    text = (
        f"Clocks in {zone.key} were put back and showed {clock:%Y-%m-%d %H:%M} twice; the first time is reckoned with."
    )
    return [Note("clock_twice", text)]
