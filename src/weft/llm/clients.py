"""One HTTP client with its pool of connections for each vendor address."""

import asyncio
import ssl
from http.cookiejar import CookieJar, DefaultCookiePolicy
from urllib.request import getproxies
from weakref import WeakKeyDictionary

import httpx

from weft.llm.loopback import is_loopback
from weft.llm.wire import AiohttpTransport

KEPT_CONNECTIONS = 100
KEPT_SECONDS = 30.0

_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, httpx.AsyncClient]] = WeakKeyDictionary()
_certificates: list[ssl.SSLContext] = []


async def client_for(base_url: str) -> httpx.AsyncClient:
    """The client of this address in this event loop: a connection cannot move to another loop."""
    verify = base_url.startswith("https:") and await _trusted()
    clients = _clients.setdefault(asyncio.get_running_loop(), {})
    client = clients.get(base_url)
    if client is None or client.is_closed:
        client = clients[base_url] = _new(base_url, verify)
    return client


async def aclose() -> None:
    """Close every client of this event loop."""
    for client in _clients.pop(asyncio.get_running_loop(), {}).values():
        await client.aclose()


async def _trusted() -> ssl.SSLContext:
    # Reading the certificates blocks for tens of milliseconds: once a process, and not in the loop.
    if not _certificates:
        _certificates.append(await asyncio.to_thread(httpx.create_ssl_context))
    return _certificates[0]


def _new(base_url: str, verify: ssl.SSLContext | bool) -> httpx.AsyncClient:
    proxied = not is_loopback(base_url) and bool(getproxies().keys() - {"no"})  # none stands before this machine itself
    return httpx.AsyncClient(
        verify=verify,
        transport=None if proxied else AiohttpTransport(verify, KEPT_SECONDS),
        # How many calls run at once is for the routing to decide, not for a pool to delay in silence.
        limits=httpx.Limits(
            max_connections=None, max_keepalive_connections=KEPT_CONNECTIONS, keepalive_expiry=KEPT_SECONDS
        ),
        trust_env=proxied,
        follow_redirects=False,
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),  # nothing of one user's call goes with another's
        headers={"accept-encoding": "identity", "user-agent": "weft"},
    )
