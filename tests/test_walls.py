"""Each wall between rooms stands: the source keeps to every contract, and breaking one is noticed."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

# For each contract, one import that it must not let through: the file, and what is written into it.
BREACHES = {
    "rooms": ("kit/clock.py", "import weft.profiles.service"),
    "doors": ("sessions/service.py", "import weft.profiles.repository"),
    "web": ("calls/service.py", "import fastapi"),
    "sql": ("profiles/service.py", "import sqlalchemy"),
    "vendors": ("context/user.py", "import litellm"),
    "rings": ("calls/service.py", "import weft.sessions.service"),
}


def contracts(root: Path) -> dict[str, str]:
    """The contracts by id."""
    configured = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    return {contract["id"]: contract["name"] for contract in configured}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source in a place where it may be damaged."""
    root, copy = Path(__file__).parent.parent, tmp_path_factory.mktemp("walls")
    shutil.copy(root / "pyproject.toml", copy)
    shutil.copytree(root / "src/weft", copy / "weft", ignore=shutil.ignore_patterns("__pycache__", "*.sample"))
    return copy


def lint(copy: Path) -> dict[str, str]:
    """KEPT or BROKEN, by the contract's name."""
    program = (
        "import sys; sys.path.insert(0, '.'); from importlinter.cli import lint_imports_command; lint_imports_command()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, "--no-cache"], cwd=copy, capture_output=True, text=True, check=False
    )
    found = dict(re.findall(r"^(.+?) (KEPT|BROKEN)\b", ran.stdout, re.MULTILINE))
    assert found, ran.stdout + ran.stderr
    assert ran.returncode == ("BROKEN" in found.values())
    return found


def test_the_source_keeps_every_contract(copy: Path, root: Path) -> None:
    """DESIGN 2: hard walls, checked from the first commit."""
    assert lint(copy) == dict.fromkeys(contracts(root).values(), "KEPT")


def test_every_contract_has_a_breach_here(root: Path) -> None:
    assert set(BREACHES) == set(contracts(root))


@pytest.mark.parametrize("contract", BREACHES)
def test_a_breach_is_noticed(copy: Path, root: Path, contract: str) -> None:
    """DESIGN 2: a wall that nothing can break is none."""
    file, line = BREACHES[contract]
    damaged = copy / "weft" / file
    whole = damaged.read_text(encoding="utf-8")
    damaged.write_text(f"{whole}\n{line}\n", encoding="utf-8")
    try:
        assert lint(copy)[contracts(root)[contract]] == "BROKEN"
    finally:
        damaged.write_text(whole, encoding="utf-8")
