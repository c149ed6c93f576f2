"""`weft profile`: show, set, edit."""

import asyncio
from typing import Any

import click
import orjson

from weft.cli.running import Whose, as_json, as_user, run, show_json, whose
from weft.compose import Weft
from weft.kit.errors import InvalidError
from weft.profiles.schemas import ProfilePatch, ProfileView
from weft.profiles.service import ProfileService

_PREFERENCES = ("interface_language", "ai_language", "timezone", "country")


@click.group()
def command() -> None:
    """Show and change a user's profile."""


async def _read(weft: Weft, whom: Whose) -> ProfileView:
    async with as_user(weft, whom) as tx:
        return await ProfileService(tx).read(tx.actor.owner_id)


async def _change(weft: Weft, whom: Whose, patch: dict[str, Any]) -> ProfileView:
    async with as_user(weft, whom) as tx:
        return await ProfileService(tx, await weft.profile_rules(tx.actor)).change(tx.actor.owner_id, patch)


@command.command()
@whose
@as_json
def show(business: str, user: str, as_json: bool) -> None:
    """Show a profile."""
    _print(run(lambda weft: _read(weft, Whose(business, user))), as_json=as_json)


@command.command(name="set")
@click.argument("assignments", nargs=-1, required=True, metavar="FIELD=VALUE...")
@whose
@as_json
def set_fields(assignments: tuple[str, ...], business: str, user: str, as_json: bool) -> None:
    """Change fields, for example: weft profile set username=小雨 timezone=Asia/Shanghai

    A FIELD is a path such as settings.preferences.country or life_context.occupation; the four preferences may be
    named alone. A VALUE is text, or JSON where it begins as an object, a list or a quoted text does, or is true, false
    or null; nothing after the = removes the field.
    """
    patch: dict[str, Any] = {}
    for assignment in assignments:
        _assign(patch, assignment)
    _print(run(lambda weft: _change(weft, Whose(business, user), patch)), as_json=as_json)


@command.command()
@whose
@as_json
def edit(business: str, user: str, as_json: bool) -> None:
    """Edit a profile as JSON in $EDITOR; what is not valid changes nothing."""
    whom = Whose(business, user)

    async def work(weft: Weft) -> ProfileView:
        before = (await _read(weft, whom)).model_dump(mode="json", include=set(ProfilePatch.model_fields))
        text = orjson.dumps(before, option=orjson.OPT_INDENT_2).decode()
        edited = await asyncio.to_thread(click.edit, text, extension=".json")
        return await _change(weft, whom, {} if edited is None else _difference(before, _parse(edited)))

    _print(run(work), as_json=as_json)


def _parse(text: str) -> dict[str, Any]:
    try:
        parsed = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidError(f"this is not JSON: {error}; nothing was changed") from None
    if not isinstance(parsed, dict):
        raise InvalidError("a profile is a JSON object; nothing was changed")
    return parsed


def _difference(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The merge patch (RFC 7396) that makes one out of the other: what the editor no longer shows is removed."""
    patch: dict[str, Any] = {name: None for name, value in before.items() if name not in after and value is not None}
    for name, value in after.items():
        old = before.get(name)
        if isinstance(old, dict) and isinstance(value, dict):
            if inner := _difference(old, value):
                patch[name] = inner
        elif name not in before or old != value:
            patch[name] = value
    return patch


def _assign(patch: dict[str, Any], assignment: str) -> None:
    path, equals, text = assignment.partition("=")
    if not equals or not path:
        raise InvalidError(f"{assignment!r} is not FIELD=VALUE; write for example country=CN")
    parts = ["settings", "preferences", path] if path in _PREFERENCES else path.split(".")
    for part in parts[:-1]:
        patch = patch.setdefault(part, {})
        if not isinstance(patch, dict):
            raise InvalidError(f"{part} is given a value and, in {assignment!r}, a part of one; choose one of the two")
    patch[parts[-1]] = _value(text)


def _value(text: str) -> Any:
    if text == "":
        return None
    if text[0] in '[{"' or text in ("true", "false", "null"):
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError:
            return text
    return text


def _print(profile: ProfileView, *, as_json: bool) -> None:
    if as_json:
        show_json(profile)
        return
    shown = profile.model_dump(mode="json", exclude_none=True)
    for name, value in shown.items():
        if value in ({}, [], ""):
            continue
        if isinstance(value, dict | list):
            value = orjson.dumps(value, option=orjson.OPT_INDENT_2).decode().replace("\n", "\n  ")
        click.echo(f"{name}: {value}")
