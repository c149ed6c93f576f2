"""A vendor's key never comes out again, however the vendor writes it."""

import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.llm.redaction import SHORTEST_SECRET, hide_secrets
from weft.llm.types import Target

KEY = "sk-canary-4f9a/8b+7c=\"d'e"


def target(key: str = KEY, **headers: str) -> Target:
    return Target("acme", "m", "http://127.0.0.1/v1", "openai_compatible", key, extra_headers=headers)


@pytest.mark.parametrize(
    "said",
    [
        f"Incorrect API key provided: {KEY}.",
        f"Incorrect API key provided: {KEY[:14]}******7c.",
        f'{{"headers": {{"Authorization": {json.dumps("Bearer " + KEY)}}}}}',
        f"GET /?key={quote(KEY, safe='')}",
        f"GET /?key={quote(KEY)}",
        f"{KEY}{KEY} {KEY}",
    ],
)
def test_every_spelling_of_the_key_is_hidden(said: str) -> None:
    """SEC-3: plain, quoted, shortened or in a URL, the key is taken out of what a vendor says."""
    clean = hide_secrets(said, target())
    assert "canary" not in clean
    assert "[hidden]" in clean


def test_headers_of_its_own_are_secrets_too() -> None:
    """SEC-3: some vendors take the key in another header."""
    clean = hide_secrets("x-api-key was swordfish-99", target(**{"x-api-key": "swordfish-99"}))
    assert clean == "x-api-key was [hidden]"


@pytest.mark.parametrize(
    "said",
    [
        "Authorization: Bearer someone-elses-key",
        "authorization=Basic c29tZTpvbmU=",
        "x-api-key: someone-elses",
    ],
)
def test_no_authorization_stands_even_if_it_is_not_ours(said: str) -> None:
    """SEC-3: a proxy may quote a header that it added itself."""
    assert "some" not in hide_secrets(said, target())


@given(st.text(min_size=SHORTEST_SECRET, max_size=60), st.text(max_size=40), st.text(max_size=40))
def test_no_key_survives(key: str, before: str, after: str) -> None:
    """SEC-3: for any key whatever, inside any words."""
    marked = f"\x00{key}\x00"
    assert marked not in hide_secrets(before + marked + after, target(marked))


def test_words_without_a_secret_stay_as_they_are() -> None:
    """SEC-3: hiding takes nothing else away, also where a local model needs no real key."""
    said = "The model qwen3:8b is not loaded, 不能用"
    assert hide_secrets(said, target("")) == said
    assert hide_secrets(said, target("x")) == said
