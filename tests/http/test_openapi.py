"""What /openapi.json promises is what the server does, for whatever anybody sends."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode
from schemathesis.checks import CHECKS, load_all_checks

from tests.clients import Elsewhere, Keys, application, bearer
from weft.accounts.authentication import KeyAuthentication
from weft.app import create_app
from weft.compose import Weft
from weft.kit.db import Database
from weft.settings import Auth, Settings

load_all_checks()
LOOPBACK = {"Host": "127.0.0.1"}
UNUSED = Database("postgresql://127.0.0.1/unused")
DESCRIBED = create_app(Weft(Settings(auth=Auth.KEYS), UNUSED), KeyAuthentication(UNUSED)).openapi()
OPERATIONS = [(method.upper(), path) for path, methods in DESCRIBED["paths"].items() for method in methods]
BOUNDED = settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
every_operation = pytest.mark.parametrize(("method", "path"), OPERATIONS)


# A cursor, an IANA zone, a business that exists, a moment that is yet to come: JSON Schema cannot say what these are,
# so a request that fits the schema may be refused for them, with a 422 that says why.
BEYOND_SCHEMAS = [CHECKS.get_one("positive_data_acceptance")]


@pytest.fixture(scope="module")
async def api_database(new_database: Any) -> str:
    """A database of its own: what these tests make up, no other test should meet."""
    url: str = await new_database("openapi")
    return url


@pytest.fixture(scope="module")
def local_schema(api_database: str) -> Iterator[Any]:
    with Elsewhere(lambda: application(Database(api_database))) as app:
        yield schemathesis.openapi.from_asgi("/openapi.json", app, headers=LOOPBACK)


@pytest.fixture(scope="module")
def keys_schema(api_database: str) -> Iterator[Any]:
    with Elsewhere(lambda: application(Database(api_database), auth=Auth.KEYS)) as app:
        yield schemathesis.openapi.from_asgi("/openapi.json", app)


@pytest.fixture(scope="module")
def callers(keys_schema: Any) -> dict[str, dict[str, str]]:
    """What somebody who may do it shows, by what the operation asks for."""
    elsewhere = keys_schema.app

    async def make() -> tuple[str, str]:
        keys = Keys(elsewhere.app, elsewhere.app.state.database)
        return await keys.key(rate_per_minute=None), await keys.operator()

    key, operator = elsewhere.run(make())
    return {"businessKey": bearer(key, "ann"), "operatorKey": bearer(operator)}


def keeps_its_promises(operation: Any, headers: dict[str, Any]) -> None:
    """Whatever is sent, in the form described or not, is answered as described; by every check schemathesis has."""
    valid, wrong = (operation.as_strategy(generation_mode=mode) for mode in GenerationMode)

    @BOUNDED
    @given(case=st.one_of(valid, wrong))
    def send(case: Case) -> None:
        case.call_and_validate(headers=headers, excluded_checks=BEYOND_SCHEMAS)

    send()


@every_operation
def test_a_local_installation_answers_as_described(local_schema: Any, method: str, path: str) -> None:
    """Issue 1: schemathesis over /openapi.json: no 5xx, no undocumented answer."""
    keeps_its_promises(local_schema[path][method], LOOPBACK)


@every_operation
def test_with_keys_it_answers_as_described(keys_schema: Any, callers: Any, method: str, path: str) -> None:
    """Issue 1: schemathesis over /openapi.json: no 5xx, no undocumented answer. SEC-2: none without its key."""
    asked = [scheme for entry in DESCRIBED["paths"][path][method.lower()].get("security", ()) for scheme in entry]
    keeps_its_promises(keys_schema[path][method], next((callers[scheme] for scheme in asked if scheme in callers), {}))


def _parts(node: Any, seen: frozenset[str] = frozenset()) -> Iterator[Any]:
    """Everything in a part of the description, references followed."""
    if isinstance(node, list):
        for each in node:
            yield from _parts(each, seen)
    if isinstance(node, dict):
        yield node
        for key, value in node.items():
            if key == "$ref" and value not in seen:
                name = value.removeprefix("#/components/schemas/")
                yield from _parts(DESCRIBED["components"]["schemas"][name], seen | {value})
            else:
                yield from _parts(value, seen)


@every_operation
def test_an_operation_is_described_with_examples(method: str, path: str) -> None:
    """Issue 1: /openapi.json with examples."""
    operation = DESCRIBED["paths"][path][method.lower()]
    assert operation["description"]
    assert all(answer["description"] for answer in operation["responses"].values())
    bodies = [
        operation.get("requestBody", {}).get("content"),
        *(a.get("content") for a in operation["responses"].values()),
    ]
    for body in filter(None, bodies):
        assert "text/plain" in body or any("examples" in part for part in _parts(body)), body


def test_errors_are_described_as_problems_and_nothing_else() -> None:
    """DESIGN 7: errors are RFC 9457 problem details."""
    answers = [answer for m, p in OPERATIONS for answer in DESCRIBED["paths"][p][m.lower()]["responses"].items()]
    assert {tuple(answer["content"]) for status, answer in answers if int(status) >= 400} == {
        ("application/problem+json",)
    }


def test_what_callers_show_is_described(local_schema: Any) -> None:
    """SEC-2: a business shows a key and names the user, an operator a key or a cookie; locally nobody anything."""
    shown = {
        path: operations["get"].get("security")
        for path, operations in DESCRIBED["paths"].items()
        if "get" in operations
    }
    as_user, as_operator = [{"businessKey": [], "user": []}], [{"operatorKey": []}, {"console": []}]
    assert shown["/api/profile"] == as_user
    assert shown["/api/keys"] == as_operator
    assert shown["/api/usage"] == as_user + as_operator
    assert shown["/healthz"] is None
    assert "security" not in json.dumps(local_schema.raw_schema)


def test_the_description_holds_no_secret() -> None:
    """SEC-3: secrets appear in no export."""
    assert not re.search(r"weft_(bk|op|oc)_\w", json.dumps(DESCRIBED))
