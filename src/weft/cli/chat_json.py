"""Tells a turn to a program: one JSON object a line, the events as they are stored, and last what it came to."""

from dataclasses import asdict, dataclass
from typing import Any, TextIO
from uuid import UUID

import orjson

from weft.cli.chat_costs import Spent
from weft.kit.errors import WeftError
from weft.state.events import Event, dump


@dataclass(slots=True)
class JsonLines:
    """Every line has a `type`, and says which run of which conversation it is about."""

    out: TextIO
    _about: dict[str, str] | None = None

    def begin(self, session_id: UUID, run_id: UUID) -> None:
        """Something is under way from now on."""
        self._about = {"session_id": str(session_id), "run_id": str(run_id)}
        self._tell({"type": "accepted"})

    def show(self, seq: int, event: Event) -> None:
        """What happened; a piece of a text that is not stored yet has no number."""
        self._tell({"type": event.type, **({"seq": seq} if seq else {}), **dump(event)})

    def spent(self, turn: Spent, all_: Spent, seconds: float) -> None:
        """What the turn came to."""
        self._tell({"type": "spent", "turn": _plain(turn), "session": _plain(all_), "seconds": round(seconds, 3)})

    def idle(self) -> None:
        """Nothing new came: nothing is told."""

    def stopping(self) -> None:
        """The end is told when it comes."""

    def rest(self) -> None:
        """The last event said so."""

    def left_waiting(self, session_id: UUID) -> None:
        """`run_paused` said so."""

    def told(self, error: WeftError) -> None:
        """What could not be done."""
        self._tell({"type": "refused", "code": error.code, "detail": error.detail})

    def _tell(self, line: dict[str, Any]) -> None:
        self.out.write(orjson.dumps({**line, **(self._about or {})}, default=str).decode() + "\n")
        self.out.flush()


def _plain(spent: Spent) -> dict[str, Any]:
    return {**asdict(spent), "cost": format(spent.cost, "f")}
