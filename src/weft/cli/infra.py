"""`weft infra`: vendors, endpoints, keys, models, prices, aliases; export, import, the catalogue."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from weft.cli.infra_fields import as_fields, checked, split_name
from weft.cli.infra_keys import keys
from weft.cli.infra_test import test
from weft.cli.running import as_json, as_operator, run, show_json, show_table
from weft.compose import Weft
from weft.infra.catalogue import shipped
from weft.infra.errors import InfraUnknownError
from weft.infra.names import split_reference
from weft.infra.schemas import ChangeView, EndpointWish, ModelWish, PriceWish, VendorWish
from weft.infra.service import InfraService
from weft.infra.yaml_text import read_document, write_document
from weft.kit.errors import OperatorError

Result = TypeVar("Result")


@click.group()
def command() -> None:
    """Vendors, their endpoints, keys and models, prices, and the aliases that calls go by.

    A thing is named as people say it: a vendor by its name, what is a vendor's as VENDOR/NAME. Fields are given as
    FIELD=VALUE; nothing after the = clears the field.
    """


def with_service(work: Callable[[InfraService], Awaitable[Result]]) -> Result:
    """Do something on behalf of the installation's operator."""

    async def opened(weft: Weft) -> Result:
        async with as_operator(weft) as tx:
            return await work(InfraService(tx, weft.keyring))

    return run(opened)


_COLUMNS: dict[str, tuple[str, ...]] = {
    "vendors": ("name", "title", "lane", "needs_key", "enabled", "origin"),
    "endpoints": ("vendor", "name", "base_url", "region", "category", "priority", "enabled"),
    "models": ("vendor", "name", "category", "version", "context_window", "enabled"),
    "prices": ("model", "currency", "valid_from", "input", "cached_input", "output", "source"),
    "aliases": ("name", "models"),
}
_WISHES: dict[str, Any] = {"vendor": VendorWish, "endpoint": EndpointWish, "model": ModelWish}


def _group(plural: str, about: str) -> click.Group:
    """A group with its `list`."""

    @command.group(name=plural, help=about)
    def group() -> None: ...

    @group.command(name="list", help=f"List the {plural}.")
    @as_json
    def listing(as_json: bool) -> None:
        found: list[Any] = with_service(lambda service: getattr(service, plural)())
        if as_json:
            show_json(found)
            return
        columns = _COLUMNS[plural]
        rows = [[_shown(getattr(each, column)) for column in columns] for each in found]
        show_table(columns, rows, f"There are no {plural} yet.")

    return group


def _shown(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return getattr(value, "value", value)


def _changing(group: click.Group, kind: str, example: str) -> None:
    """`add`, `set` and `remove` for what is changed field by field."""

    @group.command(name="add", help=f"Make one, for example: {example}")
    @click.argument("name")
    @click.argument("fields", nargs=-1, metavar="FIELD=VALUE...")
    @as_json
    def add(name: str, fields: tuple[str, ...], as_json: bool) -> None:
        path = split_name(kind, name)
        named = {"name": path[-1]} | ({} if kind == "vendor" else {"vendor": path[0]})
        wish = checked(_WISHES[kind], named | as_fields(fields))
        made = with_service(lambda service: getattr(service, f"add_{kind}")(wish))
        _tell(made, as_json, f"{kind.capitalize()} {name} is there.")

    @group.command(name="set", help="Change fields; enabled=false takes it out of use.")
    @click.argument("name")
    @click.argument("fields", nargs=-1, required=True, metavar="FIELD=VALUE...")
    @as_json
    def change(name: str, fields: tuple[str, ...], as_json: bool) -> None:
        async def work(service: InfraService) -> dict[str, str]:
            path = split_name(kind, name)
            identity = await service.identity(kind, path)
            current = next(view for view in await getattr(service, f"{kind}s")() if view.id == identity)
            await service.change(kind, identity, as_fields(fields, current.model_dump(mode="json")))
            return {"changed": name}

        _tell(with_service(work), as_json, "Changed.")

    _removing(group, kind)


def _removing(group: click.Group, kind: str) -> None:
    @group.command(name="remove", help="Take one away, with what belongs to it alone.")
    @click.argument("name")
    @as_json
    def remove(name: str, as_json: bool) -> None:
        async def work(service: InfraService) -> dict[str, str]:
            if kind == "alias":
                await service.remove_alias(name)
            else:
                await service.remove(kind, await service.identity(kind, split_name(kind, name)))
            return {"removed": name}

        _tell(with_service(work), as_json, "Removed.")


def _tell(found: Any, as_json: bool, words: str) -> None:
    if as_json:
        show_json(found)
    else:
        click.echo(words)


_changing(_group("vendors", "Who offers models."), "vendor", "weft infra vendors add acme title=Acme")
_changing(
    _group("endpoints", "Where vendors are called."),
    "endpoint",
    "weft infra endpoints add acme/main base_url=https://api.acme.example/v1",
)
_changing(
    _group("models", "What vendors offer."),
    "model",
    "weft infra models add acme/big context_window=128000 abilities.vision=true",
)
command.add_command(keys)
command.add_command(test)
prices = _group("prices", "What models cost, and from which day on.")
aliases = _group("aliases", "The names that calls go by, and the models behind them.")
_removing(aliases, "alias")


@prices.command(name="set")
@click.argument("model")
@click.argument("fields", nargs=-1, required=True, metavar="FIELD=VALUE...")
@as_json
def set_price(model: str, fields: tuple[str, ...], as_json: bool) -> None:
    """Set the price of MODEL (vendor/name) per million tokens, per image or per second.

    For example: weft infra prices set deepseek/deepseek-chat currency=CNY valid_from=2026-03-06 input=2
    cached_input=0.2 output=3 source="the vendor's page, read today"
    """
    wish = checked(PriceWish, {"model": model} | as_fields(fields))
    _tell(with_service(lambda service: service.set_price(wish)), as_json, "Set.")


prices.add_command(prices.commands["set"], "add")


@prices.command(name="remove")
@click.argument("model")
@click.argument("currency")
@click.argument("valid_from")
@as_json
def remove_price(model: str, currency: str, valid_from: str, as_json: bool) -> None:
    """Take away the price of MODEL in CURRENCY from the day VALID_FROM on."""

    async def work(service: InfraService) -> dict[str, str]:
        path = (*split_reference(model), currency, valid_from)
        await service.remove("price", await service.identity("price", path))
        return {"removed": "/".join(path)}

    _tell(with_service(work), as_json, "Removed.")


@aliases.command(name="set")
@click.argument("name")
@click.argument("models", nargs=-1, required=True)
@as_json
def set_alias(name: str, models: tuple[str, ...], as_json: bool) -> None:
    """Let NAME stand for MODELS (vendor/name), tried in this order; for example: weft infra aliases set default …"""
    made = with_service(lambda service: service.set_alias(name, models))
    _tell(made, as_json, f"{name} is now {', '.join(models)}.")


aliases.add_command(aliases.commands["set"], "add")


@command.command()
@click.argument("model")
@as_json
def show(model: str, as_json: bool) -> None:
    """Show one MODEL (vendor/name): its card, endpoints, keys, prices and aliases."""

    async def work(service: InfraService) -> dict[str, Any]:
        vendor, name = split_reference(model)
        document = await service.export()
        if vendor not in document.vendors or name not in document.vendors[vendor].models:
            known = [f"{v}/{m}" for v, shape in document.vendors.items() for m in shape.models]
            raise InfraUnknownError("model", model, known)
        shape = document.vendors[vendor]
        return {
            "vendor": {"name": vendor, **shape.model_dump(mode="json", exclude={"models", "keys", "endpoints"})},
            "model": {"name": name, **shape.models[name].model_dump(mode="json")},
            "endpoints": {at: each.model_dump(mode="json") for at, each in shape.endpoints.items()},
            "keys": [k.model_dump(mode="json") for k in await service.keys() if k.vendor == vendor],
            "aliases": [alias for alias, models in document.aliases.items() if model in models],
        }

    found = with_service(work)
    if as_json:
        show_json(found)
        return
    for part, content in found.items():
        click.echo(f"{part}: {content if isinstance(content, list) else ''}".rstrip())
        for field, value in content.items() if isinstance(content, dict) else ():
            click.echo(f"  {field}: {value}")


@command.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path, allow_dash=True))
@as_json
def export(file: Path, as_json: bool) -> None:
    """Write everything except the keys themselves into FILE, as YAML; - writes it out here."""
    text = write_document(with_service(lambda service: service.export()))
    if str(file) == "-":
        click.echo(text, nl=False)
        return
    file.write_text(text, encoding="utf-8")
    _tell({"file": str(file), "bytes": len(text.encode())}, as_json, f"Wrote {file}.")


@command.command(name="import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@as_json
def import_file(file: Path, as_json: bool) -> None:
    """Set all that FILE names, and leave the rest. One thing wrong in it, and nothing is changed."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise OperatorError(f"{file} cannot be read: {error}") from None
    document = read_document(text, str(file))
    written = with_service(lambda service: service.import_document(document))
    _tell({"written": written}, as_json, f"Set {written} things.")


@command.group(name="catalogue")
def catalogue() -> None:
    """What this Weft ships of vendors, models and prices."""


@catalogue.command(name="show")
@as_json
def show_catalogue(as_json: bool) -> None:
    """Print the shipped catalogue."""
    if as_json:
        show_json(shipped())
    else:
        click.echo(write_document(shipped()), nl=False)


@catalogue.command(name="update")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--overwrite", is_flag=True, help="Also replace what you have changed yourself.")
@as_json
def update_catalogue(yes: bool, overwrite: bool, as_json: bool) -> None:
    """Show what the shipped catalogue would change, and apply it. Values of your own stay."""
    planned = with_service(lambda service: service.catalogue_changes(overwrite=overwrite))
    if not as_json:
        for change in planned:
            click.echo(_words(change))
    if not planned:
        _tell([], as_json, "The catalogue has nothing new.")
        return
    if not (yes or as_json) and not click.confirm("Apply this?"):
        return
    if as_json and not yes:
        show_json(planned)
        return
    done = with_service(lambda service: service.update_from_catalogue(overwrite=overwrite))
    _tell(done, as_json, f"Applied {sum(change.action != 'keep' for change in done)} changes.")


def _words(change: ChangeView) -> str:
    if change.action == "add":
        return f"+ {change.kind} {change.name}"
    sign = "~" if change.action == "change" else "="
    kept = " (yours, stays)" if change.action == "keep" else ""
    return f"{sign} {change.kind} {change.name} {change.field}: {change.before!r} -> {change.after!r}{kept}"
