"""`weft sessions`: the conversations, and one from beginning to end."""

from uuid import UUID

import click

from weft.calls.schemas import GroupBy
from weft.cli.running import as_json, as_operator, run, show_json, show_table
from weft.compose import Weft
from weft.sessions.schemas import MessageView, SessionView
from weft.sessions.service import SessionService


@click.group()
def command() -> None:
    """Look at conversations."""


@command.command(name="list")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 1000), help="How many at the most.")
@as_json
def list_sessions(limit: int, as_json: bool) -> None:
    """List conversations, the one touched last first."""

    async def work(weft: Weft) -> list[SessionView]:
        async with as_operator(weft) as tx:
            return await SessionService(tx).recent(None, limit)

    found = run(work)
    if as_json:
        show_json(found)
        return
    rows = [(s.id, f"{s.updated_at:%Y-%m-%d %H:%M}", s.status, s.skill, s.title) for s in found]
    show_table(("session", "touched (UTC)", "status", "skill", "title"), rows, "There is no conversation yet.")


@command.command()
@click.argument("session_id", type=click.UUID)
@click.option("--limit", default=200, show_default=True, type=click.IntRange(1, 10_000), help="How many messages.")
@click.option("--audit", is_flag=True, help="The audit rows too.")
@as_json
def show(session_id: UUID, limit: int, audit: bool, as_json: bool) -> None:
    """Show one conversation with its messages and what it cost."""

    async def work(weft: Weft) -> dict[str, object]:
        async with as_operator(weft) as tx:
            sessions = SessionService(tx)
            messages = await sessions.messages(session_id, limit=limit)
            return {
                "session": await sessions.get(session_id),
                "messages": messages[::-1],
                "audit": await sessions.messages(session_id, limit=limit, audit=True) if audit else [],
                "usage": await sessions.usage(session_id, GroupBy.TOTAL),
            }

    found = run(work)
    if as_json:
        show_json({name: _json(part) for name, part in found.items()})
        return
    _print(found)


def _json(part: object) -> object:
    if isinstance(part, list):
        return [_json(item) for item in part]
    return part.model_dump(mode="json") if hasattr(part, "model_dump") else part


def _print(found: dict[str, object]) -> None:
    session = found["session"]
    if not isinstance(session, SessionView):
        return
    click.echo(f"{session.title or '(no title)'}   {session.status}   {session.billing_currency}")
    messages = [*_messages(found["messages"]), *_messages(found["audit"])]
    rows = [
        (m.seq, m.role, m.metadata.type, m.input_tokens or "", m.output_tokens or "", m.cost, _start(m))
        for m in messages
    ]
    show_table(("seq", "role", "what", "in", "out", "cost", "text"), rows, "It has no messages yet.")


def _messages(part: object) -> list[MessageView]:
    return [item for item in part if isinstance(item, MessageView)] if isinstance(part, list) else []


def _start(message: MessageView) -> str:
    text = message.content or ""
    return text if len(text) <= 60 else text[:60] + "…"
