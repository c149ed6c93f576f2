"""Arbitrary text and JSON for hypothesis: what may be stored, and what may arrive."""

from typing import Any

from hypothesis import strategies as st

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))  # NUL and lone surrogates included
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
NUMBERS = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXT


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4)


JSON = st.recursive(SCALARS, _containers, max_leaves=12)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=4)
