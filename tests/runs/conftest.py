"""Runs over HTTP: the application in front of a real runtime, called on behalf of whoever a test names."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import httpx
import pytest

from tests.clients import LOCAL_URL, client_of
from tests.gateways.conftest import Only
from tests.turns import House
from weft.app import create_app
from weft.kit.actor import Actor

Calling = Callable[[Actor], AbstractAsyncContextManager[httpx.AsyncClient]]


@pytest.fixture
def calling(house: House) -> Calling:
    """`async with calling(ann) as client`: a client that the server takes for her."""

    @asynccontextmanager
    async def client(actor: Actor) -> AsyncIterator[httpx.AsyncClient]:
        app = create_app(house.weft, Only(actor))
        app.state.runtime, app.state.desk = house.runtime, house.desk
        async with client_of(app, LOCAL_URL) as http:
            yield http

    return client
