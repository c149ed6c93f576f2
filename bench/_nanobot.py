"""nanobot in an environment of its own: made once, kept in a cache folder, asked in a process of its own."""

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

VERSION = "0.3.5"
CACHE = "WEFT_BENCH_CACHE"  # where the environment is kept; without it in the folder for temporary files
SCRIPT = Path(__file__).parent / "peers" / "nanobot_contexts.py"


class NotThereError(RuntimeError):
    """It cannot be installed here."""


def python() -> Path:
    """The interpreter of the environment, which is made where it is not there yet."""
    folder = Path(os.environ.get(CACHE) or Path(tempfile.gettempdir()) / "weft-bench") / f"nanobot-{VERSION}"
    interpreter = folder / "bin" / "python"
    if not (folder / "ready").is_file():
        folder.parent.mkdir(parents=True, exist_ok=True)
        venv.create(folder, with_pip=True, clear=True)
        install = [str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        done = subprocess.run([*install, f"nanobot-ai=={VERSION}"], capture_output=True, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
            raise NotThereError(f"nanobot-ai {VERSION} cannot be installed into {folder}: {reason}")
        (folder / "ready").write_text(VERSION, encoding="utf-8")
    return interpreter


def ask(what: str, workspace: Path, given: Any) -> list[Any]:
    """Run the script over a workspace; each line that it writes, read."""
    with tempfile.TemporaryDirectory(prefix="weft-bench-") as home:
        # A home of its own: nothing of this machine's settings, keys or skills.
        environment = {"HOME": home, "PATH": os.environ.get("PATH", ""), "PYTHONUTF8": "1"}
        command = [str(python()), str(SCRIPT), what, str(workspace)]
        written = json.dumps(given, ensure_ascii=False)
        done = subprocess.run(command, input=written, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise NotThereError(f"nanobot failed at {what}: {done.stderr.strip()[-2_000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def versions() -> str:
    """What is compared, for the heading of a table."""
    return f"nanobot-ai {VERSION}, Python {sys.version_info.major}.{sys.version_info.minor}"
