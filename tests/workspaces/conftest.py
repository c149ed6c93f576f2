"""A workspace for one test, and a secret that stands outside every workspace."""

from pathlib import Path
from uuid import uuid4

import pytest

from weft.kit.actor import Actor
from weft.workspaces.folder import Folder
from weft.workspaces.service import Workspaces, WorkspaceService

SECRET = "a secret that stands outside"


def somebody() -> Actor:
    return Actor("test", frozenset(), uuid4(), uuid4())


@pytest.fixture
def workspaces(tmp_path: Path) -> Workspaces:
    return Workspaces(tmp_path / "workspaces")


@pytest.fixture
def workspace(workspaces: Workspaces) -> WorkspaceService:
    return WorkspaceService(somebody(), workspaces)


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A folder with a file, beside the workspaces."""
    folder = tmp_path / "secret"
    folder.mkdir()
    (folder / "key").write_text(SECRET)
    return folder


@pytest.fixture
def folder(workspaces: Workspaces) -> Folder:
    """The folder of somebody who has written a file already."""
    made = workspaces.of(uuid4(), uuid4())
    made.write(("notes", "a.md"), b"hello")
    return made
