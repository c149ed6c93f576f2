"""What a turn starts from: as large after 5,000 turns as after fifty."""

from dataclasses import dataclass, replace
from typing import Annotated, Any

import orjson
from pydantic import Field, with_config

from weft.state.closed import CLOSED, Count
from weft.state.errors import StateInvalidError, UnknownStateVersionError
from weft.state.json_form import Form, Raw, Recorded
from weft.state.shared import SUMMARIES_KEPT, Shared, TurnSummary

VERSION = 1


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class TurnSnapshot:
    """The shared part as a turn left it, where the counting stands, and a few words on the last turns."""

    version: Annotated[int, Field(ge=VERSION, le=VERSION)]
    turn: Count
    last_action: Count
    shared: Shared
    recent: Annotated[tuple[TurnSummary, ...], Field(max_length=SUMMARIES_KEPT)] = ()


_FORM: Form[TurnSnapshot] = Form(TurnSnapshot, "snapshot")


def record_snapshot(snapshot: TurnSnapshot) -> Recorded[TurnSnapshot]:
    """A snapshot as it is stored."""
    return _FORM.record(snapshot)


def load_snapshot(raw: Raw) -> TurnSnapshot:
    """A snapshot as it was stored; one of another version is refused, never guessed at."""
    try:
        return _FORM.load(raw)
    except StateInvalidError:
        _check_version(raw)
        raise


def counted_on(before: TurnSnapshot | None, last_action: int) -> TurnSnapshot:
    """What to start from after a turn of which no more is known than how far its actions count."""
    if before is None:
        return TurnSnapshot(VERSION, 1, last_action, Shared())
    return replace(before, turn=before.turn + 1, last_action=last_action)


def _check_version(raw: Raw) -> None:
    value: Any = raw
    if isinstance(raw, bytes | str):
        try:
            value = orjson.loads(raw)
        except orjson.JSONDecodeError:
            return
    if isinstance(value, dict) and value.get("version") != VERSION:
        raise UnknownStateVersionError(value.get("version"), (VERSION,))
