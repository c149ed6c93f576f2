"""Environments of those that Weft is measured beside: each made once, pinned, and kept in a cache folder."""

import hashlib
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

CACHE = "WEFT_BENCH_CACHE"  # where they are kept; without it in the folder for temporary files


class NotThereError(RuntimeError):
    """It cannot be installed here."""


def interpreter(name: str, wanted: Sequence[str]) -> Path:
    """The Python of an environment with what is wanted, as pip is told it; made where it is not there yet."""
    folder = (
        Path(os.environ.get(CACHE) or Path(tempfile.gettempdir()) / "weft-bench") / f"{name}-{_fingerprint(wanted)}"
    )
    python = folder / "bin" / "python"
    if not (folder / "ready").is_file():
        folder.parent.mkdir(parents=True, exist_ok=True)
        venv.create(folder, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
            raise NotThereError(f"{name} cannot be installed into {folder}: {reason}")
        (folder / "ready").write_text("\n".join(wanted), encoding="utf-8")
    return python


def _fingerprint(wanted: Sequence[str]) -> str:
    """Changes with what is wanted, with a file of requirements that it names, and with the Python."""
    told = [*wanted, sys.version, *(Path(word).read_text(encoding="utf-8") for word in wanted if Path(word).is_file())]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:12]
