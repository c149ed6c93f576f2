"""`weft usage`: what calls came to."""

from datetime import UTC, datetime

import click

from weft.calls.schemas import GroupBy, UsageReport
from weft.calls.service import CallService
from weft.cli.running import as_json, as_operator, run, show_json, show_table
from weft.compose import Weft
from weft.kit.errors import InvalidError
from weft.kit.places import check_timezone


@click.command()
@click.option("--by", type=click.Choice([group.value for group in GroupBy]), default="day", show_default=True)
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="From this day on (UTC).")
@click.option("--until", type=click.DateTime(["%Y-%m-%d"]), help="Up to this day, not included (UTC).")
@click.option("--timezone", default="Asia/Shanghai", show_default=True, help="The zone whose days are summed.")
@as_json
def command(by: str, since: datetime | None, until: datetime | None, timezone: str, as_json: bool) -> None:
    """What calls came to, in tokens and money, over the whole installation."""
    try:
        check_timezone(timezone)
    except ValueError as error:
        raise InvalidError(str(error), field="timezone") from None

    async def work(weft: Weft) -> UsageReport:
        async with as_operator(weft) as tx:
            return await CallService(tx).report(
                GroupBy(by),
                since=since and since.replace(tzinfo=UTC),
                until=until and until.replace(tzinfo=UTC),
                timezone=timezone,
            )

    report = run(work)
    if as_json:
        show_json(report)
        return
    rows = [
        (
            t.group,
            t.calls,
            t.input_tokens,
            t.cached_input_tokens,
            t.output_tokens,
            t.cost,
            t.currency,
            t.unpriced_calls or "",
        )
        for t in report.totals
    ]
    headings = (by, "calls", "input", "cached", "output", "cost", "", "unpriced")
    show_table(headings, rows, "No call has been booked yet.")
