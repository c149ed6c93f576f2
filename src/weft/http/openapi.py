"""What /openapi.json says beyond what the framework writes by itself."""

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI

from weft.http.calling import BUSINESS_KEY, USER
from weft.http.problems import Problem, one_documented

_REFERENCE = "#/components/schemas/{model}"


class DescribedApp(FastAPI):
    """An application whose description knows our problems and what callers show, where they are asked at all."""

    def __init__(self, *, asks_for_keys: bool, **options: Any) -> None:
        super().__init__(**options)
        self._asks_for_keys = asks_for_keys

    def openapi(self) -> dict[str, Any]:
        """The description, made once."""
        if self.openapi_schema is None:
            components = super().openapi().setdefault("components", {})
            problem = Problem.model_json_schema(ref_template=_REFERENCE, mode="serialization")
            components.setdefault("schemas", {}).update(problem.pop("$defs") | {Problem.__name__: problem})
            if not self._asks_for_keys:
                components.pop("securitySchemes", None)
            for operation in _operations(super().openapi()):
                self._complete(operation)
        return super().openapi()

    def _complete(self, operation: dict[str, Any]) -> None:
        if "requestBody" in operation:
            operation["responses"].setdefault("415", one_documented(415))
        shown: list[dict[str, Any]] = operation.pop("security", [])
        if shown and self._asks_for_keys:
            operation["security"] = _together(shown)


def _operations(described: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in described["paths"].values():
        yield from path.values()


def _together(shown: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One entry of this list is enough; a business shows its key and names the user, which is one entry and not two."""
    parts: list[dict[str, Any]] = [{BUSINESS_KEY: []}, {USER: []}]
    if any(part not in shown for part in parts):
        return shown
    return [{BUSINESS_KEY: [], USER: []}, *(entry for entry in shown if entry not in parts)]
