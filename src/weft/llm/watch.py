"""Ends a wait that takes too long, at the price of one clock reading per wait instead of one timer."""

import asyncio
from types import TracebackType
from typing import Self


class Watch:
    """A block whose waits are limited; only the time between `start` and `stop` counts.

    Inside an async generator the block stays open while the consumer works, which must never be cut short:
    hence a watch that is stopped then, and one timer that looks at it now and again instead of one a wait.
    """

    __slots__ = ("_base", "_limit", "_loop", "_since", "_task", "_timer", "expired")

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._loop = asyncio.get_running_loop()
        self._since: float | None = None
        self._task: asyncio.Task[object] | None = None
        self._base = 0
        self._timer: asyncio.TimerHandle | None = None
        self.expired = False

    def start(self, limit: float) -> None:
        """Begin to count; the task that calls is the one that will be woken."""
        self._since = self._loop.time()
        task = asyncio.current_task()
        if task is not self._task and task is not None:
            self._task = task
            self._base = task.cancelling()
        if limit != self._limit or self._timer is None:
            self._limit = limit
            self._look_in(limit)

    def stop(self) -> None:
        """Count no more until the next `start`."""
        self._since = None

    def __enter__(self) -> Self:
        self.start(self._limit)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._since = None
        if not self.expired or self._task is None:
            return
        asked_by_others = self._task.uncancel() > self._base
        if kind is asyncio.CancelledError and not asked_by_others:
            raise TimeoutError

    def _look(self) -> None:
        late = 0.0 if self._since is None else self._loop.time() - self._since
        if late >= self._limit and self._task is not None:
            self.expired = True
            self._task.cancel()
        else:
            self._look_in(self._limit - late)

    def _look_in(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(seconds, self._look)
