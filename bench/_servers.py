"""Servers of a measurement, each a process of its own, and the processor time that one has used."""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from bench._processes import processor_seconds

START_SECONDS = 90
WORDS_KEPT = 2_000  # of what a server wrote, at its end


@dataclass(frozen=True)
class Server:
    """One that answers."""

    url: str
    process: subprocess.Popen[bytes]
    written: Path

    def processor_seconds(self) -> float:
        """What it has used with its threads and children; a database's or a vendor's part is not in it."""
        return processor_seconds(self.process.pid)

    def ended(self) -> bool:
        """Whether it is gone, though nobody asked it to go."""
        return self.process.poll() is not None

    def last_words(self) -> str:
        """The end of what it wrote."""
        return self.written.read_text(encoding="utf-8", errors="replace")[-WORDS_KEPT:]


def free_port() -> int:
    """A port that nobody holds now."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@contextmanager
def server(command: Sequence[str], port: int, ready: str, environment: Mapping[str, str]) -> Iterator[Server]:
    """Start it, wait until it is ready, and end it."""
    with tempfile.NamedTemporaryFile(prefix="weft-bench-", suffix=".log") as written:
        process = subprocess.Popen(  # a measurement's own server
            command, env={**os.environ, **environment}, stdout=written, stderr=written
        )
        running = Server(f"http://127.0.0.1:{port}", process, Path(written.name))
        try:
            _wait(running, ready)
            yield running
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def python_server(
    module: str, ready: str, environment: Mapping[str, str], python: str = sys.executable
) -> Iterator[Server]:
    """A module of ours that listens on the port it is given as its argument."""
    port = free_port()
    with server([python, "-m", module, str(port)], port, ready, environment) as running:
        yield running


@contextmanager
def weft_server(home: Path, vendor: str, model: str = "scripted") -> Iterator[Server]:
    """A Weft as `make run` starts it, with this vendor."""
    port = free_port()
    environment = {
        "WEFT_HOME": str(home),
        "WEFT_PORT": str(port),
        "WEFT_LLM_BASE_URL": vendor,
        "WEFT_LLM_MODEL": model,
        "WEFT_LOG_LEVEL": "WARNING",
    }
    with server([sys.executable, "-m", "weft", "serve"], port, "/readyz", environment) as running:
        yield running


def _wait(running: Server, ready: str) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if running.ended():
            raise RuntimeError(f"it ended with {running.process.returncode}: {running.last_words()}")
        try:
            if httpx.get(running.url + ready, timeout=2).status_code < 500:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.2)
    raise RuntimeError(f"{running.url}{ready} does not answer: {running.last_words()}")
