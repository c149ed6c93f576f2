"""`weft infra test`: a call that really goes out, and what it came to."""

import click

from weft.accounts.authentication import cli_actor
from weft.cli.running import amount, as_json, run, show_json, show_table
from weft.compose import Weft
from weft.infra.trial import MESSAGE, TrialView, TrialWish, try_model


@click.command(name="test")
@click.argument("model", default="default")
@click.option("--message", default=MESSAGE, help="What to ask.")
@click.option("--max-tokens", "max_output_tokens", default=200, show_default=True, type=click.IntRange(1, 4096))
@as_json
def test(model: str, message: str, max_output_tokens: int, as_json: bool) -> None:
    """Really call MODEL (an alias, or VENDOR/NAME) and show the answer, the times and what it cost."""
    wish = TrialWish(model=model, message=message, max_output_tokens=max_output_tokens)

    async def work(weft: Weft) -> TrialView:
        return await try_model(weft.gateway, weft.database, cli_actor(), wish)

    trial = run(work)
    if as_json:
        show_json(trial)
        return
    click.echo(trial.answer)
    click.echo(f"\nfirst token after {trial.first_token_ms or 0:.0f} ms, whole after {trial.total_ms:.0f} ms")
    rows = [
        (
            *(f"{c.vendor}/{c.model}", c.endpoint, c.key, c.outcome, c.input_tokens, c.cached_input_tokens),
            *(c.output_tokens, c.usage_source, "unpriced" if c.cost is None else f"{amount(c.cost)} {c.currency}"),
        )
        for c in trial.calls
    ]
    headings = ("model", "endpoint", "key", "outcome", "input", "cached", "output", "usage", "cost")
    show_table(headings, rows, "No call was made.")
