"""What driving a turn's stages costs by itself: CrewAI's flow as quiet as it can be set, and ours upon it."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from crewai.flow.flow import Flow, FlowState, listen, router, start

from bench._ground import run, table
from weft.flow.lean import LeanFlow
from weft.flow.quiet import be_quiet

ROUNDS, IN_A_ROW, AT_ONCE = 12, 20, 50


class Quiet(Flow[FlowState]):
    """As far as its own settings go."""

    _skip_auto_memory = True

    @start()
    async def prepare(self) -> None: ...

    @router(prepare)
    async def enter(self) -> str:
        return "to_intent"

    @listen("to_intent")
    async def intent(self) -> None: ...

    @router(intent)
    async def after_intent(self) -> str:
        return "to_archive"

    @listen("to_archive")
    async def archive(self) -> None: ...


class Lean(LeanFlow):
    """The same methods on ours."""

    @start()
    async def prepare(self) -> None: ...

    @router(prepare)
    async def enter(self) -> str:
        return "to_intent"

    @listen("to_intent")
    async def intent(self) -> None: ...

    @router(intent)
    async def after_intent(self) -> str:
        return "to_archive"

    @listen("to_archive")
    async def archive(self) -> None: ...


async def _cheapest(make: Callable[[], Any], at_once: int, batches: int) -> float:
    """Processor milliseconds of one flow, in the round that was disturbed least."""
    spent = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        for _ in range(batches):
            await asyncio.gather(*(asyncio.create_task(make().kickoff_async()) for _ in range(at_once)))
        spent.append((time.process_time() - begun) / (batches * at_once) * 1000)
    return min(spent)


async def _measure() -> None:
    be_quiet()
    rows = []
    for name, kind in (("CrewAI's flow, as quiet as it can be set", Quiet), ("Weft's, upon it", Lean)):

        def make(kind: Any = kind) -> Any:
            return kind(suppress_flow_events=True, tracing=False)

        rows.append([name, await _cheapest(make, 1, IN_A_ROW), await _cheapest(make, AT_ONCE, 1)])
    table(["processor ms of a flow of five methods", "one after the other", f"{AT_ONCE} at once"], rows)


def main() -> None:
    """Measure."""
    run(_measure)
