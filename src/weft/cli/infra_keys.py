"""`weft infra keys`: the vendors' keys, which are asked for and never typed as an argument."""

import asyncio
import os
import sys
from typing import Any

import click

from weft.cli.infra_fields import as_fields, checked, split_name
from weft.cli.running import as_json, as_operator, run, show_json, show_table
from weft.compose import Weft, keyring_of
from weft.infra.schemas import KeyPatch, KeyView, KeyWish, Rotated
from weft.infra.service import InfraService
from weft.kit.crypto import Keyring
from weft.kit.errors import InvalidError, OperatorError
from weft.kit.secret_file import add_secret

from_env = click.option("--from-env", metavar="VARIABLE", help="Read the key from this environment variable.")
serving = click.option(
    "--for", "serves", multiple=True, metavar="BUSINESS[:USER]", help="Whom it serves; everybody, if left out."
)


@click.group()
def keys() -> None:
    """The vendors' keys: encrypted, metered, limited, each for everybody or for some."""


def _read_secret(from_env: str | None) -> str:
    if from_env is not None:
        value = os.environ.get(from_env, "").strip()
        if not value:
            raise InvalidError(f"the environment has no {from_env}", field="secret")
        return value
    if sys.stdin.isatty():
        typed: str = click.prompt("Key", hide_input=True)
        return typed.strip()
    value = sys.stdin.readline().strip()
    if not value:
        raise InvalidError(
            "standard input holds no key; pipe it in, or name a variable with --from-env", field="secret"
        )
    return value


def _assignments(serves: tuple[str, ...]) -> list[dict[str, str]]:
    found = []
    for whom in serves:
        business, colon, user = whom.partition(":")
        found.append({"business": business, "user": user} if colon else {"business": business})
    return found


def _service(tx: Any, weft: Weft) -> InfraService:
    return InfraService(tx, weft.keyring)


@keys.command(name="list")
@as_json
def list_keys(as_json: bool) -> None:
    """List the keys, without the keys, and what they were used for today (UTC)."""

    async def work(weft: Weft) -> list[KeyView]:
        async with as_operator(weft) as tx:
            return await _service(tx, weft).keys()

    found = run(work)
    if as_json:
        show_json(found)
        return
    show_table(_HEADINGS, [_row(key) for key in found], "There is no key yet: weft infra keys add deepseek/main")


_HEADINGS = ("key", "ends in", "secret", "serves", "limits", "today", "")


def _row(key: KeyView) -> tuple[str, ...]:
    serves = ", ".join(a.business + (f":{a.user}" if a.user else "") for a in key.assignments) or "everybody"
    limits = [
        f"{key.requests_per_minute}/min" if key.requests_per_minute else "",
        f"{key.requests_per_day} requests/day" if key.requests_per_day else "",
        f"{key.tokens_per_day} tokens/day" if key.tokens_per_day else "",
        f"{key.money_per_day} {key.money_currency}/day" if key.money_per_day else "",
    ]
    money = ", ".join(f"{amount} {currency}" for currency, amount in key.today.money.items())
    used = f"{key.today.requests} requests, {key.today.tokens} tokens" + (f", {money}" if money else "")
    state = "waits for its key" if key.key_id is None else "" if key.enabled else "disabled"
    shown = (f"{key.vendor}/{key.name}", key.last_four, key.key_id or "", serves)
    return (*shown, ", ".join(filter(None, limits)), used, state)


@keys.command(name="add")
@click.argument("name")
@click.argument("fields", nargs=-1, metavar="FIELD=VALUE...")
@serving
@from_env
@as_json
def add_key(name: str, fields: tuple[str, ...], serves: tuple[str, ...], from_env: str | None, as_json: bool) -> None:
    """Store a key under VENDOR/NAME. It is asked for, or read from standard input or a variable.

    For example: weft infra keys add deepseek/main requests_per_minute=60 money_per_day=50 money_currency=CNY
    """
    vendor, key = split_name("key", name)
    wanted = as_fields(fields) | {"vendor": vendor, "name": key}
    if serves:
        wanted["assignments"] = _assignments(serves)
    wish = checked(KeyWish, wanted | {"secret": _read_secret(from_env)})

    async def work(weft: Weft) -> KeyView:
        async with as_operator(weft) as tx:
            return await _service(tx, weft).add_key(wish)

    made = run(work)
    if as_json:
        show_json(made)
    else:
        click.echo(f"Key {name} is stored, encrypted under the secret {made.key_id}.")


@keys.command(name="set")
@click.argument("name")
@click.argument("fields", nargs=-1, metavar="FIELD=VALUE...")
@serving
@click.option("--for-everybody", is_flag=True, help="Let it serve everybody again.")
@click.option("--secret", is_flag=True, help="Put another key in its place: asked for, or from standard input.")
@from_env
@as_json
def set_key(
    name: str,
    fields: tuple[str, ...],
    serves: tuple[str, ...],
    for_everybody: bool,
    secret: bool,
    from_env: str | None,
    as_json: bool,
) -> None:
    """Change a key's limits or whom it serves, or, with --secret, the key itself."""
    wanted = as_fields(fields)
    if serves or for_everybody:
        wanted["assignments"] = _assignments(serves)
    if secret or from_env is not None or not wanted:
        wanted["secret"] = _read_secret(from_env)
    patch = checked(KeyPatch, wanted)

    async def work(weft: Weft) -> dict[str, str]:
        async with as_operator(weft) as tx:
            service = _service(tx, weft)
            await service.change_key(await service.identity("key", split_name("key", name)), patch)
        return {"changed": name}

    changed = run(work)
    if as_json:
        show_json(changed)
    else:
        click.echo("Changed.")


@keys.command(name="remove")
@click.argument("name")
@as_json
def remove_key(name: str, as_json: bool) -> None:
    """Forget a key."""

    async def work(weft: Weft) -> dict[str, str]:
        async with as_operator(weft) as tx:
            service = _service(tx, weft)
            await service.remove("key", await service.identity("key", split_name("key", name)))
        return {"removed": name}

    removed = run(work)
    if as_json:
        show_json(removed)
    else:
        click.echo("Removed.")


@keys.command(name="rotate")
@click.option("--new-secret", is_flag=True, help="First put a new secret on top of WEFT_HOME/secret.key.")
@as_json
def rotate(new_secret: bool, as_json: bool) -> None:
    """Encrypt every key anew, under the newest of the installation's secrets.

    Either set WEFT_SECRET_KEY to a new secret and WEFT_SECRET_KEY_PREVIOUS to the old one and run this, or, where the
    secret is in WEFT_HOME/secret.key, run it with --new-secret.
    """

    async def work(weft: Weft) -> Rotated:
        keyring: Keyring = weft.keyring
        if new_secret:
            if weft.settings.secret_key is not None:
                raise OperatorError(
                    "WEFT_SECRET_KEY is set, so the file is not what encrypts: set it to a new secret, the old one as "
                    "WEFT_SECRET_KEY_PREVIOUS, and run this without --new-secret"
                )
            await asyncio.to_thread(lambda: add_secret(weft.settings.folder))
            keyring = await asyncio.to_thread(keyring_of, weft.settings)
        async with as_operator(weft) as tx:
            return await InfraService(tx, keyring).rotate()

    done = run(work)
    if as_json:
        show_json(done)
    else:
        click.echo(f"{done.reencrypted} keys were encrypted anew; all are under the secret {done.key_id}.")
        click.echo("Servers that run read their secrets at start: restart them now.", err=True)
