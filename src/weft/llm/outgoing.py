"""Fetches what a vendor points at, and nothing that it must not point at (SEC-4)."""

import asyncio
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any
from urllib.parse import urlsplit

import httpx

from weft.llm.clients import client_for
from weft.llm.errors import AnswerTooLargeError, ModelError, RefusedRequestError
from weft.llm.exchange import transport_problem
from weft.llm.loopback import refuse_unless_allowed
from weft.llm.refusals import refusal
from weft.llm.types import Target
from weft.llm.watch import Watch

LARGEST_FILE = 512 << 20
_PORTS = {"https": 443, "http": 80}


async def fetch(target: Target, url: str, *, limit: int = LARGEST_FILE) -> bytes:
    """The bytes at an address that a vendor gave. No private address, no redirect, no key to a stranger.

    The vendor's own host may be private, if the operator registered it so.
    """
    refuse_unless_allowed(target)
    try:
        parts, origin = urlsplit(url), _origin(url)
    except ValueError:  # a broken port or address
        parts, origin = urlsplit(""), ("", None, None)
    own = origin == _origin(target.base_url)
    if parts.scheme not in _PORTS or not parts.hostname or (parts.scheme == "http" and not own):
        raise RefusedRequestError(f"it points at {url[:200]}, which is no https address", target=target)
    headers, address = dict(target.extra_headers), url
    extensions: dict[str, Any] = {}
    if own:
        if target.api_key:
            headers["authorization"] = f"Bearer {target.api_key}"
    else:
        # Connect to the very address that was checked: a second look-up might say something else.
        found = await _public_address(target, parts.hostname, parts.port or _PORTS[parts.scheme])
        headers = {"host": parts.netloc.rpartition("@")[2]}
        extensions = {"sni_hostname": parts.hostname}
        host = f"[{found}]" if isinstance(found, IPv6Address) else str(found)
        address = parts._replace(netloc=f"{host}:{parts.port or _PORTS[parts.scheme]}").geturl()
    client = await client_for(target.base_url)
    timeout = httpx.Timeout(target.timeouts.gap, connect=target.timeouts.connect)
    request = client.build_request("GET", address, headers=headers, timeout=timeout, extensions=extensions)
    return await _read(client, request, target, limit)


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)


async def _read(client: httpx.AsyncClient, request: httpx.Request, target: Target, limit: int) -> bytes:
    body = bytearray()
    try:
        response = await client.send(request, stream=True)
        try:
            if response.status_code != httpx.codes.OK:
                raise refusal(target, response.status_code, b"the file that it points at cannot be had")
            with Watch(target.timeouts.gap) as watch:
                async for piece in response.aiter_bytes():
                    body += piece
                    watch.start(target.timeouts.gap)
                    if len(body) > limit:
                        raise AnswerTooLargeError(f"the file passes {limit} bytes", target=target)
        finally:
            await response.aclose()
        return bytes(body)
    except ModelError:
        raise
    except (httpx.HTTPError, TimeoutError) as error:
        problem = transport_problem(target, error)
    raise problem


async def _public_address(target: Target, host: str, port: int) -> IPv4Address | IPv6Address:
    try:
        answers = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        problem: ModelError = transport_problem(target, error)
    else:
        addresses = [ip_address(str(answer[4][0]).partition("%")[0]) for answer in answers]
        if addresses and all(_is_public(address) for address in addresses):
            return addresses[0]
        problem = RefusedRequestError(f"it points at {host}, which is a private address", target=target)
    raise problem


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_global and not (mapped or address).is_multicast
