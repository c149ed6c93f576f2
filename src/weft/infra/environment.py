"""The one vendor that is named by the environment: registered at start, and made the default."""

from dataclasses import dataclass, field

from pydantic import SecretStr, ValidationError

from weft.infra.errors import InfraInvalidError
from weft.infra.items import ALIAS, Fields, Item, plain
from weft.infra.keys import KeyStore
from weft.infra.names import split_reference
from weft.infra.schemas import KeyWish
from weft.infra.shapes import Document
from weft.infra.writing import Writer
from weft.kit.crypto import SecretKeyError
from weft.kit.errors import OperatorError

NAME = "env"  # of the vendor, its endpoint and its key
DEFAULT_ALIAS = "default"
UNKNOWN_CONTEXT = 32_768  # tokens; cautious, where nobody says how many the model takes


@dataclass(frozen=True, slots=True)
class EnvironmentVendor:
    """What WEFT_LLM_BASE_URL, WEFT_LLM_MODEL and WEFT_LLM_API_KEY say."""

    base_url: str
    model: str
    api_key: SecretStr | None = field(default=None, repr=False)

    @classmethod
    def of(cls, base_url: str | None, model: str | None, api_key: SecretStr | None) -> "EnvironmentVendor | None":
        """The vendor, or None where the environment names none; half a vendor is refused."""
        if base_url is None and model is None and api_key is None:
            return None
        if base_url is None or model is None:
            missing = "WEFT_LLM_BASE_URL" if base_url is None else "WEFT_LLM_MODEL"
            raise OperatorError(
                f"{missing} is not set, and the other WEFT_LLM_ settings are: a vendor needs its address and a model, "
                "for example WEFT_LLM_BASE_URL=https://api.deepseek.com/v1 WEFT_LLM_MODEL=deepseek-chat"
            )
        return cls(base_url, model, api_key)

    def document(self) -> Document:
        """The vendor, its endpoint and its model."""
        return Document.model_validate(
            {
                "vendors": {
                    NAME: {
                        "title": "From the environment",
                        "needs_key": self.api_key is not None,
                        "endpoints": {NAME: {"base_url": self.base_url}},
                    }
                }
            }
        )


class Registration:
    """Brings the tables in line with the environment, once a start; an operator's later changes stay."""

    def __init__(self, writer: Writer, keys: KeyStore, vendor: EnvironmentVendor) -> None:
        self._writer = writer
        self._keys = keys
        self._vendor = vendor

    async def run(self) -> None:
        """Register the vendor, its endpoint, key and model, and put it first in the default alias."""
        try:
            document = self._vendor.document()
            model = Document.model_validate({"aliases": {DEFAULT_ALIAS: [f"{NAME}/{self._vendor.model}"]}})
            if self._vendor.api_key is not None:
                KeyWish(vendor=NAME, name=NAME, secret=self._vendor.api_key)
        except ValidationError as error:
            problem = InfraInvalidError.of(error)
            raise OperatorError(f"WEFT_LLM_BASE_URL, WEFT_LLM_MODEL or WEFT_LLM_API_KEY: {problem.detail}") from None
        shape = document.vendors[NAME]
        await self._register("vendor", (NAME,), {"title": shape.title, "needs_key": shape.needs_key})
        await self._register("endpoint", (NAME, NAME), {"base_url": shape.endpoints[NAME].base_url})
        await self._register_key()
        await self._register_model(model.aliases[DEFAULT_ALIAS][0])

    async def _register(self, kind: str, path: tuple[str, ...], fields: Fields) -> None:
        """Write what the environment says, if it says something else than at the last start."""
        there = self._writer.items.get((kind, path))
        said = dict(there.seeded or {}) if there is not None else {}
        if all(name in said and said[name] == value for name, value in plain(fields).items()):
            return
        more = {"origin": "environment"} if kind == "vendor" else {}
        await self._writer.write(Item(kind, path, fields), seeded=said | dict(fields), **more)

    async def _register_key(self) -> None:
        secret = self._vendor.api_key
        there = ("key", (NAME, NAME)) in self._writer.items
        if secret is None:
            if there:  # an earlier start's key must not go to wherever the address now points
                await self._writer.remove("key", (NAME, NAME))
            return
        try:
            if there and await self._keys.matches(NAME, NAME, secret.get_secret_value()):
                return
        except SecretKeyError:
            pass  # what is stored opens no more; the environment has the key at hand, so it is stored anew
        item = Item("key", (NAME, NAME), {})
        await self._keys.write(self._writer, item, secret.get_secret_value(), origin="environment")

    async def _register_model(self, reference: str) -> None:
        path = split_reference(reference)
        if ("model", path) not in self._writer.items:
            await self._make_model(path)
        default = self._writer.items.get((ALIAS, (DEFAULT_ALIAS,)))
        chain = list(default.fields["models"]) if default is not None else []
        vendor = self._writer.items["vendor", (NAME,)]
        if (vendor.seeded or {}).get("model") == path[1]:
            return  # it was put there at an earlier start; where it stands now is the operator's choice
        rest = [model for model in chain if split_reference(model)[0] != NAME]
        await self._writer.write(Item(ALIAS, (DEFAULT_ALIAS,), {"models": [reference, *rest]}))
        await self._writer.write(Item("vendor", (NAME,), {}), seeded={**(vendor.seeded or {}), "model": path[1]})

    async def _make_model(self, path: tuple[str, str]) -> None:
        """A model that the catalogue knows by the same name is taken to be that one: its card, and its prices."""
        known = [
            item
            for item in self._writer.items.values()
            if item.kind == "model" and item.path[0] != NAME and item.path[1] == path[1] and item.seeded is not None
        ]
        like = known[0] if len(known) == 1 else None
        fields = {**like.fields, "enabled": True} if like else {"context_window": UNKNOWN_CONTEXT}
        await self._writer.write(Item("model", path, fields))
        prices = [i for i in self._writer.items.values() if like and i.kind == "price" and i.path[:2] == like.path]
        for price in prices:
            source = f"as {'/'.join(price.path[:2])}: {price.fields['source']}"[:500]
            await self._writer.write(Item("price", (*path, *price.path[2:]), {**price.fields, "source": source}))
