"""Values of front matter as Weft wants them, from whatever somebody wrote: what cannot be read so is reported."""

import re
from collections.abc import Iterable
from typing import Any

from weft.skills.findings import Findings
from weft.skills.paths import path_problem
from weft.skills.skill import Requirements
from weft.skills.yaml_events import Document

_YES, _NO = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0", ""})
_TOOL = re.compile(r"[^\s,()]+(?:\([^()]*\))?")  # Read, Bash(git diff:*)
# What other agents call the same things: `metadata: {nanobot: {requires: {bins: [gh], env: [TOKEN]}}}`
_SPELLINGS = {
    "binaries": ("binaries", "bins"),
    "environment": ("environment", "env"),
    "libraries": ("libraries", "python", "packages"),
}
_MOST_WORDS, _LONGEST_WORD = 100, 200


class Fields:
    """The front matter of one skill, asked key by key."""

    def __init__(self, document: Document, findings: Findings) -> None:
        self._document = document
        self._values: dict[str, Any] = document.value
        self._findings = findings

    def text(self, key: str) -> str | None:
        """Text; a number, date or truth value is what was literally written."""
        value = self._values.get(key)
        if isinstance(value, str):
            return value.strip() or None
        if value is None:
            return None
        if (written := self._document.written.get((key,))) is not None:
            return written
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return " ".join(value).strip() or None
        self._warn(key, "should be text; it is left out")
        return None

    def flag(self, key: str, values: dict[str, Any] | None = None) -> bool:
        """Whether something is so; it is not, unless somebody says it."""
        value = (self._values if values is None else values).get(key)
        written = str(value).strip().lower() if isinstance(value, str | int) else ""
        if value is None or isinstance(value, bool):
            return bool(value)
        if written not in _YES | _NO:
            self._warn(key, "should be true or false; taken as false")
        return written in _YES

    def words(self, key: str) -> tuple[str, ...]:
        """A list of words, written as a list, or in one line with commas or spaces between."""
        value = self._values.get(key)
        return self._words(value, key, value.replace(",", " ").split() if isinstance(value, str) else None)

    def tools(self, key: str) -> tuple[str, ...]:
        """Names of tools; what stands in brackets after one belongs to it."""
        value = self._values.get(key)
        return self._words(value, key, _TOOL.findall(value) if isinstance(value, str) else None)

    def paths(self, key: str) -> tuple[str, ...]:
        """Files of the skill; one that leads elsewhere is an error, for a skill must not even ask for it."""
        value = self._values.get(key)
        wanted = self._words(value, key, [value] if isinstance(value, str) else None)
        kept = []
        for path in (each.strip().removeprefix("./") for each in wanted):
            if (problem := path_problem(path)) is not None:
                self._findings.error(f"{key}: {path!r} {problem}", self._document.line(key))
            else:
                kept.append(path)
        return tuple(kept)

    def mapping(self, key: str) -> dict[str, Any]:
        """A mapping; anything else is left out."""
        value = self._values.get(key)
        if value is None or isinstance(value, dict):
            return value or {}
        self._warn(key, "should be a mapping; it is left out")
        return {}

    def requirements(self) -> Requirements:
        """What must be there, in Weft's spelling and in that of other agents."""
        sources = [self.mapping("requires")]
        sources += [inner for value in self._vendors() if isinstance(inner := value.get("requires"), dict)]
        found = {
            kind: self._named(source.get(spelling) for source in sources for spelling in spellings)
            for kind, spellings in _SPELLINGS.items()
        }
        return Requirements(**found)

    def always(self) -> bool:
        """Whether the skill stands whole in every prompt."""
        return self.flag("always") or any(self.flag("always", value) for value in self._vendors())

    def others(self, known: Iterable[str]) -> dict[str, Any]:
        """Keys that mean nothing here, kept as they were."""
        known = frozenset(known)
        return {key: value for key, value in self._values.items() if key not in known}

    def _vendors(self) -> list[dict[str, Any]]:
        metadata = self._values.get("metadata")
        return [each for each in metadata.values() if isinstance(each, dict)] if isinstance(metadata, dict) else []

    def _named(self, values: Iterable[Any]) -> tuple[str, ...]:
        words: list[str] = []
        for value in values:
            words += self._words(value, "requires", value.replace(",", " ").split() if isinstance(value, str) else None)
        return tuple(dict.fromkeys(words))

    def _words(self, value: Any, key: str, split: list[str] | None) -> tuple[str, ...]:
        if value is None:
            return ()
        listed = split if split is not None else value
        if not isinstance(listed, list) or not all(isinstance(each, str | int | float) for each in listed):
            self._warn(key, "should be a list of words; it is left out")
            return ()
        words = [str(each).strip() for each in listed]
        if len(words) > _MOST_WORDS or any(len(word) > _LONGEST_WORD for word in words):
            self._warn(
                key, f"has more than {_MOST_WORDS} words, or one of more than {_LONGEST_WORD} letters; it is cut"
            )
        return tuple(dict.fromkeys(word[:_LONGEST_WORD] for word in words[:_MOST_WORDS] if word))

    def _warn(self, key: str, message: str) -> None:
        self._findings.warning(f"{key} {message}", self._document.line(key))
