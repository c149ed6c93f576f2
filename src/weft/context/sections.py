"""Weft's own sentences of a prompt, from YAML: titled sections, their parts said where what they speak of is there."""

from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict

TEMPLATES = files("weft.context") / "templates"


class Strict(BaseModel):
    """A part of a template: a key that nobody knows is a mistake in it."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Part(Strict):
    """A sentence, and what must be there for it to be said."""

    say: str
    when: tuple[str, ...] = ()


class Section(Strict):
    """Parts under a title."""

    title: str
    parts: tuple[Part, ...] = ()

    def render(self, present: Collection[str]) -> str:
        """What is said when this is present; nothing at all where no part is."""
        said = [part.say for part in self.parts if all(name in present for name in part.when)]
        return "\n".join([f"# {self.title}", *said]) if said else ""


class Line(Strict):
    """One sentence under a title; words of ours stand where its braces are."""

    title: str = ""
    say: str

    def render(self, **ours: str) -> str:
        """The sentence with our words in it."""
        said = self.say.format_map(ours) if ours else self.say
        return f"# {self.title}\n{said}" if self.title else said


class ToolRules(Strict):
    """What a skill's tools are for."""

    title: str
    compute: str
    prefer: str
    leave: str


class PromptTexts(Strict):
    """All of `prompt.yaml`."""

    policy: Section
    guidelines: Section
    runtime: Line
    skills: Line
    own_skills: Line
    own_skill: Line
    soul: Line
    tool_rules: ToolRules
    missing: Line
    rest: Line


Template = TypeVar("Template", bound=BaseModel)


def load_template(name: str, shape: type[Template]) -> Template:
    """A template that Weft ships."""
    return shape.model_validate(read_yaml((TEMPLATES / name).read_text(encoding="utf-8")))


def read_yaml(text: str) -> Mapping[str, Any]:
    """The mapping that a template is."""
    read = yaml.safe_load(text)
    return read if isinstance(read, Mapping) else {}


@cache
def prompt_texts() -> PromptTexts:
    """Weft's sentences, read once."""
    return load_template("prompt.yaml", PromptTexts)


prompt_texts()  # with the module: an event loop must not wait for a file, and a broken one fails at start
