"""nanobot in an environment of its own, asked in a process of its own."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench._environments import NotThereError, interpreter

__all__ = ["VERSION", "NotThereError", "ask", "versions"]

VERSION = "0.3.5"
SCRIPT = Path(__file__).parent / "peers" / "nanobot_contexts.py"


def ask(what: str, workspace: Path, given: Any) -> list[Any]:
    """Run the script over a workspace; each line that it writes, read."""
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as home:
        # A home of its own: nothing of this machine's settings, keys or skills.
        environment = {"HOME": home, "PATH": os.environ.get("PATH", ""), "PYTHONUTF8": "1"}
        command = [str(interpreter("nanobot", [f"nanobot-ai=={VERSION}"])), str(SCRIPT), what, str(workspace)]
        written = json.dumps(given, ensure_ascii=False)
        done = subprocess.run(command, input=written, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise NotThereError(f"nanobot failed at {what}: {done.stderr.strip()[-2_000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def versions() -> str:
    """What is compared, for the heading of a table."""
    return f"nanobot-ai {VERSION}, Python {sys.version_info.major}.{sys.version_info.minor}"
