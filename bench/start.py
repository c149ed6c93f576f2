"""What it takes to answer `weft --help`, and to have a server that is ready."""

import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench._ground import table

ROUNDS = 5
WEFT = Path(sys.executable).parent / "weft"


def _measured(work: Callable[[], None]) -> tuple[float, float]:
    """Median wall and processor milliseconds; the processor time is that of the processes started, and theirs."""
    walls, processors = [], []
    for _ in range(ROUNDS):
        before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        work()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        walls.append((time.perf_counter() - wall) * 1000)
        processors.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000)
    return statistics.median(walls), statistics.median(processors)


def _help() -> None:
    subprocess.run([WEFT, "--help"], check=True, stdout=subprocess.DEVNULL)


def _serve(home: str) -> None:
    environment = {**os.environ, "WEFT_HOME": home, "WEFT_PORT": "0"}
    with subprocess.Popen(
        [WEFT, "serve"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        server.stdout.readline()
        server.send_signal(signal.SIGTERM)


def main() -> None:
    """Print the figures; a server's include its stop, and PostgreSQL's own start and stop."""
    rows: list[tuple[str, float, float]] = [("weft --help", *_measured(_help))]
    with tempfile.TemporaryDirectory(prefix="weft-bench-", ignore_cleanup_errors=True) as home:
        first = _first_start(home)
        rows += [("weft serve, first start", *first), ("weft serve, later starts", *_measured(lambda: _serve(home)))]
    table(("", "ms", "ms processor"), rows)


def _first_start(home: str) -> tuple[float, float]:
    before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    _serve(home)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (time.perf_counter() - wall) * 1000, processor * 1000
