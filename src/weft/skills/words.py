"""The words of a text by which it is found: pairs of characters in Chinese, stems in English."""

import re
import unicodedata
from collections.abc import Iterator
from importlib.resources import files
from itertools import pairwise

import yaml

_RUN = re.compile(r"[a-z0-9]+(?:['’][a-z]+)*|[\u3400-\u9fff\uf900-\ufaff]+|[^\W_]+")
_CHINESE = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")

_WORDS = yaml.safe_load((files("weft.skills") / "stop_words.yaml").read_text(encoding="utf-8"))
_STOP = frozenset(_WORDS["english"].split())
_EMPTY = frozenset(_WORDS["chinese_characters"])
_EMPTY_PAIRS = frozenset(_WORDS["chinese_pairs"].split())
_SUFFIXES = (
    ("ational", "ate"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("iveness", "ive"),
    ("ments", ""),
    ("ment", ""),
    ("ness", ""),
)
_VOWELS = frozenset("aeiouy")


def normal(text: str) -> str:
    """The text in one form: full width and composition made equal, small letters."""
    return unicodedata.normalize("NFKC", text).casefold()


def words_of(text: str) -> Iterator[str]:
    """The words of a text, one by one, those that mean nothing left out."""
    for run in _RUN.findall(normal(text)):
        if _CHINESE.match(run):
            yield from _pairs(run)
        else:
            word = re.sub(r"['’](?:s|m|t|re|ve|ll|d)$", "", run)
            if word not in _STOP and (len(word) > 1 or word.isdigit()):
                yield stem(word)


def characters_of(text: str) -> Iterator[str]:
    """The Chinese characters of a text that mean something by themselves: pairs miss a word said another way."""
    return (each for each in _CHINESE.findall(normal(text)) if each not in _EMPTY)


def stem(word: str) -> str:
    """What forms of an English word have in common; rough, and the same for a question and a case."""
    if not word.isascii() or len(word) <= 3 or not word.isalpha():
        return word
    word = _singular(word)
    for suffix, instead in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word.removesuffix(suffix) + instead
            break
    for suffix in ("ing", "ed", "ly"):
        rest = word.removesuffix(suffix)
        if rest != word and len(rest) >= 3 and not _VOWELS.isdisjoint(rest):
            doubled = suffix != "ly" and rest[-1] == rest[-2] and rest[-1] not in "aeiouls"
            word = rest[:-1] if doubled else rest
            break
    if len(word) > 3 and word[-1] in "ey":
        word = word[:-1]
    return word.removesuffix("i") if len(word) > 4 else word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        if run not in _EMPTY:
            yield run
        return
    for first, second in pairwise(run):
        pair = first + second
        if pair not in _EMPTY_PAIRS and not (first in _EMPTY and second in _EMPTY):
            yield pair
