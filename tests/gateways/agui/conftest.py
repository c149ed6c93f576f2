"""Node and the official clients, for whichever test lets them have their say."""

from pathlib import Path

import pytest

from tests.gateways.agui.programs import Node, installed


@pytest.fixture(scope="session")
def node(run_folder: Path) -> Node:
    """Node, with the official clients in place."""
    return installed(run_folder / "agui.lock")
