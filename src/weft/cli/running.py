"""What commands share: opening Weft for the length of a command, and showing what came of it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

import click
import orjson
from pydantic import BaseModel

from weft.accounts.authentication import LOCAL, LocalAuthentication, cli_actor
from weft.accounts.service import AccountService
from weft.cli.widths import padded, width
from weft.compose import Weft, open_weft
from weft.kit import log
from weft.kit.actor import Actor, Reach
from weft.kit.db import Transaction
from weft.settings import load_settings

Result = TypeVar("Result")
as_json = click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")


@dataclass(frozen=True, slots=True)
class Whose:
    """The user that a command is about."""

    business: str
    user: str


def whose(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that name a user; without them, the one user of a local installation."""
    command = click.option("--user", default=LOCAL, show_default=True, help="The business's id of the user.")(command)
    return click.option("--business", default=LOCAL, show_default=True, help="The business's slug.")(command)


def run(work: Callable[[Weft], Awaitable[Result]]) -> Result:
    """Open Weft, do the work, close it."""
    settings = load_settings()
    log.configure("WARNING", plain=True)

    async def opened() -> Result:
        async with open_weft(settings) as weft:
            return await work(weft)

    return asyncio.run(opened())


@asynccontextmanager
async def as_operator(weft: Weft) -> AsyncIterator[Transaction]:
    """A transaction over the whole installation."""
    async with weft.database.transaction(cli_actor(), Reach.INSTALLATION) as tx:
        yield tx


async def acting(weft: Weft, whom: Whose) -> Actor:
    """Whoever has a shell on this machine, on behalf of that user."""
    if (whom.business, whom.user) == (LOCAL, LOCAL):
        return (await LocalAuthentication.prepare(weft.database)).actor
    async with as_operator(weft) as tx:
        return cli_actor(*await AccountService(tx).find_user(whom.business, whom.user))


@asynccontextmanager
async def as_user(weft: Weft, whom: Whose) -> AsyncIterator[Transaction]:
    """A transaction on behalf of that user."""
    async with weft.database.transaction(await acting(weft, whom)) as tx:
        yield tx


def show_json(value: Any) -> None:
    """Print JSON, as the HTTP surface would answer it."""
    click.echo(orjson.dumps(_plain(value), option=orjson.OPT_INDENT_2).decode())


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value


def show_table(headings: Sequence[str], rows: Sequence[Sequence[Any]], nothing: str) -> None:
    """Print columns, as wide as what stands in them; Chinese characters take two places."""
    if not rows:
        click.echo(nothing)
        return
    cells = [[_cell(value) for value in row] for row in [headings, *rows]]
    widths = [max(width(row[column]) for row in cells) for column in range(len(headings))]
    for row in cells:
        line = "  ".join(padded(cell, columns) for cell, columns in zip(row, widths, strict=True))
        click.echo(line.rstrip())


def amount(value: Decimal) -> str:
    """An amount exactly, never in powers of ten and without zeros that say nothing."""
    whole, point, places = format(value, "f").partition(".")
    return whole + point + places.rstrip("0").ljust(min(2, len(places)), "0")


def _cell(value: Any) -> str:
    if isinstance(value, Decimal):
        return amount(value)
    return "" if value is None else str(value).replace("\n", " ")
