"""The catalogue that Weft ships: read once, brought in at the first start, and later only when an operator says so."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from weft.infra.items import ALIAS, SHAPES, Item, StoredItem, items_of, plain
from weft.infra.schemas import ChangeView
from weft.infra.shapes import Document
from weft.infra.writing import Writer
from weft.infra.yaml_text import read_document


@dataclass(frozen=True, slots=True)
class Change:
    """One difference; without a field it is about the whole item."""

    action: str  # add, change, or keep: an operator's own value, which stays unless they say otherwise
    item: Item
    field: str | None = None
    before: Any = None
    after: Any = None

    def view(self) -> ChangeView:
        """As it goes over the wire."""
        return ChangeView(
            action=self.action,
            kind=self.item.kind,
            name="/".join(self.item.path),
            field=self.field,
            before=self.before,
            after=self.after,
        )


@cache
def shipped() -> Document:
    """The catalogue of this Weft."""
    return read_document((files("weft.infra") / "catalogue.yaml").read_text(encoding="utf-8"), "catalogue.yaml")


async def catalogue() -> Document:
    """The same, read beside the event loop."""
    return await asyncio.to_thread(shipped)


def whole(item: Item) -> Item:
    """The same item with the defaults of what it leaves out."""
    if item.kind == ALIAS:
        return item
    shape = SHAPES[item.kind]
    checked = shape.model_validate({name: _bare(value) for name, value in item.fields.items()})
    return Item(item.kind, item.path, {name: getattr(checked, name) for name in shape.model_fields})


def _bare(value: Any) -> Any:
    return value.model_dump() if hasattr(value, "model_dump") else value


def differences(
    document: Document, there: Mapping[tuple[str, tuple[str, ...]], StoredItem], *, overwrite: bool
) -> Iterator[Change]:
    """What applying the catalogue would do.

    A value that an operator has not touched since the catalogue gave it follows the catalogue. One that they have
    set is theirs: it is reported where the catalogue has changed its mind about it, and stays.
    """
    for item in map(whole, items_of(document)):
        found = there.get(item.at)
        if found is None:
            yield Change("add", item, after=plain(item.fields))
        else:
            yield from _differences(item, found, overwrite=overwrite)


def _differences(item: Item, found: StoredItem, *, overwrite: bool) -> Iterator[Change]:
    given = found.seeded or {}
    for field, value in item.fields.items():
        before, after = plain(found.fields[field]), plain(value)
        if before == after:
            continue
        if (field in given and given[field] == before) or overwrite:
            yield Change("change", item, field, before, after)
        elif given.get(field, object()) != after and item.kind != ALIAS:
            yield Change("keep", item, field, before, after)


async def bring_in(writer: Writer, *, overwrite: bool = False) -> list[Change]:
    """Apply the shipped catalogue; what was done, and what an operator's own values kept from being done."""
    changes = list(differences(await catalogue(), writer.items, overwrite=overwrite))
    by_item: dict[tuple[str, tuple[str, ...]], list[Change]] = {}
    for change in changes:
        by_item.setdefault(change.item.at, []).append(change)
    for at, of_item in by_item.items():
        item = of_item[0].item
        if item.kind == ALIAS:
            await writer.write(item)
            continue
        born = at not in writer.items
        changed = [change.field for change in of_item if change.action == "change" and change.field is not None]
        fields = item.fields if born else {name: item.fields[name] for name in changed}
        more = {"origin": "catalogue"} if born and item.kind == "vendor" else {}
        await writer.write(Item(item.kind, item.path, fields), seeded=item.fields, **more)
    return changes
