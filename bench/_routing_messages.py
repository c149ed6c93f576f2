"""The labelled messages of `routing`, read and checked."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from weft.skills.library import SHIPPED

FILE = Path(__file__).parent / "routing_messages.yaml"
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_WORD = re.compile(r"[a-z]{4,}")


@dataclass(frozen=True)
class Said:
    """What a user says, and what is to come of it first: `direct`, the name of a tool, or `use_skill/<skill>`."""

    words: str
    want: str
    skill: str | None = None  # the one that is active already

    @property
    def chinese(self) -> bool:
        """Whether it is said in Chinese."""
        return _HAN.search(self.words) is not None


def messages(part: str) -> list[Said]:
    """The `messages`, or those `held_out`."""
    given: list[dict[str, Any]] = yaml.safe_load(FILE.read_text(encoding="utf-8"))[part]
    said = [Said(words, each["want"], each.get("in")) for each in given for words in each["said"]]
    for each in said:
        _check(each)
    return said


def descriptions() -> dict[str, str]:
    """The experts that Weft ships, and what they say of themselves."""
    return dict(_described())


def _described() -> Iterator[tuple[str, str]]:
    for folder in sorted(SHIPPED.iterdir()):
        if folder.name != "core" and (folder / "SKILL.md").is_file():
            text = (folder / "SKILL.md").read_text(encoding="utf-8")
            yield folder.name, str(yaml.safe_load(text.split("---\n")[1])["description"])


def _check(said: Said) -> None:
    """An expert is to be found by what is meant, not by a word that stands in its description."""
    tool, _, skill = said.want.partition("/")
    if tool == "use_skill" and skill != "core":
        shared = _terms(said.words) & _terms(descriptions()[skill])
        if shared:
            raise ValueError(f"{said.words!r} has words of {skill}'s description: {', '.join(sorted(shared))}")


def _terms(text: str) -> set[str]:
    """Pairs of Chinese characters, and English words without their plural."""
    runs = _HAN.findall(text)
    return {run[at : at + 2] for run in runs for at in range(len(run) - 1)} | {
        word.removesuffix("s") for word in _WORD.findall(text.lower())
    }
