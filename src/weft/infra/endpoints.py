"""`/api/infra/…`: vendors, endpoints, keys, models, prices, aliases, the catalogue, export and import."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar
from uuid import UUID

from fastapi import APIRouter, Body, Depends, Request

from weft.http.calling import operating, operator
from weft.http.pages import CursorParameter, Limit, Page, page_of, read_cursor
from weft.http.problems import documented
from weft.infra.names import AliasName
from weft.infra.schemas import (
    AliasView,
    AliasWish,
    CatalogueUpdate,
    ChangeView,
    EndpointPatch,
    EndpointView,
    EndpointWish,
    Imported,
    KeyPatch,
    KeyView,
    KeyWish,
    ModelPatch,
    ModelView,
    ModelWish,
    PriceView,
    PriceWish,
    Rotated,
    VendorPatch,
    VendorView,
    VendorWish,
)
from weft.infra.service import InfraService
from weft.infra.shapes import Closed, Document
from weft.infra.trial import TrialView, TrialWish, try_model
from weft.kit.actor import Actor, Right
from weft.kit.db import Transaction

router = APIRouter(prefix="/api/infra", tags=["infra"])
View = TypeVar("View", bound=Closed)


@router.post("/test", responses=documented(404, 422))
async def test_model(request: Request, actor: Annotated[Actor, operating(Right.INFRA)], wish: TrialWish) -> TrialView:
    """Really call a model, and see what was answered, how long it took and what it cost."""
    weft = request.app.state.weft
    return await try_model(weft.gateway, weft.database, actor, wish)


def _service(tx: Annotated[Transaction, operator(Right.INFRA)], request: Request) -> InfraService:
    return InfraService(tx, request.app.state.weft.keyring)


Service = Annotated[InfraService, Depends(_service)]


def _page(
    listing: str, views: Sequence[View], place: Callable[[View], list[str]], cursor: str | None, limit: int
) -> Page[View]:
    """One page of a list that is short enough to be read whole."""
    after: list[str] | None = read_cursor(f"infra:{listing}", cursor, list[str])
    rest = [view for view in sorted(views, key=place) if after is None or place(view) > after]
    return page_of(f"infra:{listing}", rest[: limit + 1], limit, place)


@router.get("/vendors", responses=documented(422))
async def list_vendors(service: Service, cursor: CursorParameter = None, limit: Limit = 50) -> Page[VendorView]:
    """The vendors."""
    return _page("vendors", await service.vendors(), lambda view: [view.name], cursor, limit)


@router.post("/vendors", status_code=201, responses=documented(409, 422))
async def make_vendor(service: Service, wish: VendorWish) -> VendorView:
    """Make a vendor."""
    return await service.add_vendor(wish)


@router.patch("/vendors/{vendor_id}", status_code=204, responses=documented(404, 409, 422))
async def change_vendor(service: Service, vendor_id: UUID, patch: VendorPatch) -> None:
    """Change parts of a vendor; enable or disable it."""
    await service.change("vendor", vendor_id, _set(patch))


@router.delete("/vendors/{vendor_id}", status_code=204, responses=documented(404, 409, 422))
async def remove_vendor(service: Service, vendor_id: UUID) -> None:
    """Take a vendor away, with its endpoints, keys and models, unless an alias names one of them."""
    await service.remove("vendor", vendor_id)


@router.get("/endpoints", responses=documented(422))
async def list_endpoints(service: Service, cursor: CursorParameter = None, limit: Limit = 50) -> Page[EndpointView]:
    """The endpoints of all vendors."""
    return _page("endpoints", await service.endpoints(), lambda view: [view.vendor, view.name], cursor, limit)


@router.post("/endpoints", status_code=201, responses=documented(404, 409, 422))
async def make_endpoint(service: Service, wish: EndpointWish) -> EndpointView:
    """Make an endpoint of a vendor."""
    return await service.add_endpoint(wish)


@router.patch("/endpoints/{endpoint_id}", status_code=204, responses=documented(404, 409, 422))
async def change_endpoint(service: Service, endpoint_id: UUID, patch: EndpointPatch) -> None:
    """Change parts of an endpoint; enable or disable it."""
    await service.change("endpoint", endpoint_id, _set(patch))


@router.delete("/endpoints/{endpoint_id}", status_code=204, responses=documented(404, 409, 422))
async def remove_endpoint(service: Service, endpoint_id: UUID) -> None:
    """Take an endpoint away, unless a key names it."""
    await service.remove("endpoint", endpoint_id)


@router.get("/keys", responses=documented(422))
async def list_vendor_keys(service: Service, cursor: CursorParameter = None, limit: Limit = 50) -> Page[KeyView]:
    """The vendor keys without the keys, and what they were used for today."""
    return _page("keys", await service.keys(), lambda view: [view.vendor, view.name], cursor, limit)


@router.post("/keys", status_code=201, responses=documented(404, 409, 422))
async def make_vendor_key(service: Service, wish: KeyWish) -> KeyView:
    """Store a vendor key. It is encrypted at once; no answer ever shows it."""
    return await service.add_key(wish)


@router.post("/keys/rotation", responses=documented(409))
async def rotate_vendor_keys(service: Service) -> Rotated:
    """Encrypt every vendor key under the newest of the installation's secrets."""
    return await service.rotate()


@router.patch("/keys/{key_id}", status_code=204, responses=documented(404, 409, 422))
async def change_vendor_key(service: Service, key_id: UUID, patch: KeyPatch) -> None:
    """Change a key's limits or whom it serves, put another key in its place, enable or disable it."""
    await service.change_key(key_id, patch)


@router.delete("/keys/{key_id}", status_code=204, responses=documented(404, 409, 422))
async def remove_vendor_key(service: Service, key_id: UUID) -> None:
    """Forget a vendor key."""
    await service.remove("key", key_id)


@router.get("/models", responses=documented(422))
async def list_models(service: Service, cursor: CursorParameter = None, limit: Limit = 50) -> Page[ModelView]:
    """The models of all vendors."""
    return _page("models", await service.models(), lambda view: [view.vendor, view.name], cursor, limit)


@router.post("/models", status_code=201, responses=documented(404, 409, 422))
async def make_model(service: Service, wish: ModelWish) -> ModelView:
    """Make a model of a vendor."""
    return await service.add_model(wish)


@router.patch("/models/{model_id}", status_code=204, responses=documented(404, 409, 422))
async def change_model(service: Service, model_id: UUID, patch: ModelPatch) -> None:
    """Change parts of a model; enable or disable it."""
    await service.change("model", model_id, _set(patch))


@router.delete("/models/{model_id}", status_code=204, responses=documented(404, 409, 422))
async def remove_model(service: Service, model_id: UUID) -> None:
    """Take a model away with its prices, unless an alias names it."""
    await service.remove("model", model_id)


@router.get("/prices", responses=documented(422))
async def list_prices(service: Service, cursor: CursorParameter = None, limit: Limit = 50) -> Page[PriceView]:
    """The prices of all models."""
    return _page(
        "prices",
        await service.prices(),
        lambda view: [view.model, view.currency, view.valid_from.isoformat()],
        cursor,
        limit,
    )


@router.put("/prices", responses=documented(404, 409, 422))
async def set_price(service: Service, wish: PriceWish) -> PriceView:
    """Set the price of a model from a day on; one of the same currency and day is replaced."""
    return await service.set_price(wish)


@router.delete("/prices/{price_id}", status_code=204, responses=documented(404, 409, 422))
async def remove_price(service: Service, price_id: UUID) -> None:
    """Take a price away; what was booked with it stays booked."""
    await service.remove("price", price_id)


@router.get("/aliases", responses=documented(422))
async def list_aliases(service: Service, cursor: CursorParameter = None, limit: Limit = 50) -> Page[AliasView]:
    """The aliases, each with its models in the order in which they are tried."""
    return _page("aliases", await service.aliases(), lambda view: [view.name], cursor, limit)


@router.put("/aliases/{name}", responses=documented(404, 409, 422))
async def set_alias(service: Service, name: AliasName, wish: AliasWish) -> AliasView:
    """Let an alias stand for these models, in this order."""
    return await service.set_alias(name, wish.models)


@router.delete("/aliases/{name}", status_code=204, responses=documented(404, 409, 422))
async def remove_alias(service: Service, name: AliasName) -> None:
    """Take an alias away."""
    await service.remove_alias(name)


@router.get("/catalogue", responses=documented())
async def catalogue_changes(service: Service) -> list[ChangeView]:
    """What applying the catalogue that this Weft ships would change, and which of your own values would stay."""
    return await service.catalogue_changes()


@router.post("/catalogue", responses=documented(409, 422))
async def update_from_catalogue(service: Service, how: Annotated[CatalogueUpdate, Body()]) -> list[ChangeView]:
    """Apply the catalogue that this Weft ships; values of your own stay unless you say `overwrite`."""
    return await service.update_from_catalogue(overwrite=how.overwrite)


@router.get("/export", responses=documented())
async def export_infra(service: Service) -> Document:
    """Everything, without secrets: what `import` takes."""
    return await service.export()


@router.post("/import", responses=documented(404, 409, 422))
async def import_infra(service: Service, document: Document) -> Imported:
    """Set all that the document names and leave the rest; one thing wrong, and nothing is changed."""
    return Imported(written=await service.import_document(document))


def _set(patch: Closed) -> dict[str, Any]:
    return {name: getattr(patch, name) for name in patch.model_fields_set}
