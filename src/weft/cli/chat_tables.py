"""The tables that a chat shows: what a call was sent, what a conversation cost, the skills, the conversations."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from uuid import UUID
from zoneinfo import ZoneInfo

from weft.calls.context_schemas import BlockView, ContextView
from weft.calls.schemas import UsageReport
from weft.cli.chat_costs import Spent, money
from weft.cli.chat_paper import Paper
from weft.cli.chat_words import Words
from weft.cli.running import show_table
from weft.cli.widths import cut, width
from weft.sessions.schemas import SessionView
from weft.skills.catalogue import Listed

_SOURCE, _TOKENS, _LEAST_NAME = 26, 6, 16  # columns
_OTHERS = 7 + _TOKENS + 8 + 6  # of all but a block's name and source: place, tokens, cache, and what is between
_SESSION_ID, _LEAST_TITLE = 36, 24


def show_context(paper: Paper, words: Words, view: ContextView) -> None:
    """The blocks of a call in the order in which they were sent, and what its vendor's cache knew of them."""
    sent = [block for block in view.blocks if block.cached is not None]
    head = words.context_head.format(
        purpose=view.call.purpose, model=view.call.model, total=f"{view.total:,}", count=len(sent)
    )
    paper.paragraph(head, bold=True)
    wide = paper.columns >= _LEAST_NAME + _SOURCE + 2 + _OTHERS
    name = max(paper.columns - _OTHERS - (_SOURCE + 2) * wide, _LEAST_NAME)
    rows = [words.context_columns, *(_row(words, block, name) for block in _together(view.blocks))]
    headings, *cells = rows if wide else [(row[0], *row[2:]) for row in rows]  # a source is what can be missed
    show_table(headings, cells, "")
    reported = view.cache.reported_tokens
    cache = words.context_cache.format(
        expected=f"{view.cache.expected_tokens:,}", reported="–" if reported is None else f"{reported:,}"
    )
    paper.paragraph(cache, dim=True)
    for alarm in view.cache.alarms:
        paper.paragraph(alarm.detail, fg="yellow")
    paper.line(words.context_more.format(call=view.call.id), dim=True)


def show_costs(paper: Paper, words: Words, total: UsageReport, by_model: UsageReport) -> None:
    """What a conversation cost, in all and by model."""
    spent = Spent.in_all(total)
    paper.paragraph(spent.line(words), bold=True)
    if spent.calls:
        show_table(words.cost_columns, _by_model(words, by_model), "")


def show_skills(paper: Paper, words: Words, listed: Sequence[Listed], active: str | None) -> None:
    """Every skill and what it is for; a mark before the one that is active."""
    if not listed:
        paper.line(words.skill_none, dim=True)
    longest = max((width(each.name) for each in listed), default=0)
    for each in listed:
        missing = ", ".join(map(str, each.missing))
        about = words.skill_missing.format(missing=missing) if missing else each.skill.description
        paper.item(f"{'◆' if each.name == active else ' '} {each.name}", about, longest)


def show_sessions(
    paper: Paper, words: Words, sessions: Sequence[SessionView], current: UUID | None, zone: ZoneInfo
) -> None:
    """Conversations with the numbers by which they are called; times are the user's."""
    skill = max((width(each.skill or "") for each in sessions), default=0)
    room = paper.columns - len("›  1  ") - len("12-31 23:59  ") - max(skill, width(words.session_columns[3])) - 2
    wide = room >= _SESSION_ID + 2 + _LEAST_TITLE
    title = max(room - (_SESSION_ID + 2) * wide, 8)
    rows: list[Sequence[object]] = [words.session_columns]
    for number, each in enumerate(sessions, 1):
        mark = f"{'›' if each.id == current else ' '}{number:>3}"
        touched = f"{each.updated_at.astimezone(zone):%m-%d %H:%M}"
        rows.append((mark, each.id, touched, each.skill, cut(each.title or "", title)))
    headings, *cells = rows if wide else [(row[0], *row[2:]) for row in rows]  # its number is enough to call one
    show_table([str(each) for each in headings], cells, words.no_sessions)
    if sessions:
        paper.line(words.which_session, dim=True)


def _together(blocks: Sequence[BlockView]) -> Iterator[BlockView]:
    """The blocks, all the tools as one: what each takes is for `weft context show`."""
    for sent, group in groupby(blocks, key=lambda block: block.place == "tools" and block.cached is not None):
        if not sent:
            yield from group
            continue
        tools = list(group)
        known = {tool.cached for tool in tools}
        yield tools[0].model_copy(
            update={
                "id": f"tools ({len(tools)})",
                "tokens": sum(tool.tokens for tool in tools),
                "cached": tools[0].cached if len(known) == 1 else "partly",
            }
        )


def _row(words: Words, block: BlockView, columns: int) -> Sequence[str]:
    """A block; its name takes so many columns at the most."""
    known = {"expected": words.block_cached, "partly": words.block_partly, "new": words.block_new}
    cached = words.block_left_out if block.cached is None else known[block.cached]
    if block.state == "shortened":
        cached += f" · {words.block_shortened}"
    return cut(block.id, columns), cut(block.source, _SOURCE), block.place, f"{block.tokens:,}".rjust(_TOKENS), cached


def _by_model(words: Words, report: UsageReport) -> list[Sequence[str]]:
    return [
        (
            total.group or "",
            f"{total.calls:,}",
            f"{total.input_tokens:,}",
            f"{total.cached_input_tokens:,}",
            f"{total.output_tokens:,}",
            words.unpriced if total.unpriced_calls == total.calls else money(total.cost, total.currency),
        )
        for total in report.totals
    ]
