"""The tables that a chat shows: what a call was sent, and what a conversation cost."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from weft.calls.context_schemas import BlockView, ContextView
from weft.calls.schemas import UsageReport
from weft.cli.chat_costs import Spent, money
from weft.cli.chat_paper import Paper
from weft.cli.chat_words import Words
from weft.cli.running import show_table
from weft.cli.widths import cut

_SOURCE, _TOKENS, _LEAST_NAME = 26, 6, 16  # columns
_OTHERS = _SOURCE + 7 + _TOKENS + 8 + 8  # of all but a block's name: place, cache, and what is between


def show_context(paper: Paper, words: Words, view: ContextView) -> None:
    """The blocks of a call in the order in which they were sent, and what its vendor's cache knew of them."""
    sent = [block for block in view.blocks if block.cached is not None]
    head = words.context_head.format(
        purpose=view.call.purpose, model=view.call.model, total=f"{view.total:,}", count=len(sent)
    )
    paper.line(head, bold=True)
    rows = [_row(words, block, paper.columns) for block in _together(view.blocks)]
    show_table(words.context_columns, rows, "")
    reported = view.cache.reported_tokens
    cache = words.context_cache.format(
        expected=f"{view.cache.expected_tokens:,}", reported="–" if reported is None else f"{reported:,}"
    )
    paper.line(cache, dim=True)
    for alarm in view.cache.alarms:
        paper.line(alarm.detail, fg="yellow")
    paper.line(words.context_more.format(call=view.call.id), dim=True)


def show_costs(paper: Paper, words: Words, total: UsageReport, by_model: UsageReport) -> None:
    """What a conversation cost, in all and by model."""
    spent = Spent.in_all(total)
    paper.line(spent.line(words), bold=True)
    if spent.calls:
        show_table(words.cost_columns, _by_model(words, by_model), "")


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
    known = {"expected": words.block_cached, "partly": words.block_partly, "new": words.block_new}
    cached = words.block_left_out if block.cached is None else known[block.cached]
    if block.state == "shortened":
        cached += f" · {words.block_shortened}"
    name = cut(block.id, max(columns - _OTHERS, _LEAST_NAME))
    return name, cut(block.source, _SOURCE), block.place, f"{block.tokens:,}".rjust(_TOKENS), cached


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
