"""A scripted vendor for every test, and no way to any other model."""

from collections.abc import AsyncIterator

import pytest

from weft.llm import openai_compatible
from weft.llm.scripted import ONLY_LOOPBACK, ScriptedVendor


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ONLY_LOOPBACK, "1")


@pytest.fixture
async def vendor() -> AsyncIterator[ScriptedVendor]:
    async with ScriptedVendor() as vendor:
        yield vendor
    await openai_compatible.aclose()
