"""What a process that died left behind in a run: told of to the end before the run goes on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from weft.calls.service import CallService
from weft.kit.db import Transaction
from weft.nodes.rows import Row
from weft.runs.repository import Owner, RunRepository
from weft.sessions.service import SessionService
from weft.state.events import Event, StageEnded, TextEnded


@dataclass(slots=True)
class LeftOpen:
    """Texts that were being shown, stages that were under way, calls that stand on no message."""

    texts: dict[str, tuple[str, list[str]]] = field(default_factory=dict)  # by id: its kind, its pieces
    stages: list[Any] = field(default_factory=list)
    unbooked: Sequence[UUID] = ()
    calls_made: int = 0  # of models, in all

    def events(self) -> list[Event]:
        """What closes them for those who watch."""
        ended = [TextEnded(name, incomplete=True) for name in self.texts]
        return [*ended, *(StageEnded(stage) for stage in reversed(self.stages))]

    def rows(self) -> list[Row]:
        """What was shown stays in the conversation, marked; and each call stands on one message."""
        shown = [
            Row("assistant_output", "".join(pieces), UUID(name), stage="intent", incomplete=True)
            for name, (kind, pieces) in self.texts.items()
            if kind == "answer" and pieces
        ]
        audit = [
            Row("stage_audit", stage="turn", data={"outcome": "interrupted"}, call_id=call_id)
            for call_id in self.unbooked
        ]
        return [*shown, *audit]


async def left_open(tx: Transaction, owner: Owner) -> LeftOpen:
    """Look at what the run told and which calls it made; a call without an end is booked as abandoned."""
    left = LeftOpen()
    for kind, data in await RunRepository(tx.connection).texts_and_stages(owner.run_id):
        _follow(left, kind, data)
    calls = CallService(tx)
    await calls.abandon(owner.run_id)
    made = [call.id for call in await calls.of_turn(owner.run_id)]
    booked = await SessionService(tx).calls_booked(made)
    left.calls_made = len(made)
    left.unbooked = [call_id for call_id in made if call_id not in booked]
    return left


def _follow(left: LeftOpen, kind: str, data: dict[str, Any]) -> None:
    match kind:
        case "text_started":
            left.texts[data["message_id"]] = (data["kind"], [])
        case "text_grew":
            left.texts[data["message_id"]][1].append(data["text"])
        case "text_ended":
            left.texts.pop(data["message_id"], None)
        case "stage_started":
            left.stages.append(data["stage"])
        case "stage_ended":
            if data["stage"] in left.stages:
                left.stages.remove(data["stage"])
