"""The stages of a turn as a CrewAI flow: its router reads where the last action leads, and nothing else."""

from typing import Any

from crewai.flow.flow import listen, router, start

from weft.flow.crew import crew_of
from weft.flow.lean import LeanFlow
from weft.flow.quiet import be_quiet
from weft.nodes.processor import STAGE_OF, drive, next_node
from weft.nodes.turn import Turn
from weft.state.events import Stage

TO_INTENT, TO_EXECUTION, TO_ORGANIZATION, TO_ARCHIVE, NOWHERE = (
    "to_intent",
    "to_execution",
    "to_organization",
    "to_archive",
    "nowhere",
)


class TurnFlow(LeanFlow):
    """prepare ─► intent ─► router ─► [execution] ─► [organization] ─► archive.

    One instance a run. A turn that is resumed enters by the same door: the router leads to where its last action
    points.
    """

    @start()
    async def prepare(self) -> None:
        """Everything is loaded: by whoever made the turn."""

    @router(prepare)
    async def enter(self) -> str:
        """To the stage that comes first, or where the turn had come."""
        return self._way()

    @listen(TO_INTENT)
    async def intent(self) -> None:
        """Route, or answer what is simple."""
        await self._stage("intent")

    @router(intent)
    async def after_intent(self) -> str:
        """A direct answer is the end of it."""
        return self._way()

    @listen(TO_EXECUTION)
    async def execution(self) -> None:
        """Find facts and structured results."""
        await self._stage("execution")

    @router(execution)
    async def after_execution(self) -> str:
        """To the answer; or back to the intent, where an expert has taken over."""
        return self._way()

    @listen(TO_ORGANIZATION)
    async def organization(self) -> None:
        """Word the answer."""
        await self._stage("organization")

    @router(organization)
    async def after_organization(self) -> str:
        """To the end; or back to the tools, where something was missing."""
        return self._way()

    @listen(TO_ARCHIVE)
    async def archive(self) -> None:
        """Write down the end."""
        await drive(self._turn, "archive")

    def _way(self) -> str:
        if self._turn.resting or (node := next_node(self._turn)) is None:
            return NOWHERE
        return f"to_{STAGE_OF[node]}"

    async def _stage(self, stage: Stage) -> None:
        self._turn.enter(stage)
        try:
            await drive(self._turn, stage)
        finally:
            for event in self._turn.leave():
                self._turn.show(event)

    @property
    def _turn(self) -> Turn:
        turn: Turn = object.__getattribute__(self, "weft_turn")
        return turn


async def run_turn(turn: Turn) -> None:
    """Carry a turn to its end, or to where it has to wait."""
    be_quiet()
    turn.contracts = crew_of(turn.texts).contracts
    flow: Any = TurnFlow(suppress_flow_events=True, tracing=False)
    object.__setattr__(flow, "weft_turn", turn)  # a live handle: out of the state, which is copied
    await flow.kickoff_async()
