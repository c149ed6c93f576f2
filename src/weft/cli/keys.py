"""`weft keys`: businesses, the keys they call with, and operators."""

from typing import Any, TypeVar
from uuid import UUID

import click
from pydantic import BaseModel, ValidationError

from weft.accounts.roles import BUSINESS_RIGHTS, Role
from weft.accounts.schemas import BusinessWish, KeyWish, MadeSecret, OperatorWish
from weft.accounts.service import AccountService
from weft.cli.running import as_json, as_operator, run, show_json, show_table
from weft.compose import Weft
from weft.kit.actor import Right
from weft.kit.errors import InvalidError

Wish = TypeVar("Wish", bound=BaseModel)


@click.group()
def command() -> None:
    """Businesses, their keys, and operators."""


@command.group()
def businesses() -> None:
    """The businesses that call this Weft."""


@command.group()
def operators() -> None:
    """The people who run it."""


def _wish(kind: type[Wish], **values: Any) -> Wish:
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in problem["loc"])
        raise InvalidError(f"{field}: {problem['msg']}", field=field) from None


def _show_secret(made: MadeSecret, *, as_json: bool) -> None:
    if as_json:
        show_json(made)
        return
    click.echo(made.key)
    click.echo("This key is shown once and stored nowhere; put it where it is needed now.", err=True)


@businesses.command(name="create")
@click.argument("slug")
@click.option("--name", help="What people call it; the slug, if left out.")
@as_json
def create_business(slug: str, name: str | None, as_json: bool) -> None:
    """Make a business, for example: weft keys businesses create acme"""
    wish = _wish(BusinessWish, slug=slug, name=name or slug)

    async def work(weft: Weft) -> Any:
        async with as_operator(weft) as tx:
            return await AccountService(tx).add_business(wish)

    made = run(work)
    if as_json:
        show_json(made)
    else:
        click.echo(f"Business {made.slug} is there. Next: weft keys create --business {made.slug} --name production")


@businesses.command(name="list")
@as_json
def list_businesses(as_json: bool) -> None:
    """List the businesses."""

    async def work(weft: Weft) -> Any:
        async with as_operator(weft) as tx:
            return await AccountService(tx).businesses()

    found = run(work)
    if as_json:
        show_json(found)
    else:
        show_table(("slug", "name"), [(b.slug, b.name) for b in found], "There is no business yet.")


@command.command(name="create")
@click.option("--business", required=True, help="The business's slug.")
@click.option("--name", required=True, help="What the key is for.")
@click.option(
    "--right",
    "rights",
    multiple=True,
    type=click.Choice(sorted(right.value for right in BUSINESS_RIGHTS)),
    help="What it may do; all of these if left out.",
)
@click.option("--rate", "rate_per_minute", type=int, default=600, show_default=True, help="Calls a minute.")
@click.option("--expires", "expires_at", help="When it ends, for example 2027-01-01T00:00:00Z.")
@as_json
def create_key(
    business: str, name: str, rights: tuple[str, ...], rate_per_minute: int, expires_at: str | None, as_json: bool
) -> None:
    """Make a business key. It is shown once."""
    wish = _wish(
        KeyWish,
        business=business,
        name=name,
        rights={Right(right) for right in rights} or set(BUSINESS_RIGHTS),
        rate_per_minute=rate_per_minute,
        expires_at=expires_at,
    )

    async def work(weft: Weft) -> MadeSecret:
        async with as_operator(weft) as tx:
            return await AccountService(tx).add_key(wish)

    _show_secret(run(work), as_json=as_json)


@command.command(name="list")
@as_json
def list_keys(as_json: bool) -> None:
    """List the business keys, without the keys."""

    async def work(weft: Weft) -> Any:
        async with as_operator(weft) as tx:
            return await AccountService(tx).keys()

    found = run(work)
    if as_json:
        show_json(found)
        return
    rows = [(k.id, k.business, k.name, k.prefix, " ".join(k.rights), "revoked" if k.revoked_at else "") for k in found]
    show_table(("id", "business", "name", "prefix", "rights", ""), rows, "There is no key yet.")


@command.command(name="revoke")
@click.argument("key_id", type=click.UUID)
@as_json
def revoke_key(key_id: UUID, as_json: bool) -> None:
    """End a business key at once."""

    async def work(weft: Weft) -> None:
        async with as_operator(weft) as tx:
            await AccountService(tx).revoke_key(key_id)

    run(work)
    if as_json:
        show_json({"revoked": str(key_id)})
    else:
        click.echo("Revoked.")


@operators.command(name="create")
@click.argument("name")
@click.option("--role", type=click.Choice([role.value for role in Role]), default="viewer", show_default=True)
@click.option("--business", help="Of this business only; of the whole installation, if left out.")
@as_json
def create_operator(name: str, role: str, business: str | None, as_json: bool) -> None:
    """Make an operator. Their key is shown once."""
    wish = _wish(OperatorWish, name=name, role=role, business=business)

    async def work(weft: Weft) -> MadeSecret:
        async with as_operator(weft) as tx:
            return await AccountService(tx).add_operator(wish)

    _show_secret(run(work), as_json=as_json)


@operators.command(name="list")
@as_json
def list_operators(as_json: bool) -> None:
    """List the operators."""

    async def work(weft: Weft) -> Any:
        async with as_operator(weft) as tx:
            return await AccountService(tx).operators()

    found = run(work)
    if as_json:
        show_json(found)
        return
    rows = [(o.id, o.business or "(all)", o.name, o.role, "revoked" if o.revoked_at else "") for o in found]
    show_table(("id", "business", "name", "role", ""), rows, "There is no operator yet.")


@operators.command(name="revoke")
@click.argument("operator_id", type=click.UUID)
@as_json
def revoke_operator(operator_id: UUID, as_json: bool) -> None:
    """End an operator and their console sessions."""

    async def work(weft: Weft) -> None:
        async with as_operator(weft) as tx:
            await AccountService(tx).revoke_operator(operator_id)

    run(work)
    if as_json:
        show_json({"revoked": str(operator_id)})
    else:
        click.echo("Revoked.")
