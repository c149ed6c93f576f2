"""Skills as folders, written in one line."""

from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """`write("operator/tarot", "name: tarot\\n…", body="…")` makes a skill's folder and returns it."""

    def make(folder: str, front: str | None = None, body: str = "Draw three cards.", **files: str | bytes) -> Path:
        place = tmp_path / folder
        place.mkdir(parents=True, exist_ok=True)
        front = f"name: {place.name}\ndescription: Does {place.name}." if front is None else front
        (place / "SKILL.md").write_text(f"---\n{front}\n---\n{body}\n", encoding="utf-8")
        for name, content in files.items():
            path = place / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return place

    return make
