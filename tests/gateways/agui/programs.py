"""Others' programs for AG-UI, found, or installed where that is allowed, or missed loudly.

The official client comes from npm, by the lock beside it, in its version of today and in one from before 1.0;
`ag-ui-validate` is a package of the development lock. AGUI_CHECK names a script for node that takes
`URL --input FILE --json`; without it, one that stands beside the project is taken.
"""

import hashlib
import os
import runpy
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import fasteners
import pytest

from tests.console.chromium import required

HERE = Path(__file__).parent / "clients"
ROOT = Path(__file__).parents[3]
DRIVER = HERE / "drive.mjs"
CHECK = Path(
    os.environ.get("AGUI_CHECK") or ROOT.parent / "shared" / "tools" / "agui" / "check.mjs"
).resolve()  # node runs no link
VALIDATOR = Path(sys.executable).with_name("ag-ui-validate")


@dataclass(frozen=True)
class Node:
    """Node, and the packages of the lock."""

    path: Path
    packages: Path


def give_up(reason: str) -> NoReturn:
    """They cannot have their say: that fails where they are required, and is said loudly elsewhere."""
    message = f"THE OFFICIAL CLIENTS OF AG-UI WERE NOT ASKED: {reason}"
    if required():
        pytest.fail(message)
    pytest.skip(message)


def installed(lock: Path) -> Node:
    """Node with the clients in place: those of the machine and its npm registry, as the console takes them."""
    builder = runpy.run_path(str(ROOT / "tools" / "build_console.py"))
    try:
        with fasteners.InterProcessLock(lock):
            node, npm = builder["find_node"]()
            _install(node, npm)
    except builder["CannotBuildError"] as error:
        give_up(str(error))
    return Node(node, HERE / "package.json")


def _install(node: Path, npm: list[str]) -> None:
    wanted = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()
    stamp = HERE / "node_modules" / ".stamp"
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    environment = os.environ | {"PATH": os.pathsep.join([str(node.parent), os.environ.get("PATH", "")])}
    done = subprocess.run(
        [*npm, "ci", "--no-fund", "--no-audit", "--loglevel=error"],
        cwd=HERE,
        env=environment,
        check=False,
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode != 0:
        give_up(f"npm could not install them: {done.stderr.strip()[-800:]}")
    stamp.write_text(wanted)


def checking_script() -> Path:
    """The script, where there is one: it is no part of the project."""
    if not CHECK.is_file():
        pytest.skip("there is no script of checks; AGUI_CHECK may name one")
    return CHECK


def validator() -> Path:
    """The program of the development lock."""
    if not VALIDATOR.is_file():
        give_up(f"there is no {VALIDATOR.name} beside {sys.executable}; `make test` installs it")
    return VALIDATOR
