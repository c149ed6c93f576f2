"""What the build says of itself, and that the browser tests cannot be skipped unseen (SURF-4)."""

import gzip
import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from tests.console import chromium

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tool() -> ModuleType:
    """`tools/build_console.py`."""
    spec = importlib.util.spec_from_file_location("build_console", ROOT / "tools" / "build_console.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_start_is_the_page_and_what_it_names(tool: ModuleType, tmp_path: Path) -> None:
    """SURF-4: each file once, gzipped; what is loaded later is not in it."""
    page = '<link href="/console/a-1.css"><script src="/console/b-2.js"></script><link href="/console/b-2.js">'
    sizes = {}
    for name, text in (("index.html", page), ("a-1.css", "a" * 99), ("b-2.js", "b" * 999), ("later-3.js", "c")):
        (tmp_path / name).write_text(text)
        packed = gzip.compress(text.encode())
        (tmp_path / f"{name}.gz").write_bytes(packed)
        sizes[name] = len(packed)
    assert tool.start_bytes(tmp_path) == sizes["index.html"] + sizes["a-1.css"] + sizes["b-2.js"]


BUILDS = """
import runpy, sys, time
from pathlib import Path
tool, folder = runpy.run_path(sys.argv[1]), Path(sys.argv[2])
def slow(*, dev):
    for word in ("in", "out"):
        with (folder / "told").open("a") as told:
            told.write(word + " ")
        time.sleep(0.2)
tool["build"].__globals__.update(LOCK=folder / "lock", _build=slow)
tool["build"]()
"""


def test_two_who_build_at_once_do_it_one_after_the_other(tmp_path: Path) -> None:
    """SURF-4: `make run` beside `make test`, or two processes of one test run: npm must not meet itself in a folder."""
    command = [sys.executable, "-c", BUILDS, str(ROOT / "tools" / "build_console.py"), str(tmp_path)]
    running = [subprocess.Popen(command) for _ in range(3)]
    assert [each.wait(60) for each in running] == [0, 0, 0]
    assert (tmp_path / "told").read_text().split() == ["in", "out"] * 3


def test_browser_tests_that_cannot_run_are_missed_loudly(monkeypatch: pytest.MonkeyPatch) -> None:
    """SURF-4: a skip that says so on a laptop, a failure where they are required."""
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="THE BROWSER TESTS WERE NOT RUN: no reason"):
        chromium.give_up("no reason")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="NOT RUN"):
        chromium.give_up("no reason")


def test_a_submission_requires_the_browser_tests() -> None:
    """SURF-4: what a submission must pass says that this is no laptop."""
    assert "export CI=true" in (ROOT / ".ci" / "run").read_text()


def test_what_is_built_goes_into_the_wheel(tool: ModuleType) -> None:
    """SURF-4: the folder is not committed, and named to the wheel all the same."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        wheel = tomllib.load(file)["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert tool.BUILT.relative_to(ROOT).as_posix() in wheel["artifacts"]


def test_the_sources_are_sound_in_both_languages(tool: ModuleType, bundle: Path) -> None:
    """SURF-4: types hold, and the Chinese words are of the English ones' type: none is missing, none is too many."""
    packages = ROOT / "console" / "node_modules"
    command = [str(tool.find_node()[0]), str(packages / "typescript" / "bin" / "tsc"), "--noEmit"]
    ran = subprocess.run(command, cwd=ROOT / "console", capture_output=True, encoding="utf-8", check=False)
    assert ran.returncode == 0, ran.stdout
