"""Finds the response structure of a model: its own declaration, or the usual one of its category (INFRA-2)."""

from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import Any

import yaml
from pydantic import BaseModel, TypeAdapter, ValidationError

from weft.kit.errors import OperatorError
from weft.llm.ports import ModelCard
from weft.llm.structure_types import Structure

USUAL = {
    "text": "openai_chat",
    "reasoning": "openai_chat",
    "multimodal": "openai_chat",
    "embedding": "openai_embeddings",
    "text_to_image": "openai_images",
    "text_to_video": "dashscope_video",
}
_ADAPTER: TypeAdapter[Structure] = TypeAdapter(Structure)
BUILT_IN: Mapping[str, Any] = yaml.safe_load(resources.files("weft.llm").joinpath("structures.yaml").read_text("utf-8"))


def structure_for(card: ModelCard) -> Structure:
    """The structure that a model declares, else the usual one of its category."""
    if card.structure is not None:
        return parse_structure(card.structure, field=f"{card.name}.structure")
    if card.category not in USUAL:
        raise OperatorError(f"{card.name}: no structure is usual for {card.category}; declare one", field="structure")
    return built_in(USUAL[card.category])


def declared(card: ModelCard, *kinds: type[BaseModel]) -> Any:
    """The structure of a model, which must be of one of these kinds: a chat model makes no pictures."""
    structure = structure_for(card)
    if not isinstance(structure, kinds):
        wanted = " or ".join(kind.__name__.removesuffix("Structure").lower() for kind in kinds)
        raise OperatorError(f"{card.name} answers as {structure.kind}, and {wanted} is asked of it", field="structure")
    return structure


@lru_cache(maxsize=64)
def built_in(name: str) -> Structure:
    """A structure that comes with Weft, by its name."""
    if name not in BUILT_IN:
        raise OperatorError(f"no structure is called {name}; there are {', '.join(BUILT_IN)}", field="use")
    return parse_structure(BUILT_IN[name], field=name)


def parse_structure(declared: Mapping[str, Any], *, field: str = "structure") -> Structure:
    """Read a declaration; `use: NAME` starts from a built-in one, and what stands beside it replaces its parts."""
    whole = dict(declared)
    if (name := whole.pop("use", None)) is not None:
        built_in(name)
        whole = {**BUILT_IN[name], **whole}
    try:
        return _ADAPTER.validate_python(whole)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join([field, *map(str, first["loc"])])
        problem = OperatorError(f"{where}: {first['msg']}, found {first['input']!r}", field=where)
    raise problem
