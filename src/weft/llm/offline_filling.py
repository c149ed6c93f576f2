"""Fills a JSON schema from a user's words: the arguments of a tool, or a structured answer."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from weft.llm.offline_words import mentions, terms

# What a field holds, told by its name: gives a value, or None to leave it to the words.
Known = Callable[[str, Mapping[str, Any]], Any]

DEEPEST = 12
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_DATE = re.compile(r"(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})")
_TIME = re.compile(r"(?<!\d)([01]?\d|2[0-3])[:：点](\d{2})?")
_ADDRESS = re.compile(r"https?://[^\s，。]+")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+")
_FILE = re.compile(r"(?<![\w@])(?:[\w~.-]*/)*[\w-][\w.-]*\.[A-Za-z]\w{0,4}(?!\w)|(?:[\w.-]+/)+[\w.-]*")
_QUOTED = re.compile(r"[\"“「『'](.+?)[\"”」』']")
_PLACE = re.compile(r"\b(?:in|at|for|of|to) ([A-Z][A-Za-z]+)|([\u4e00-\u9fff]{2,4}?)(?=市|的?天气|今天|明天)")
_WRITTEN = re.compile(
    r"[\"“「『'](.+?)[\"”」』']|(?:内容(?:是|为)?|\bsaying|\bwith the text|\bcontaining)[\s:：]*(.+)", re.DOTALL
)
_BY_NAME = {
    ("city", "place", "location"): _PLACE,
    ("path", "file", "dir", "folder"): _FILE,
    ("url", "uri", "link"): _ADDRESS,
    ("mail",): _MAIL,
    ("content", "text"): _WRITTEN,
    ("name", "title", "old", "new"): _QUOTED,
}
_BY_FORMAT = {"date": "2000-01-01", "time": "12:00:00Z", "date-time": "2000-01-01T12:00:00Z",
              "uuid": "00000000-0000-4000-8000-000000000000", "uri": "https://example.com/",
              "email": "somebody@example.com"}  # fmt: skip


class Filling:
    """Makes values that are valid against a schema, out of some words and what is known besides."""

    def __init__(self, words: str, root: Mapping[str, Any], known: Known | None = None, context: str = "") -> None:
        self._words = words
        self._root = root
        self._known = known or (lambda _name, _schema: None)
        self._context = context  # where the values of an enum may be described

    def value(self, schema: Any = None, name: str = "", depth: int = 0) -> Any:
        """A value for a schema; the root's, if none is given."""
        shape = self.resolved(self._root if schema is None else schema)
        for fixed in ("const", "default"):
            if fixed in shape and (fixed == "const" or not self._worth_filling(name, shape)):
                return shape[fixed]
        known = self._known(name, shape)
        if known is not None:
            return _fitted(known, shape) if isinstance(known, str) and "enum" not in shape else known
        if "enum" in shape:
            return self._chosen([each for each in shape["enum"] if each is not None] or shape["enum"])
        if depth > DEEPEST:
            return None
        for several in ("anyOf", "oneOf"):
            if several in shape:
                return self.value(_likeliest(shape[several]), name, depth + 1)
        kind = shape.get("type", "object" if "properties" in shape else "string")
        kind = next((each for each in kind if each != "null"), "null") if isinstance(kind, list) else kind
        return self._of_kind(kind, shape, name, depth)

    def finds(self, name: str) -> bool:
        """Whether the words say something for a field of the root."""
        shape = self.resolved(self._root.get("properties", {}).get(name, {}))
        return self._found(shape, name) is not None

    def _of_kind(self, kind: str, shape: Mapping[str, Any], name: str, depth: int) -> Any:
        match kind:
            case "object":
                return self._object(shape, depth)
            case "array":
                count = max(1 if name else 0, shape.get("minItems", 0)) if "items" in shape else 0
                return [self.value(shape["items"], name, depth + 1) for _ in range(count)]
            case "integer" | "number":
                return self._number(shape, whole=kind == "integer")
            case "boolean":
                return not re.search(r"\b(no|not|off|false)\b|不|关", self._words.lower())
            case "null":
                return None
        return self._text(shape, name)

    def _object(self, shape: Mapping[str, Any], depth: int) -> dict[str, Any]:
        required = set(shape.get("required", ()))
        filled: dict[str, Any] = {}
        for name, inner in shape.get("properties", {}).items():
            if name in required or self._worth_filling(name, self.resolved(inner)):
                filled[name] = self.value(inner, name, depth + 1)
        return filled

    def _worth_filling(self, name: str, shape: Mapping[str, Any]) -> bool:
        """Whether an optional field is one of which something is known."""
        if self._known(name, shape) is not None:
            return True
        if "enum" in shape:
            return any(isinstance(each, str) and mentions(self._words, each) for each in shape["enum"])
        return self._found(shape, name) is not None

    def _chosen(self, values: list[Any]) -> Any:
        spoken = [each for each in values if isinstance(each, str) and mentions(self._words, each)]
        if spoken:
            return spoken[0]
        wanted = terms(self._words)
        lines = self._context.splitlines()

        def shared(value: Any) -> int:
            return max((len(wanted & terms(line)) for line in lines if str(value) in line), default=0)

        return max(values, key=shared)

    def _number(self, shape: Mapping[str, Any], *, whole: bool) -> int | float:
        low = shape.get("minimum", shape.get("exclusiveMinimum", 0) + (1 if "exclusiveMinimum" in shape else 0))
        high = shape.get("maximum", shape.get("exclusiveMaximum", 1 + low) - (1 if "exclusiveMaximum" in shape else 0))
        bounded = "maximum" in shape or "exclusiveMaximum" in shape
        for written in _NUMBER.findall(self._words):
            number = float(written)
            if number >= low and (number <= high or not bounded) and (not whole or number.is_integer()):
                return int(number) if whole else number
        return int(low) if whole else low

    def _text(self, shape: Mapping[str, Any], name: str) -> str:
        found = self._found(shape, name)
        text = found if found is not None else _BY_FORMAT.get(shape.get("format", ""), self._words)
        return _fitted(text, shape)

    def _found(self, shape: Mapping[str, Any], name: str) -> str | None:
        """What the words say for a field like this, if they say it."""
        kind, form = name.lower(), shape.get("format", "")
        if form == "date" or "date" in kind or "birth" in kind:
            date = _DATE.search(self._words)
            return f"{date[1]}-{int(date[2]):02d}-{int(date[3]):02d}" if date else None
        if form == "time" or kind == "time":
            time = _TIME.search(self._words)
            return f"{int(time[1]):02d}:{time[2] or '00'}" if time else None
        for names, pattern in _BY_NAME.items():
            if any(each in kind for each in names) and (found := pattern.search(self._words)):
                return next(filter(None, found.groups()), found[0])
        return None

    def resolved(self, schema: Any) -> Mapping[str, Any]:
        """A schema with what it refers to."""
        for _ in range(DEEPEST):
            if not isinstance(schema, Mapping):
                return {}
            if "$ref" in schema:
                schema = {**self._pointed(schema["$ref"]), **{k: v for k, v in schema.items() if k != "$ref"}}
            elif len(schema.get("allOf", ())) == 1:
                schema = {**schema["allOf"][0], **{k: v for k, v in schema.items() if k != "allOf"}}
            else:
                return schema
        return {}

    def _pointed(self, reference: str) -> Mapping[str, Any]:
        place: Any = self._root
        for step in reference.removeprefix("#/").split("/"):
            place = place.get(step, {}) if isinstance(place, Mapping) else {}
        return place if isinstance(place, Mapping) else {}


def _fitted(text: str, shape: Mapping[str, Any]) -> str:
    cut = text[: shape["maxLength"]] if isinstance(shape.get("maxLength"), int) else text
    return cut.ljust(shape.get("minLength", 0), "…")


def _likeliest(options: list[Any]) -> Any:
    return next((each for each in options if not (isinstance(each, Mapping) and each.get("type") == "null")), {})
