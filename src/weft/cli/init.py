"""`weft init`: everything a first start would make, made now, and what to do next."""

import click

from weft.accounts.roles import Role
from weft.accounts.schemas import OperatorWish
from weft.accounts.service import AccountService
from weft.cli.running import as_json, as_operator, run, show_json
from weft.compose import Weft
from weft.settings import Auth


@click.command()
@as_json
def command(as_json: bool) -> None:
    """Prepare a new installation: its folder, its database and, with WEFT_AUTH=keys, its first operator.

    Doing it again changes nothing that is there.
    """

    async def work(weft: Weft) -> dict[str, str | None]:
        made = {"folder": str(weft.settings.folder), "auth": weft.settings.auth.value, "operator_key": None}
        if weft.settings.auth is Auth.KEYS:
            async with as_operator(weft) as tx:
                accounts = AccountService(tx)
                if not await accounts.operators():
                    wish = OperatorWish(name="owner", role=Role.OWNER)
                    made["operator_key"] = (await accounts.add_operator(wish)).key
        return made

    made = run(work)
    if as_json:
        show_json(made)
        return
    click.echo(f"Weft is prepared in {made['folder']}.")
    if made["operator_key"]:
        click.echo(f"The first operator's key, shown this once: {made['operator_key']}")
        click.echo("Next: weft keys businesses create acme, then weft keys create --business acme --name production")
    click.echo("Start it with: weft serve")
