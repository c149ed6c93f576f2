"""A snapshot is small, versioned, and read as it was written."""

import json
from typing import Any

import pytest
from hypothesis import given

from tests.state.histories import NOW, histories
from weft.state.action import Action
from weft.state.changes import AddFiles, AddMemory, AddPreprocessed, Change, SetTaskGoal, SetTodos, TurnBegan
from weft.state.errors import StateInvalidError, UnknownStateVersionError
from weft.state.files import FILES_KEPT, OriginFile, PreprocessedFile, PreprocessedFiles
from weft.state.runtime import fold
from weft.state.shared import MEMORIES_KEPT, SUMMARIES_KEPT, Memory
from weft.state.snapshot import TurnSnapshot, load_snapshot, record_snapshot
from weft.state.todo import Todo, TodoError
from weft.state.token_usage import TokenUsage

TURNS = 5_000


def _turn(number: int, first: int) -> list[Action]:
    name = f"f{number % TURNS:04}"
    readable = (PreprocessedFile(name, name, name, "what it says"),)
    given: tuple[Change, ...] = (
        TurnBegan("问" * 400),
        AddMemory((Memory(name, "it matters"),)),
        AddFiles((OriginFile(name, "text/plain", name),)),
        AddPreprocessed(PreprocessedFiles(readable, readable, readable)),
        SetTaskGoal("goal " * 50),
        SetTodos((Todo("a", "x", error_history=(TodoError(NOW, 1, None, "e" * 500, 0, 0.1),)),)),
    )
    long = Action(first + 1, "end", summary="s" * 5_000, result="r" * 5_000, usage=TokenUsage(10_000, 500, 10_500))
    return [Action(first, "prepare", changes=given), long]


def test_a_snapshot_does_not_grow_with_the_session() -> None:
    """STATE-6: 5,000 turns, each with a file, a memory and a plan; the size of the 100th is that of the last."""
    snapshot: TurnSnapshot | None = None
    sizes: dict[int, int] = {}
    for number in range(1, TURNS + 1):
        snapshot = fold(snapshot, _turn(number, 2 * number - 1)).snapshot()
        if number in (100, TURNS):
            recorded = record_snapshot(snapshot)
            snapshot, sizes[number] = recorded.value, len(recorded.json)
    assert snapshot is not None
    counters = 2 * (SUMMARIES_KEPT + 2)  # a number has more digits
    assert sizes[TURNS] <= sizes[100] + counters
    shared = snapshot.shared
    assert (len(shared.memory), len(shared.origin_files), len(snapshot.recent)) == (
        MEMORIES_KEPT,
        FILES_KEPT,
        SUMMARIES_KEPT,
    )
    assert len(shared.preprocessed_files.tables) == FILES_KEPT
    assert (snapshot.turn, snapshot.last_action) == (TURNS, 2 * TURNS)
    assert [each.turn for each in snapshot.recent] == list(range(TURNS - SUMMARIES_KEPT + 1, TURNS + 1))
    assert max(len(each.prompt) for each in snapshot.recent) == 200


@given(histories())
def test_a_snapshot_is_read_as_it_was_written(actions: list[Action]) -> None:
    """STATE-6: also from what JSONB makes of it."""
    snapshot = fold(None, actions).snapshot()
    recorded = record_snapshot(snapshot)
    again = json.loads(json.dumps(json.loads(recorded.json), sort_keys=True))
    assert recorded.value == load_snapshot(recorded.json.decode()) == load_snapshot(again) == snapshot
    assert json.loads(recorded.json)["version"] == 1


@pytest.mark.parametrize("version", [2, 0, "1", None, "gone"])
def test_another_version_is_refused_by_its_name(version: Any) -> None:
    """STATE-6: never read as if it were ours."""
    written = json.loads(record_snapshot(fold(None, _turn(1, 1)).snapshot()).json)
    written["version"] = version
    written["shared"]["something_new"] = True
    if version == "gone":
        del written["version"]
    said = repr(None if version == "gone" else version)
    for raw in (written, json.dumps(written), json.dumps(written).encode()):
        with pytest.raises(UnknownStateVersionError) as error:
            load_snapshot(raw)
        assert error.value.detail == f"snapshot.version is {said}; this Weft knows versions 1"


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (("shared", "origin_files", 0, "name"), 3, "snapshot.shared.origin_files[0].name"),
        (("shared", "more"), 3, "snapshot.shared.more"),
        (("turn",), -1, "snapshot.turn"),
        (("version",), True, "snapshot.version"),
        (("shared", "memory"), [{"id": str(n), "text": ""} for n in range(21)], "snapshot.shared.memory"),
    ],
)
def test_what_is_wrong_with_it_is_named_by_its_path(path: tuple[Any, ...], value: Any, field: str) -> None:
    """STATE-6: tolerant of nothing."""
    written = json.loads(record_snapshot(fold(None, _turn(1, 1)).snapshot()).json)
    inner = written
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    with pytest.raises(StateInvalidError) as error:
        load_snapshot(written)
    assert error.value.field == field


@pytest.mark.parametrize("raw", [b"", "{", b"[]", "null", b"\xff"])
def test_what_is_no_snapshot_at_all_is_refused(raw: bytes | str) -> None:
    with pytest.raises(StateInvalidError):
        load_snapshot(raw)
