"""Appends a second, and the cost of the newest messages in a short and in a very long session."""

import asyncio
import time
from uuid import UUID

from sqlalchemy import text

from bench._ground import fresh_weft, measured, run, table
from weft.compose import Weft
from weft.kit.actor import Actor
from weft.sessions.metadata import AssistantOutput, UserInput
from weft.sessions.schemas import NewMessage
from weft.sessions.service import SessionService

SECONDS = 4.0
SIZES = (10, 1_000, 100_000)
ROUNDS = 300
PAIR = [
    NewMessage(content="帮我看看明天的安排", metadata=UserInput()),
    NewMessage(content="好的", metadata=AssistantOutput()),
]


async def _session(weft: Weft, actor: Actor) -> UUID:
    async with weft.database.transaction(actor) as tx:
        return (await SessionService(tx).create()).id


async def _appends(weft: Weft, actor: Actor, writers: int, sessions: int) -> tuple[int, float, float]:
    ids = [await _session(weft, actor) for _ in range(sessions)]
    written, end = 0, time.perf_counter() + SECONDS

    async def write(number: int) -> None:
        nonlocal written
        while time.perf_counter() < end:
            async with weft.database.transaction(actor) as tx:
                await SessionService(tx).append(ids[number % sessions], PAIR[:1])
            written += 1

    processor = time.process_time()
    await asyncio.gather(*(write(number) for number in range(writers)))
    return written, written / SECONDS, (time.process_time() - processor) / written * 1000


async def _fill(weft: Weft, actor: Actor, size: int) -> UUID:
    session = await _session(weft, actor)
    async with weft.database.transaction(actor) as tx:
        await SessionService(tx).append(session, PAIR)
        await tx.connection.execute(
            text(
                "INSERT INTO agent_chat_messages"
                " (id, session_id, business_id, user_id, seq, text_number, role, content, metadata, currency)"
                " SELECT gen_random_uuid(), m.session_id, m.business_id, m.user_id, m.seq + 2 * n, m.seq + 2 * n,"
                " m.role, m.content, m.metadata, m.currency"
                " FROM agent_chat_messages m, generate_series(1, :more) n WHERE m.session_id = :session"
            ),
            {"session": session, "more": size // 2 - 1},
        )
    return session


async def work() -> None:
    """Measure appends, then reads."""
    async with fresh_weft() as (weft, actor):
        rows = []
        for writers, sessions in ((1, 1), (8, 1), (8, 8)):
            written, rate, processor = await _appends(weft, actor, writers, sessions)
            rows.append((f"{writers} writers, {sessions} sessions", written, rate, processor))
        table(("appends, one transaction each", "messages", "messages/s", "ms processor (ours) each"), rows)

        ids = {size: await _fill(weft, actor, size) for size in SIZES}
        rows, first = [], 0.0
        for size, session in ids.items():

            async def newest(session: UUID = session) -> None:
                async with weft.database.transaction(actor) as tx:
                    await SessionService(tx).messages(session, limit=10)

            async def history(session: UUID = session) -> None:
                async with weft.database.transaction(actor) as tx:
                    await SessionService(tx).window(session, 10)

            await measured(newest, 30)
            wall, processor = await measured(newest, ROUNDS)
            await measured(history, 30)
            history_wall, _ = await measured(history, ROUNDS)
            first = first or wall
            rows.append((f"{size:,}", wall, processor, wall / first, history_wall))
        print()
        table(("messages in the session", "newest 10, ms", "of it processor", "ratio to 10", "window(10), ms"), rows)


def main() -> None:
    """Print the figures."""
    run(work)
