"""A patch makes the new value of the old one, and says nothing where nothing changed."""

import copy
from typing import Any

import pytest
from hypothesis import given

from tests.kit.arbitrary import JSON
from weft.state.json_patch import Operation, json_patch


def patched(value: Any, operations: list[Operation]) -> Any:
    """RFC 6902 by the letter, as far as add, remove and replace go."""
    document = {"": copy.deepcopy(value)}
    for operation in operations:
        steps = [step.replace("~1", "/").replace("~0", "~") for step in operation["path"].split("/")]
        inner: Any = document
        for step in steps[:-1]:
            inner = inner[int(step) if isinstance(inner, list) else step]
        key: Any = int(steps[-1]) if isinstance(inner, list) else steps[-1]
        if operation["op"] == "add" and isinstance(inner, list):
            assert key <= len(inner)
            inner.insert(key, operation["value"])
        elif operation["op"] == "remove":
            del inner[key]
        else:
            assert (operation["op"] == "replace") == (isinstance(inner, list) or key in inner)
            inner[key] = operation["value"]
    return document[""]


def told_apart(value: Any) -> Any:
    """The same, so that 1, 1.0 and true are three things to compare."""
    if isinstance(value, dict):
        return {key: told_apart(inner) for key, inner in value.items()}
    return [told_apart(inner) for inner in value] if isinstance(value, list) else (type(value).__name__, value)


@given(JSON, JSON)
def test_a_patch_makes_the_new_of_the_old(old: Any, new: Any) -> None:
    """SURF-1: whatever the two are."""
    assert told_apart(patched(old, json_patch(old, new))) == told_apart(new)
    assert json_patch(new, copy.deepcopy(new)) == []


@pytest.mark.parametrize(
    ("old", "new", "operations"),
    [
        ({"a/b": 1}, {"a/b": 2}, [{"op": "replace", "path": "/a~1b", "value": 2}]),
        ({"~": [1]}, {"~": [1, 2]}, [{"op": "add", "path": "/~0/1", "value": 2}]),
        ([1, 2, 3], [1], [{"op": "remove", "path": "/2"}, {"op": "remove", "path": "/1"}]),
        ({"a": 1}, {"a": True}, [{"op": "replace", "path": "/a", "value": True}]),
        ({"a": 1}, {}, [{"op": "remove", "path": "/a"}]),
        (1, [], [{"op": "replace", "path": "", "value": []}]),
    ],
)
def test_a_patch_is_as_the_standard_writes_it(old: Any, new: Any, operations: list[Operation]) -> None:
    assert json_patch(old, new) == operations
    assert patched(old, operations) == new
