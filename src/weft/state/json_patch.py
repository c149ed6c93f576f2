"""The difference between two JSON values as a JSON Patch (RFC 6902)."""

from collections.abc import Iterator
from typing import Any

Operation = dict[str, Any]


def json_patch(old: Any, new: Any) -> list[Operation]:
    """The operations that make `new` of `old`, in order; lists are compared place by place."""
    return list(_operations(old, new, ""))


def _operations(old: Any, new: Any, path: str) -> Iterator[Operation]:
    if old is new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _in_object(old, new, path)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _in_list(old, new, path)
    elif type(old) is not type(new) or old != new:  # to Python 1 and True are equal, to JSON they are not
        yield {"op": "replace", "path": path, "value": new}


def _in_object(old: dict[str, Any], new: dict[str, Any], path: str) -> Iterator[Operation]:
    for key in old:
        if key not in new:
            yield {"op": "remove", "path": f"{path}/{_escaped(key)}"}
    for key, value in new.items():
        where = f"{path}/{_escaped(key)}"
        if key in old:
            yield from _operations(old[key], value, where)
        else:
            yield {"op": "add", "path": where, "value": value}


def _in_list(old: list[Any], new: list[Any], path: str) -> Iterator[Operation]:
    for index, (before, after) in enumerate(zip(old, new, strict=False)):
        yield from _operations(before, after, f"{path}/{index}")
    for index in range(len(old) - 1, len(new) - 1, -1):  # from the end, so that the places before stay what they are
        yield {"op": "remove", "path": f"{path}/{index}"}
    for index in range(len(old), len(new)):
        yield {"op": "add", "path": f"{path}/{index}", "value": new[index]}


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1") if "~" in key or "/" in key else key
