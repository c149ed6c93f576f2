"""The state as a client has it: whatever is told of changes, what goes out always fits what went out before."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from itertools import pairwise
from typing import Any

from weft.state.json_patch import Operation, json_patch

Document = dict[str, Any]


def first_state(session_id: str, run_id: str, turn: int) -> Document:
    """What is known of a run before it has told anything."""
    usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    return {
        "session_id": session_id,
        "run_id": run_id,
        "turn": turn,
        "todos": [],
        "pending_approvals": [],
        "usage": usage,
    }


class SharedState:
    """A document that the client has a copy of."""

    def __init__(self, document: Document) -> None:
        self.document = document

    def change(self, patch: Sequence[Mapping[str, Any]]) -> list[Operation]:
        """Follow a patch; what the client's copy needs to do the same."""
        before = self.document
        self.document = patched(before, patch)
        return json_patch(before, self.document)


def patched(document: Document, patch: Sequence[Mapping[str, Any]]) -> Document:
    """The document after a patch. A place that is not there is made: a follower may not have seen where it began."""
    changed: Any = deepcopy(document)
    for operation in patch:
        steps = [step.replace("~1", "/").replace("~0", "~") for step in operation["path"].split("/")[1:]]
        if not steps:
            changed = deepcopy(operation.get("value"))
        elif isinstance(changed, dict | list):
            _apply(changed, steps, operation["op"], deepcopy(operation.get("value")))
    return changed if isinstance(changed, dict) else {}


def _apply(place: Any, steps: list[str], kind: str, value: Any) -> None:
    for step, following in pairwise(steps):
        place = _within(place, step, [] if following.isdigit() or following == "-" else {})
    last = steps[-1]
    if isinstance(place, dict):
        if kind == "remove":
            place.pop(last, None)
        else:
            place[last] = value
    elif isinstance(place, list):
        _in_list(place, last, kind, value)


def _within(place: Any, step: str, empty: Any) -> Any:
    if isinstance(place, dict):
        if not isinstance(place.get(step), dict | list):
            place[step] = empty
        return place[step]
    index = int(step) if step.isdigit() else len(place)
    if index >= len(place):
        place.append(empty)
        return place[-1]
    if not isinstance(place[index], dict | list):
        place[index] = empty
    return place[index]


def _in_list(place: list[Any], step: str, kind: str, value: Any) -> None:
    index = int(step) if step.isdigit() else len(place)
    if kind == "remove":
        del place[index : index + 1]
    elif kind == "replace" and index < len(place):
        place[index] = value
    else:
        place.insert(index, value)
