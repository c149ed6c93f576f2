"""Reads vendors' answers by their declared structure into the same typed results, or says where they do not fit."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from weft.llm.answers import finish_of, text_of
from weft.llm.errors import OffProtocolError
from weft.llm.fold import settled
from weft.llm.json_path import Mismatch, Path, first_found, shown
from weft.llm.structure_types import (
    ChatStructure,
    Embeddings,
    EmbeddingStructure,
    Images,
    ImageStructure,
    MediaTask,
    TaskStatus,
    TaskStructure,
)
from weft.llm.tool_pieces import whole_calls
from weft.llm.types import Completion, Finish, Target, Usage
from weft.llm.usage import canonical_usage


def read_chat(structure: ChatStructure, answer: Any, target: Target) -> Completion:
    """A whole chat answer. Its text may be absent only where tools are called."""
    raw_calls = _optional(structure.tool_calls, answer)
    calls = whole_calls(raw_calls, answer.get("id") if isinstance(answer, Mapping) else None)
    found = first_found(structure.text, answer)
    # Beside tool calls most vendors write null for the text.
    empty = calls or (isinstance(found, Mismatch) and found.found == "null")
    text = "" if isinstance(found, Mismatch) and empty else text_of(_required(found, target))
    if text is None:
        raise _off(structure.text, "text", found, target)
    finish = finish_of(_optional(structure.finish, answer)) or Finish.STOP
    thought = text_of(_optional(structure.reasoning, answer)) or ""
    return Completion(text, calls, thought, _usage(structure.usage, answer), settled(finish, calls))


def read_embeddings(structure: EmbeddingStructure, answer: Any, target: Target, count: int) -> Embeddings:
    """As many vectors as there were texts, all of one length, in the order of the texts."""
    vectors = _list(structure.vectors, answer, target)
    for index, vector in enumerate(vectors):
        if not isinstance(vector, list) or not vector or not all(_is_number(each) for each in vector):
            raise _off(structure.vectors, "a list of numbers", vector, target, index)
        if len(vector) != len(vectors[0]):
            raise _off(structure.vectors, f"{len(vectors[0])} numbers", f"{len(vector)} numbers", target, index)
    if len(vectors) != count:
        raise _off(structure.vectors, f"{count} vectors", f"{len(vectors)} vectors", target)
    order = _optional(structure.order, answer)
    if order is not None:
        if (
            not isinstance(order, list)
            or not all(isinstance(each, int) for each in order)
            or {*order} != {*range(count)}
        ):
            raise _off(structure.order, f"each of 0 to {count - 1} once", order, target)
        vectors = [vector for _, vector in sorted(zip(order, vectors, strict=True), key=lambda pair: pair[0])]
    return Embeddings(tuple(tuple(map(float, vector)) for vector in vectors), _usage(structure.usage, answer))


def read_images(structure: ImageStructure, answer: Any, target: Target) -> Images:
    """Pictures as addresses or as bytes, at least one."""
    usage = _usage(structure.usage, answer)
    data = first_found(structure.data, answer)
    if isinstance(data, list) and any(data):
        pictures = tuple(_bytes(structure, index, each, target) for index, each in enumerate(data))
        return Images((), pictures, usage, {"images": str(len(pictures))})
    paths = structure.urls or structure.data
    addresses = _addresses(paths, answer, target)
    return Images(addresses, (), usage, {"images": str(len(addresses))})


def read_task(structure: TaskStructure, answer: Any, target: Target) -> MediaTask:
    """How far a task is, and what it made."""
    number = _required(first_found(structure.id, answer), target)
    said = _required(first_found(structure.status, answer), target)
    if str(said) not in structure.statuses:
        raise _off(structure.status, f"one of {', '.join(structure.statuses)}", said, target)
    if not isinstance(number, str | int) or not str(number):
        raise _off(structure.id, "a task id", number, target)
    status = structure.statuses[str(said)]
    urls: tuple[str, ...] = ()
    if status is TaskStatus.SUCCEEDED and structure.urls:
        urls = _addresses(structure.urls, answer, target)
    error = _optional(structure.error, answer) if status is TaskStatus.FAILED else None
    words = "; ".join(map(str, error)) if isinstance(error, list) else str(error) if error else None
    units = _units(structure, answer) if status is TaskStatus.SUCCEEDED else {}
    return MediaTask(str(number), status, urls, words, _usage(structure.usage, answer), units)


def _addresses(paths: Sequence[Path], answer: Any, target: Target) -> tuple[str, ...]:
    found = _required(first_found(paths, answer), target)
    addresses = tuple(found) if isinstance(found, list) else (found,)
    if not addresses or not all(isinstance(each, str) and each for each in addresses):
        raise _off(paths, "an address", found, target)
    return addresses


def _units(structure: TaskStructure, answer: Any) -> dict[str, str]:
    counted: dict[str, str] = {}
    for name, paths in structure.units.items():
        try:
            number = Decimal(str(_optional(paths, answer)))
        except InvalidOperation:
            continue  # not reported: the call is then booked without a cost, not with a wrong one
        if number.is_finite() and number >= 0:
            counted[name] = str(number)
    return counted


def _bytes(structure: ImageStructure, index: int, value: Any, target: Target) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (TypeError, ValueError, binascii.Error):
        problem = _off(structure.data, "base 64", value, target, index)
    raise problem


def _usage(paths: Sequence[Path], answer: Any) -> Usage | None:
    return canonical_usage(_optional(paths, answer))


def _list(paths: Sequence[Path], answer: Any, target: Target) -> list[Any]:
    found = _required(first_found(paths, answer), target)
    if not isinstance(found, list):
        raise _off(paths, "a list", found, target)
    return found


def _optional(paths: Sequence[Path], answer: Any) -> Any:
    found = first_found(paths, answer)
    return None if isinstance(found, Mismatch) else found


def _required(found: Any, target: Target) -> Any:
    if isinstance(found, Mismatch):
        raise OffProtocolError(found.path, found.expected, found.found, target=target)
    return found


def _off(
    paths: Sequence[Path], expected: str, found: Any, target: Target, index: int | None = None
) -> OffProtocolError:
    where = paths[0].written if paths else "$"
    place = where if index is None else where.replace("[*]", f"[{index}]", 1)
    return OffProtocolError(place, expected, found if isinstance(found, str) else shown(found), target=target)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
