"""One client for each address, in each event loop, and none left over."""

import asyncio

import pytest

from weft.llm.clients import aclose, client_for


async def test_an_address_has_one_client_and_another_address_another() -> None:
    """INFRA-3: connections are kept and shared, never between vendors."""
    first, second = await asyncio.gather(client_for("https://one.example/v1"), client_for("https://one.example/v1"))
    assert first is second
    assert await client_for("https://two.example/v1") is not first
    await aclose()
    assert first.is_closed
    assert await client_for("https://one.example/v1") is not first
    await aclose()


async def test_a_closed_client_is_replaced() -> None:
    """INFRA-3: whoever closes one does not break the next call."""
    client = await client_for("http://127.0.0.1:1/v1")
    await client.aclose()
    assert not (await client_for("http://127.0.0.1:1/v1")).is_closed
    await aclose()


def test_another_loop_has_clients_of_its_own() -> None:
    """INFRA-3: a connection cannot move between event loops."""

    async def one() -> int:
        client = await client_for("http://127.0.0.1:1/v1")
        await aclose()
        return id(client._transport)

    async def both() -> tuple[int, int]:
        client = await client_for("http://127.0.0.1:1/v1")
        other = await asyncio.to_thread(asyncio.run, one())
        still = await client_for("http://127.0.0.1:1/v1")
        assert still is client
        await aclose()
        return id(client._transport), other

    here, there = asyncio.run(both())
    assert here != there


@pytest.mark.parametrize("name", ["HTTP_PROXY", "ALL_PROXY"])
async def test_no_proxy_stands_before_this_machine(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """INFRA-3: a proxy of the environment is for the outside only."""
    monkeypatch.setenv(name, "http://proxy.example:3128")
    assert not (await client_for("http://127.0.0.1:1/v1"))._mounts
    assert (await client_for("http://far.example/v1"))._mounts
    await aclose()
