"""Sends an answer event by event, at its pace, in its framing, up to its fault."""

from itertools import islice

from weft.llm.scripted.answer import Answer, Fault
from weft.llm.scripted.connection import Connection
from weft.llm.scripted.journal import Exchange
from weft.llm.scripted.rendering import Rendered, framed


async def stream_writes(exchange: Exchange, connection: Connection, answer: Answer) -> bool:
    """Send the bytes that the script gives, one network write each."""
    await connection.send_head(200, "text/event-stream")
    for piece in answer.writes or ():
        await connection.pause(answer.gap)
        await connection.send_piece(piece)
        exchange.events_sent += 1
    exchange.usage = dict(answer.usage) if isinstance(answer.usage, dict) else None
    return await _end(exchange, connection)


async def stream_events(exchange: Exchange, connection: Connection, rendered: Rendered, *, with_usage: bool) -> bool:
    """Send the answer as events; its usage is noted once it is really sent."""
    answer = rendered.answer
    await connection.send_head(200, "text/event-stream; charset=utf-8")
    events = list(rendered.events(with_usage=with_usage))
    before = events if answer.fault is None else events[: answer.fault.after]
    await _send(exchange, connection, answer, before)
    if answer.fault is not None:
        if not await _fail(connection, answer.fault, answer):
            exchange.complete = answer.fault.kind in ("close", "error")
            return exchange.complete
        await _send(exchange, connection, answer, list(islice(events, answer.fault.after, None)))
    exchange.usage = rendered.usage if with_usage else None
    return await _end(exchange, connection)


async def _send(exchange: Exchange, connection: Connection, answer: Answer, events: list[bytes]) -> None:
    framing = answer.framing
    size = framing.per_write
    for start in range(0, len(events), size):
        if answer.gap and start:
            await connection.pause(answer.gap)
        batch = b"".join(framed(data, framing) for data in events[start : start + size])
        if not framing.last_newline and start + size >= len(events):
            batch = batch.rstrip(b"\r\n")
        await connection.send_piece(batch)
        exchange.events_sent += len(events[start : start + size])
    await connection.pause(0)  # a client that has left is noticed here


async def _fail(connection: Connection, fault: Fault, answer: Answer) -> bool:
    """Let it go wrong; True if the answer goes on after it."""
    match fault.kind:
        case "hang":
            await connection.pause(None)
        case "reset":
            connection.abort()
        case "close":
            await connection.send_end()
        case "error":
            await connection.send_piece(framed(fault.data, answer.framing))
            await connection.send_end()
        case "garbage":
            await connection.send_piece(fault.data)
            return True
        case "disconnect":
            pass  # the caller closes it in the middle of the body
    return False


async def _end(exchange: Exchange, connection: Connection) -> bool:
    await connection.send_end()
    exchange.complete = True
    return True
