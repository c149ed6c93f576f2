"""YAML that others wrote, as plain values: read from the parser's events, so that nothing in it can grow or recurse.

The C composer recurses on the machine's stack and dies of a file of brackets, and constructed aliases can stand for
gigabytes. Here the depth and the number of values, aliases written out, are bounded before anything is built.
"""

from dataclasses import dataclass, field
from typing import Any

import yaml

DEEPEST = 20
MOST_VALUES = 20_000
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # where libyaml was not built, the slower twin
_TEXT, _MERGE = "tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"
_TRUE = frozenset({"true", "yes", "on"})
Path = tuple[str | int, ...]


class YamlProblem(Exception):  # noqa: N818 - it is reported as a finding, not raised at a caller
    """The text is not YAML that is read here."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


@dataclass(slots=True)
class Document:
    """A value, the line in which each part of it begins, what stands there literally, and keys that stand twice."""

    value: Any = None
    lines: dict[Path, int] = field(default_factory=dict)
    written: dict[Path, str] = field(default_factory=dict)  # `1.10` and `12:30`, which YAML takes for numbers
    repeated: list[tuple[str, int]] = field(default_factory=list)

    def line(self, *path: str | int) -> int:
        """Where this part begins, or the nearest part around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_yaml(text: str, first_line: int = 1) -> Document:
    """The only document in the text; its lines are counted from the one given."""
    loader = _Loader(text)
    try:
        return _Composer(loader, first_line).document()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line if mark is not None else text.count("\n", 0, getattr(error, "position", 0) or 0)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it breaks off"
        raise YamlProblem(f"is not valid YAML: {problem}", first_line + line) from None
    finally:
        loader.dispose()


class _Composer:
    def __init__(self, loader: Any, first_line: int) -> None:
        self._loader = loader
        self._first_line = first_line
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._count = 0
        self._document = Document()

    def document(self) -> Document:
        event = self._next()
        while isinstance(event, yaml.StreamStartEvent | yaml.DocumentStartEvent):
            event = self._next()
        if not isinstance(event, yaml.StreamEndEvent):
            self._document.value = self._value(event, ())
            self._next()  # the document's end
            if not isinstance(following := self._next(), yaml.StreamEndEvent):
                raise self._problem("holds a second document; one is read", following)
        return self._document

    def _value(self, event: Any, path: Path) -> Any:
        self._document.lines.setdefault(path, self._line(event))
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        before = self._count
        self._grow(1, event)
        if len(path) > DEEPEST:
            raise self._problem(f"is nested more than {DEEPEST} levels", event)
        if isinstance(event, yaml.ScalarEvent):
            value = self._scalar(event)
            if not isinstance(value, str):
                self._document.written[path] = event.value
        elif isinstance(event, yaml.SequenceStartEvent):
            value = self._sequence(path)
        else:
            value = self._mapping(path)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, self._count - before)
        return value

    def _alias(self, event: Any) -> Any:
        if event.anchor not in self._anchors:
            raise self._problem(f"*{event.anchor} stands for nothing that ended before it", event)
        value, size = self._anchors[event.anchor]
        self._grow(size, event)
        return value

    def _sequence(self, path: Path) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            items.append(self._value(event, (*path, len(items))))
        return items

    def _mapping(self, path: Path) -> dict[str, Any]:
        own: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise self._problem("has a key that is not plain text", event)
            self._grow(1, event)
            key = event.value
            value = self._value(self._next(), (*path, key))
            if self._tag(event) == _MERGE:
                merged = _merge(merged, value)
                continue
            if key in own:
                self._document.repeated.append((key, self._line(event)))
            own[key] = value
            self._document.lines[*path, key] = self._line(event)
        return merged | own

    def _scalar(self, event: Any) -> Any:
        kind = self._tag(event).rpartition(":")[2]
        try:
            match kind:
                case "null":
                    return None
                case "bool":
                    return event.value.lower() in _TRUE
                case "int":
                    return self._loader.construct_yaml_int(yaml.ScalarNode(_TEXT, event.value))
                case "float":
                    return self._loader.construct_yaml_float(yaml.ScalarNode(_TEXT, event.value))
        except (ValueError, OverflowError):
            pass  # `0x` or an integer too long to read is what it shows: text
        return event.value  # dates and tags of other programs too: nothing is constructed from them

    def _tag(self, event: Any) -> str:
        if event.tag not in (None, "!"):
            return str(event.tag)
        return str(self._loader.resolve(yaml.ScalarNode, event.value, event.implicit))

    def _grow(self, size: int, event: Any) -> None:
        self._count += size
        if self._count > MOST_VALUES:
            raise self._problem(f"stands for more than {MOST_VALUES} values once its aliases are written out", event)

    def _next(self) -> Any:
        return self._loader.get_event()

    def _line(self, event: Any) -> int:
        return int(event.start_mark.line) + self._first_line

    def _problem(self, message: str, event: Any) -> YamlProblem:
        return YamlProblem(message, self._line(event))


def _merge(before: dict[str, Any], value: Any) -> dict[str, Any]:
    parts = value if isinstance(value, list) else [value]
    for part in parts:
        if isinstance(part, dict):
            before = part | before  # the first that says something is heard
    return before
