"""What a computation is told from, and what it gives: the frame that `told_bazi`, `told_zodiac`, `told_tarot` fill."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, ConfigDict

from weft.skills.compute.birth import Birth
from weft.skills.compute.errors import ComputeDataMissingError
from weft.skills.compute.moment import Note

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_ASK = (
    "ask the user for the date of birth (with time, place and gender where they know them), "
    "save it with save_user_data, then compute again"
)


@dataclass(frozen=True, slots=True)
class Computed:
    """What the model reads, and the new whole of `skill_data.<skill>`; None leaves that as it is."""

    result: dict[str, Any]
    keep: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """What is known about the user; `seed` makes a draw that was interrupted come out the same."""

    now: datetime
    birth_info: Mapping[str, Any] | None = None
    kept: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    seed: str | None = None

    def birth(self, compute_type: str) -> Birth:
        """The user's birth, or what to do when it is not known."""
        if not self.birth_info:
            raise ComputeDataMissingError(compute_type, ["birth_info"], _ASK)
        return Birth.from_info(self.birth_info)


class Options(BaseModel):
    """What a model may choose; a word that is no option is an error that it can mend."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class BirthOptions(Options):
    """Whose chart: the user's own unless another's birth is given, which is then never kept."""

    birth: dict[str, Any] | None = None


def written(birth: Birth, info: Mapping[str, Any]) -> str:
    """A birth in one line, as it was given: whoever reads it sees whether a kept chart is still this one's."""
    date = birth.date.isoformat()
    if info.get("calendar") == "lunar":
        date = f"{info['date']} lunar{' (leap month)' if info.get('leap_month') else ''} = {date} solar"
    said = [date, "time unknown" if birth.time is None else birth.time.isoformat("minutes")]
    place = birth.place
    said.append("place unknown" if place is None else place.name or f"{place.latitude:.2f},{place.longitude:.2f}")
    return " ".join([*said, birth.gender] if birth.gender else said)


def warnings(notes: tuple[Note, ...]) -> dict[str, list[str]]:
    """What the reader of a chart must be told; nothing where there is nothing."""
    return {"notes": [note.text for note in notes]} if notes else {}
