"""What others wrote enters a prompt here only: as one line of JSON under a heading, never as an instruction."""

from collections.abc import Mapping
from typing import Any

from weft.kit.plain_json import compact_json

MAX_FIELD_CHARACTERS = 512


def clean_field(value: str) -> str:
    """A field as it may enter a block: stripped, and cut to the limit."""
    return value.strip()[:MAX_FIELD_CHARACTERS].rstrip()


def written_within(text: str, most: int) -> str:
    """As much of a text, from its beginning, as a block writes in so many characters: an escape takes six or twelve."""
    if written_length(text) <= most:
        return text
    low, high = 0, min(len(text), most)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if written_length(text[:middle]) <= most else (low, middle - 1)
    return text[:low]


def written_length(text: str) -> int:
    """How many characters a block writes a text in."""
    return len(compact_json(text)) - len('""')


def data_block(title: str, values: Mapping[str, Any], label: str = "") -> str:
    """The heading, and under it the values on a single line; `title` and `label` are words of ours."""
    return f"# {title} (JSON{label and ', ' + label})\n{compact_json(values)}"
