"""The heavy import before a turn: once, early where somebody asks for that, and again where it failed."""

from typing import Any

import pytest
from structlog.testing import capture_logs

from weft.worker import flow_loading
from weft.worker.flow_loading import FlowLoader


async def test_it_is_imported_once_however_many_turns_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN 5: CrewAI is imported only where turns run."""
    loads, ran = [], []

    async def run_turn(turn: Any) -> None:
        ran.append(turn)

    monkeypatch.setattr(flow_loading, "_load", lambda: loads.append(1) or run_turn)
    flow = FlowLoader()
    assert not loads
    await flow.load_early()
    turns: list[Any] = ["one", "two"]
    for turn in turns:
        await flow(turn)
    assert (len(loads), ran) == (1, turns)


async def test_what_fails_early_is_tried_again_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """DESIGN 5: the server answers without it; the turn that needs it says what is wrong."""

    def broken() -> Any:
        raise ImportError("no such library")

    monkeypatch.setattr(flow_loading, "_load", broken)
    flow = FlowLoader()
    with capture_logs() as logs:
        await flow.load_early()
    assert [(line["event"], line["log_level"]) for line in logs] == [("flow_not_loaded", "error")]
    turn: Any = "one"
    with pytest.raises(ImportError, match="no such library"):
        await flow(turn)
