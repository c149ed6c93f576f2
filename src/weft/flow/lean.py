"""CrewAI's flow without what it does for others: no events, no persistence of its own, and no thread for either.

A turn is recorded by its own journal and resumed from there. CrewAI goes through a thread after each method, to see
whether it is to persist it, and through its bus before the first, to tell of the beginning.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from crewai.flow.flow import Flow, FlowState


class TurnFlowState(FlowState):
    """CrewAI keeps it, copies it and dumps it; a turn's state lives elsewhere, so that nothing of it is in here."""


class LeanFlow(Flow[TurnFlowState]):
    """What drives the methods, and nothing else. Every method is a coroutine."""

    _skip_auto_memory = True
    defer_trace_finalization: bool = True  # nothing is traced

    async def _open_flow_scope(self, inputs: dict[str, Any] | None) -> bool:
        """No event tells of its beginning, so none has to tell of its end."""
        return False

    async def _execute_method(
        self, method_name: Any, method: Callable[..., Awaitable[Any]], *args: Any, **kwargs: Any
    ) -> tuple[Any, str | None]:
        """Run a method and note that it ran: routers and listeners go by that."""
        result = await method(*args, **kwargs)
        self._method_outputs.append({"method": str(method_name), "output": result})
        self._method_execution_counts[method_name] = self._method_execution_counts.get(method_name, 0) + 1
        self._completed_methods.add(method_name)
        return result, None
