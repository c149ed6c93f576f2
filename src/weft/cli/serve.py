"""`weft serve`: the server, from an open port to a clean end."""

import asyncio
import signal
import socket
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager
from datetime import timedelta
from importlib import import_module
from importlib.util import find_spec
from types import FrameType
from typing import Any

import anyio.to_thread
import click
import orjson
import uvicorn

from weft.app import authenticator_for, create_app
from weft.calls.context_sweep import sweeping
from weft.cli.hearing import hear_changes
from weft.cli.running import as_json
from weft.compose import open_weft
from weft.kit import log
from weft.kit.errors import OperatorError
from weft.runtime import operators_texts, operators_tools
from weft.settings import Settings, load_settings

GRACE_SECONDS = 15


class _Server(uvicorn.Server):
    """Heeds signals from the first moment, tells when it is ready, and leaves the last word to our own clean-up."""

    def __init__(self, ready: str) -> None:
        super().__init__(
            uvicorn.Config(
                _nothing_yet,
                log_config=None,
                access_log=False,
                server_header=False,
                lifespan="off",
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )
        self._ready = ready
        self.once_ready: Callable[[], Coroutine[Any, Any, None]] = _nothing_more
        self._afterwards: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        click.echo(self._ready)
        self._afterwards = asyncio.create_task(self.once_ready())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish what is under way, and nothing else."""
        if self._afterwards is not None:
            self._afterwards.cancel()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop when what is under way is done; while starting, a second signal does not wait for that."""
        if self.should_exit and not self.started:
            raise KeyboardInterrupt
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on SIGINT and SIGTERM. Raising them again afterwards, as uvicorn does, would cut off our clean-up."""
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


async def _nothing_yet(*_: Any) -> None:
    """Stands where the application will, until there is one."""


async def _nothing_more() -> None:
    """Stands where that will which can wait until the port is open."""


def _quick_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """The event loop in C, where there is one: it halves what a streamed token costs."""
    if find_spec("uvloop") is None:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = import_module("uvloop").new_event_loop
    return factory


def _open_port(settings: Settings) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        return socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    except OSError as error:
        raise OperatorError(
            f"cannot listen on {settings.host}:{settings.port}: {error.strerror or error}. "
            f"If another program holds the port, set WEFT_PORT to a free one."
        ) from error


async def _serve(settings: Settings, listening: socket.socket, ready: str) -> None:
    server = _Server(ready)
    with server.capture_signals():
        async with open_weft(settings) as weft, AsyncExitStack() as stack:
            listener = await hear_changes(weft, stack)
            texts = await anyio.to_thread.run_sync(operators_texts, weft)
            tools = await anyio.to_thread.run_sync(operators_tools, weft)
            app = create_app(weft, await authenticator_for(weft), texts, tools)
            await stack.enter_async_context(app.state.runtime.working(listener))
            kept = timedelta(days=settings.context_retention_days)
            await stack.enter_async_context(sweeping(weft.database, kept))
            server.config.app = app
            server.once_ready = app.state.runtime.flow.load_early
            if not server.should_exit:
                await server.serve(sockets=[listening])


@click.command()
@as_json
def command(as_json: bool) -> None:
    """Start the server.

    It listens on WEFT_HOST and WEFT_PORT (127.0.0.1:8700), brings the database up to date first, and on SIGTERM or
    Ctrl-C finishes what is under way.
    """
    settings = load_settings()
    log.configure(settings.log_level, plain=sys.stderr.isatty() and not as_json)
    listening = _open_port(settings)
    host, port = listening.getsockname()[:2]
    url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    ready = f"Weft is ready at {url}  (Ctrl-C stops it)"
    if as_json:
        ready = orjson.dumps({"ready": True, "url": url, "auth": settings.auth.value}).decode()
    with listening, asyncio.Runner(loop_factory=_quick_loop()) as runner:
        runner.run(_serve(settings, listening, ready))
