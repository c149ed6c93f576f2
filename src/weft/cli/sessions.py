"""`weft sessions`: the conversations, and what one of them did, turn by turn."""

from uuid import UUID

import click
from pydantic import BaseModel

from weft.calls.schemas import GroupBy, UsageReport
from weft.cli.chat_costs import Spent
from weft.cli.chat_english import ENGLISH
from weft.cli.running import as_json, as_operator, run, show_json, show_table
from weft.cli.timeline import TurnTimeline, timelines
from weft.cli.timeline_text import show_turn
from weft.cli.widths import cut
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
@click.option("--turns", default=10, show_default=True, type=click.IntRange(0, 1_000), help="How many, the last ones.")
@click.option("--limit", default=200, show_default=True, type=click.IntRange(1, 10_000), help="How many messages.")
@click.option("--audit", is_flag=True, help="The audit rows too.")
@as_json
def show(session_id: UUID, turns: int, limit: int, audit: bool, as_json: bool) -> None:
    """Show one conversation: what was said, what each turn did, and what it cost.

    A turn has its stages, actions, tools and model calls; `weft context show CALL` shows what a call was sent.
    """

    async def work(weft: Weft) -> _Found:
        async with as_operator(weft) as tx:
            sessions = SessionService(tx)
            return _Found(
                session=await sessions.get(session_id),
                messages=(await sessions.messages(session_id, limit=limit))[::-1],
                audit=await sessions.messages(session_id, limit=limit, audit=True) if audit else [],
                usage=await sessions.usage(session_id, GroupBy.TOTAL),
                turns=await timelines(tx, session_id, turns),
            )

    found = run(work)
    if as_json:
        show_json(found)
    else:
        _print(found)


class _Found(BaseModel):
    """A conversation, as far as it was asked for."""

    session: SessionView
    messages: list[MessageView]
    audit: list[MessageView]
    usage: UsageReport
    turns: list[TurnTimeline]


def _print(found: _Found) -> None:
    session = found.session
    skill = f" · {session.skill}" if session.skill else ""
    title = cut(session.title or "(no title)", 60)
    click.echo(f"{click.style(title, bold=True)} · {session.status}{skill} · session {session.id}")
    click.echo(Spent.in_all(found.usage).line(ENGLISH))
    messages = [*found.messages, *found.audit]
    for timeline in found.turns:
        show_turn(timeline, [each for each in messages if each.turn_id == timeline.run.id])
    shown = {timeline.run.id for timeline in found.turns}
    others = [each for each in messages if each.turn_id not in shown]
    if others and not shown:  # written before turns were, or asked for without them
        rows = [
            (
                m.seq,
                m.role,
                m.metadata.type,
                m.input_tokens or "",
                m.output_tokens or "",
                m.cost,
                cut(m.content or "", 60),
            )
            for m in others
        ]
        show_table(("seq", "role", "what", "in", "out", "cost", "text"), rows, "")
    elif not messages:
        click.echo("It has no messages yet.")
