"""Servers of a measurement, each a process of its own, and the processor time that one has used."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

TICKS = os.sysconf("SC_CLK_TCK")
START_SECONDS = 90


@dataclass(frozen=True)
class Server:
    """One that answers."""

    url: str
    pid: int

    def processor_seconds(self) -> float:
        """What the process itself has used; a database's or a vendor's part is not in it."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


def free_port() -> int:
    """A port that nobody holds now."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@contextmanager
def server(command: Sequence[str], port: int, ready: str, environment: Mapping[str, str]) -> Iterator[Server]:
    """Start it, wait until it is ready, and end it."""
    process = subprocess.Popen(  # a measurement's own server
        command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait(process, f"{url}{ready}")
        yield Server(url, process.pid)
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
def weft_server(home: Path, vendor: str) -> Iterator[Server]:
    """A Weft as `make run` starts it, with this vendor."""
    port = free_port()
    environment = {
        "WEFT_HOME": str(home),
        "WEFT_PORT": str(port),
        "WEFT_LLM_BASE_URL": vendor,
        "WEFT_LLM_MODEL": "scripted",
        "WEFT_LOG_LEVEL": "WARNING",
    }
    with server([sys.executable, "-m", "weft", "serve"], port, "/readyz", environment) as running:
        yield running


def _wait(process: subprocess.Popen[bytes], url: str) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError(f"the server of {url} ended with {process.returncode}")
        try:
            if httpx.get(url, timeout=2).status_code < 500:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.2)
    raise RuntimeError(f"{url} does not answer")
