"""`weft context`: what a call was sent, how two calls differ, and an end to what is kept too long."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import click

from weft.calls.context_schemas import BlockView, CacheView, ContextDiff, ContextView
from weft.calls.context_sweep import Swept, sweep_contexts
from weft.calls.contexts import ContextService
from weft.cli.running import as_json, as_operator, run, show_json, show_table
from weft.compose import Weft
from weft.kit.errors import InvalidError


@click.group()
def command() -> None:
    """What calls were sent."""


@command.command()
@click.argument("call", type=click.UUID)
@click.option("--block", help="The text of this block alone.")
@as_json
def show(call: UUID, block: str | None, as_json: bool) -> None:
    """Show what CALL was sent: its blocks in order, what was cut, what a cache should have known."""

    async def work(weft: Weft) -> ContextView:
        async with as_operator(weft) as tx:
            return await ContextService(tx).view(call)

    found = run(work)
    if block is not None:
        chosen = _block(found.blocks, block)
        show_json(chosen) if as_json else click.echo(chosen.text or f"It was not sent: {chosen.why}")
    elif as_json:
        show_json(found)
    else:
        _print(found)


@command.command()
@click.argument("one", type=click.UUID)
@click.argument("other", type=click.UUID)
@as_json
def diff(one: UUID, other: UUID, as_json: bool) -> None:
    """Show how two calls differ, and which block broke the prefix."""

    async def work(weft: Weft) -> ContextDiff:
        async with as_operator(weft) as tx:
            earlier, later = sorted((one, other), key=lambda call: call.int)  # ids sort by time
            return await ContextService(tx).diff(later, earlier)

    found = run(work)
    if as_json:
        show_json(found)
    else:
        _print_diff(found)


@command.command()
@as_json
def sweep(as_json: bool) -> None:
    """Delete what is kept for longer than WEFT_CONTEXT_RETENTION_DAYS, as the server does by itself."""

    async def work(weft: Weft) -> Swept:
        return await sweep_contexts(weft.database, timedelta(days=weft.settings.context_retention_days))

    swept = run(work)
    if as_json:
        show_json({"contexts": swept.contexts, "texts": swept.texts})
    else:
        click.echo(f"Deleted what {swept.contexts} calls were sent, and {swept.texts} texts.")


def _block(blocks: Sequence[BlockView], name: str) -> BlockView:
    found = next((block for block in blocks if block.id == name), None)
    if found is None:
        names = ", ".join(block.id for block in blocks if not block.id.startswith("message/"))
        raise InvalidError(f"there is no block {name!r} in it; there are {names}, and messages by their ids")
    return found


def _print(found: ContextView) -> None:
    call = found.call
    click.echo(f"{call.started_at:%Y-%m-%d %H:%M:%S} UTC   {call.purpose}   {call.model}   {found.recipe}")
    purses = [f"{name} {purse.spent} of {purse.budget}" for name, purse in found.purses.items()]
    click.echo(
        f"{found.total} tokens: {', '.join(purses)}; {found.window_texts} texts from number {found.window_start}"
    )
    click.echo(_cache(found.cache))
    for alarm in found.cache.alarms:
        click.echo(f"! {alarm.detail}")
    rows = [
        (block.id, block.place, block.scope, block.trust, block.tokens, block.cached, _state(block))
        for block in found.blocks
    ]
    show_table(("block", "place", "scope", "trust", "tokens", "cached", ""), rows, "It was sent nothing.")


def _cache(cache: CacheView) -> str:
    told = "the vendor did not say" if cache.reported_tokens is None else f"{cache.reported_tokens} were reported"
    expected = f"{cache.expected_tokens} tokens ({cache.expected_share:.0%}) were expected from the cache, {told}"
    if cache.compared_with is None:
        return expected + "; it is the first call of its conversation"
    way = "" if cache.same_way else ", which went another way"
    changed = f"; first changed: {cache.changed}" if cache.changed else ""
    return f"{expected}; the call before was {cache.seconds_since:.0f} s earlier{way}{changed}"


def _state(block: BlockView) -> str:
    return "" if block.state == "whole" else f"{block.state}: {block.why}"


def _print_diff(found: ContextDiff) -> None:
    click.echo(f"{found.before_id}: {found.total_before} tokens")
    click.echo(f"{found.call_id}: {found.total_after} tokens, the first {found.common_tokens} as before")
    if found.broke:
        lost = f", and {found.lost_tokens} tokens after it were read anew" if found.collapsed else ""
        click.echo(f"The common beginning ends with {found.broke}{lost}.")
    for change in found.changes:
        click.echo(f"\n{change.change} {change.id} ({change.tokens_before} → {change.tokens_after} tokens)")
        for line in change.difference:
            click.echo(f"  {line}")
