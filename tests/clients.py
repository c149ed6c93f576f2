"""The whole application over real PostgreSQL, called the way a client calls it: over ASGI, without a port."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Self

import httpx
import pytest
from fastapi import FastAPI

from tests.people import OPERATOR
from weft.accounts.roles import BUSINESS_RIGHTS, Role
from weft.accounts.schemas import BusinessWish, KeyWish, OperatorWish
from weft.accounts.service import AccountService
from weft.app import authenticator_for, create_app
from weft.compose import Weft
from weft.kit.actor import Reach
from weft.kit.crypto import Keyring
from weft.kit.db import Database
from weft.kit.ids import new_id
from weft.settings import Auth, Settings

LOCAL_URL = "http://127.0.0.1:8700"
KEYS_URL = "https://weft.example"


def bearer(key: str, user: str | bytes | None = None) -> dict[str, Any]:
    """The headers of a caller with that key."""
    return {"Authorization": f"Bearer {key}"} | ({"X-Weft-User": user} if user is not None else {})


@asynccontextmanager
async def client_of(app: Any, url: str, **options: Any) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the application. What crashes it answers 500, as it does behind a server."""
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=url, **options) as client:
        yield client


async def application(database: Database, **settings: Any) -> FastAPI:
    """The application with these settings."""
    keyring = Keyring(["a secret of the tests, and of nobody else"])
    weft = Weft(Settings(**settings), database, keyring)
    return create_app(weft, await authenticator_for(weft))


@dataclass(frozen=True)
class Keys:
    """An application with WEFT_AUTH=keys, and ways to get keys for it."""

    app: FastAPI
    database: Database

    async def business(self) -> str:
        """A new business's slug."""
        wish = BusinessWish(slug=f"b{new_id().hex}", name="Acme")
        async with self.database.transaction(OPERATOR, Reach.INSTALLATION) as tx:
            return (await AccountService(tx).add_business(wish)).slug

    async def key(self, business: str | None = None, **wish: Any) -> str:
        """A business key."""
        wanted = {"name": "test", "rights": set(BUSINESS_RIGHTS), "business": business or await self.business()}
        async with self.database.transaction(OPERATOR, Reach.INSTALLATION) as tx:
            return (await AccountService(tx).add_key(KeyWish.model_validate(wanted | wish))).key

    async def operator(self, role: Role = Role.OWNER, business: str | None = None) -> str:
        """An operator's key."""
        wish = OperatorWish(name="Op", role=role, business=business)
        async with self.database.transaction(OPERATOR, Reach.INSTALLATION) as tx:
            return (await AccountService(tx).add_operator(wish)).key


class Elsewhere:
    """An application on an event loop of its own, for tools that bring their own loop for each call."""

    def __init__(self, make: Callable[[], Coroutine[Any, Any, FastAPI]]) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._make = make

    def __enter__(self) -> Self:
        self._thread.start()
        self.app = self.run(self._make())
        return self

    def __exit__(self, *_: object) -> None:
        self.run(self.app.state.database.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Do something on the application's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request, whose body has come whole before and whose answer is passed on whole after."""
        asked, answered = [await receive()], []
        while asked[-1].get("more_body"):
            asked.append(await receive())

        async def receive_there() -> Any:
            return asked.pop(0) if asked else {"type": "http.disconnect"}

        async def send_there(message: Any) -> None:
            answered.append(message)

        work = asyncio.run_coroutine_threadsafe(self.app(scope, receive_there, send_there), self._loop)
        await asyncio.wrap_future(work)
        for message in answered:
            await send(message)


@pytest.fixture
async def local(database: Database) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a local installation."""
    async with client_of(await application(database), LOCAL_URL) as client:
        yield client


@pytest.fixture
async def keys(database: Database) -> Keys:
    """An application that asks for keys."""
    return Keys(await application(database, auth=Auth.KEYS), database)


@pytest.fixture
async def anyone(keys: Keys) -> AsyncIterator[httpx.AsyncClient]:
    """A client of that application, who shows nothing by itself."""
    async with client_of(keys.app, KEYS_URL) as client:
        yield client
