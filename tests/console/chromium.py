"""A real Chromium for the browser tests: found, or installed where that is allowed, or missed loudly."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import fasteners
import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
PACKAGES = ("chromium", "fonts-wqy-zenhei")


def required() -> bool:
    """Whether a run without browser tests is a failure."""
    return os.environ.get("CI", "").lower() in ("1", "true")


def give_up(reason: str) -> NoReturn:
    """The browser tests cannot run: that fails where they are required, and is said loudly elsewhere."""
    message = f"THE BROWSER TESTS WERE NOT RUN: {reason}"
    if required():
        pytest.fail(message)
    pytest.skip(message)


def find() -> str | None:
    """Where Chromium is."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def install() -> str | None:
    """By apt, where this is root on such a system."""
    apt = shutil.which("apt-get")
    if apt is None or os.name != "posix" or os.geteuid() != 0:
        return None
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *PACKAGES]):
        ran = subprocess.run([apt, *command], env=environment, capture_output=True, check=False, timeout=600)
        if ran.returncode != 0:
            return None
    return find()


def executable(lock: Path) -> str:
    """Chromium's path."""
    with fasteners.InterProcessLock(lock):
        path = find() or install()
    if path is None:
        give_up("there is no Chromium, and it could not be installed; put `chromium` on the PATH")
    return path
