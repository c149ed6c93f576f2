"""What every process that stays up hears: that another one changed the vendors, keys or models."""

import asyncio
from contextlib import AsyncExitStack

from weft.compose import Weft
from weft.infra.writing import CHANNEL
from weft.kit.db.listen import Listener
from weft.kit.errors import OperatorError

START_SECONDS = 30


async def hear_changes(weft: Weft, stack: AsyncExitStack) -> Listener:
    """Let the registry know at once when another process changes it."""
    listener = await stack.enter_async_context(Listener(weft.database.url))
    try:
        async with asyncio.timeout(START_SECONDS):
            await stack.enter_async_context(listener.hearing(CHANNEL, weft.registry.forget))
    except TimeoutError:
        raise OperatorError("the database answers but cannot be listened to; is a pooler in between?") from None
    return listener
