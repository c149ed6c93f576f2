"""Words that mean the same, in Chinese and in English: what lets a question find a case that it shares no word with."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TypeVar

import yaml

from weft.skills.words import normal, stem

_WORD = re.compile(r"[a-z0-9]+")
_LONGEST = 4  # words of an English entry
_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class Concept:
    """A group of words, found in a text by one of them."""

    name: str
    said: str


class Synonyms:
    """Groups of words, looked up in a text all at once."""

    def __init__(self, groups: Mapping[str, Sequence[str]]) -> None:
        self._chinese: dict[str, list[str]] = {}
        self._english: dict[tuple[str, ...], list[str]] = {}
        for name, entries in groups.items():
            for entry in map(normal, map(str, entries)):
                if entry.isascii() and (key := tuple(map(stem, _WORD.findall(entry)))):
                    self._add(self._english, key[:_LONGEST], name)
                else:
                    self._add(self._chinese, entry, name)
        longest_first = sorted(self._chinese, key=lambda entry: (-len(entry), entry))
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def find(self, text: str) -> list[Concept]:
        """What the text speaks of, each with the words that say it."""
        text = normal(text)
        return [*self._find_chinese(text), *self._find_english(_WORD.findall(text))]

    def _find_chinese(self, text: str) -> Iterable[Concept]:
        for found in self._pattern.finditer(text) if self._pattern else ():
            yield from (Concept(name, found[0]) for name in self._chinese[found[0]])

    def _find_english(self, written: list[str]) -> Iterable[Concept]:
        stems, start = [stem(word) for word in written], 0
        while start < len(stems):
            length = self._longest_at(stems, start)
            names = self._english.get(tuple(stems[start : start + length]), ())
            yield from (Concept(name, " ".join(written[start : start + length])) for name in names)
            start += max(length, 1)

    def _longest_at(self, stems: list[str], start: int) -> int:
        """`lost my job` is a group's entry; that `lost` may be another's does not count then."""
        lengths = range(min(_LONGEST, len(stems) - start), 0, -1)
        return next((length for length in lengths if tuple(stems[start : start + length]) in self._english), 0)

    @staticmethod
    def _add(table: dict[_Key, list[str]], key: _Key, name: str) -> None:
        table.setdefault(key, []).append(name)


@cache
def shipped() -> Synonyms:
    """The groups that Weft ships."""
    text = (files("weft.skills") / "synonyms.yaml").read_text(encoding="utf-8")
    return Synonyms(yaml.safe_load(text))
