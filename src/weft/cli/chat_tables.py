"""The tables that a chat shows: what a call was sent, and what a conversation cost."""

from collections.abc import Sequence

from weft.calls.context_schemas import BlockView, ContextView
from weft.calls.schemas import UsageReport
from weft.cli.chat_costs import Spent, money
from weft.cli.chat_paper import Paper
from weft.cli.chat_words import Words
from weft.cli.running import show_table
from weft.cli.widths import cut

_NAME = 36  # columns of a block's name


def show_context(paper: Paper, words: Words, view: ContextView) -> None:
    """The blocks of a call in the order in which they were sent, and what its vendor's cache knew of them."""
    sent = [block for block in view.blocks if block.cached is not None]
    head = words.context_head.format(
        purpose=view.call.purpose, model=view.call.model, total=f"{view.total:,}", count=len(sent)
    )
    paper.line(head, bold=True)
    rows = [_row(words, block) for block in view.blocks]
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


def _row(words: Words, block: BlockView) -> Sequence[str]:
    known = {"expected": words.block_cached, "partly": words.block_partly, "new": words.block_new}
    cached = words.block_left_out if block.cached is None else known[block.cached]
    why = f" · {block.why}" if block.why else ""
    return cut(block.id, _NAME), block.source, block.place, f"{block.tokens:,}".rjust(7), cut(cached + why, 40)


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
