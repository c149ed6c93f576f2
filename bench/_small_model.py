"""The small real model of a measurement: any OpenAI-compatible server on loopback, asked through a steady proxy."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from bench._servers import python_server

ADDRESS = os.environ.get("WEFT_BENCH_MODEL", "http://127.0.0.1:8791/v1")


class NotThereError(Exception):
    """No model answers."""

    def __str__(self) -> str:
        return f"No model answers at {ADDRESS} (WEFT_BENCH_MODEL names another address); nothing was measured."


def check() -> None:
    """Refuse to go on without a model."""
    try:
        httpx.get(f"{ADDRESS}/models", timeout=30).raise_for_status()
    except httpx.HTTPError:
        raise NotThereError from None


@contextmanager
def steady() -> Iterator[str]:
    """The model without chance, as a vendor's address."""
    with python_server("bench._steady", "/v1/models", {"VENDOR": ADDRESS}) as proxy:
        yield f"{proxy.url}/v1"
