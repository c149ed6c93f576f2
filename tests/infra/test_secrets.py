"""Plants keys and looks for them everywhere: tables, logs, errors, answers, exports, descriptions, children."""

import asyncio
import logging
import subprocess
import sys
import traceback
from typing import Any

import orjson
import pytest
import yaml
from pydantic import SecretStr, ValidationError

from tests.clients import LOCAL_URL, application, client_of
from tests.infra.conftest import SECRET, Corner
from weft.infra.errors import InfraInvalidError, NoModelAvailableError
from weft.infra.registry import InfraRegistry
from weft.infra.schemas import KeyPatch, KeyWish
from weft.infra.yaml_text import read_document, write_document
from weft.kit import log
from weft.kit.crypto import Keyring, SecretKeyError
from weft.kit.db.programs import program
from weft.llm.ports import Caller

FIRST, SECOND = "canary-one-2f9ac41b7d", "canary-two-83be10c5f6"
CANARIES = (FIRST, SECOND, SECRET)


def clean(*shown: Any) -> None:
    """None of it holds a planted secret, however it is spelled."""
    for each in shown:
        text = (
            each
            if isinstance(each, str)
            else each.decode("utf-8", "replace")
            if isinstance(each, bytes)
            else repr(each)
        )
        for canary in CANARIES:
            for spelling in (canary, canary.encode().hex(), orjson.dumps(canary).decode()[1:-1]):
                assert spelling not in text


async def test_the_tables_hold_no_key_in_clear(corner: Corner) -> None:
    """SEC-3: encrypted at rest: a dump of the whole database shows none."""
    await corner.key("one", secret=FIRST)
    await corner.change("key", "one", secret=SECOND)
    pg_dump = await asyncio.to_thread(program, "pg_dump")
    dumped = await asyncio.to_thread(
        subprocess.run,
        [pg_dump, "--format=plain", f"--dbname={corner.database.url}", "--table=vendor*", "--inserts"],
        capture_output=True,
        check=True,
    )
    assert corner.vendor.encode() in dumped.stdout
    clean(dumped.stdout)


async def test_views_exports_and_values_show_none(corner: Corner) -> None:
    """SEC-3: neither answers, nor YAML, nor the repr of anything that handles keys."""
    await corner.key("one", secret=FIRST)
    way, *_ = await corner.ways()
    assert way.target.api_key == FIRST
    async with corner.service() as service:
        keys, document = await service.keys(), await service.export()
        clean(*(key.model_dump_json() for key in keys), write_document(document), document.model_dump_json())
        clean(document, keys, service, vars(service))
    assert next(key for key in keys if key.vendor == corner.vendor).last_four == FIRST[-4:]
    clean(way, str(way), corner.registry, corner.registry._snapshot, corner.keyring, KeyPatch(secret=SecretStr(FIRST)))
    wish = KeyWish(vendor="acme", name="k", secret=SecretStr(FIRST))
    clean(wish, str(wish), wish.model_dump(), wish.model_dump_json())


async def test_errors_and_logs_show_none(corner: Corner, capsys: pytest.CaptureFixture[str]) -> None:
    """SEC-3: whatever goes wrong with a key, its words, its traceback and the log stay clean."""
    before = logging.getLogger().handlers[:], logging.getLogger().level
    log.configure("DEBUG")
    try:
        told: list[BaseException] = []
        with pytest.raises(ValidationError) as refused:
            KeyWish(vendor="acme", name="k", secret=f"{FIRST} \n", requests_per_day=-1)
        told.append(InfraInvalidError.of(refused.value))
        await corner.key("one", secret=FIRST)
        for ring in (Keyring(["another installation's secret"]), Keyring(())):
            with pytest.raises(SecretKeyError) as closed:
                await InfraRegistry(corner.database, ring).candidates(corner.model, Caller(currency="CNY"))
            told.append(closed.value)
        await corner.change("key", "one", enabled=False)
        with pytest.raises(NoModelAvailableError) as none:
            await corner.ways()
        told.append(none.value)
        with pytest.raises(InfraInvalidError) as wrong:
            read_document(yaml.safe_dump({"vendors": {"a": {"title": "A", "keys": {"k": {"secret": FIRST}}}}}), "x")
        told.append(wrong.value)
        for error in told:
            clean(str(error), repr(error), "".join(traceback.format_exception(error)))
    finally:
        logging.getLogger().handlers[:], logging.getLogger().level = before
    seen = capsys.readouterr()
    clean(seen.out, seen.err)


async def test_http_never_answers_with_a_key(corner: Corner) -> None:
    """SEC-3: what goes in by HTTP does not come out: not in answers, refusals, lists, exports or the description."""
    answers = []
    async with client_of(await application(corner.database), LOCAL_URL) as client:
        body = {"vendor": corner.vendor, "name": "one", "secret": FIRST, "requests_per_day": 5}
        made = await client.post("/api/infra/keys", json=body)
        assert made.status_code == 201, made.text
        answers += [made, await client.post("/api/infra/keys", json=body)]
        answers.append(await client.post("/api/infra/keys", json=body | {"name": "two", "secret": f"{SECOND}\n"}))
        answers.append(await client.post("/api/infra/keys", json=body | {"name": "two", "secret": [SECOND]}))
        answers.append(await client.patch(f"/api/infra/keys/{made.json()['id']}", json={"secret": SECOND}))
        answers.append(await client.patch(f"/api/infra/keys/{made.json()['id']}", json={"secret": f"{SECOND} "}))
        for path in ("keys", "vendors", "endpoints", "models", "prices", "aliases", "catalogue", "export"):
            answers.append(await client.get(f"/api/infra/{path}"))
        answers.append(await client.get("/openapi.json"))
    assert [answer.status_code for answer in answers[:6]] == [201, 409, 422, 422, 204, 422]
    assert all(answer.status_code == 200 for answer in answers[6:])
    clean(*(answer.text for answer in answers))
    assert "sk-" not in answers[-1].text


def test_the_environments_key_is_nowhere_in_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """SEC-3: settings that are printed show no secret, and no child of ours is given one."""
    from weft.compose import vendor_of
    from weft.kit.children import child_environment
    from weft.settings import load_settings

    monkeypatch.setenv("WEFT_SECRET_KEY", SECRET)
    monkeypatch.setenv("WEFT_LLM_API_KEY", FIRST)
    monkeypatch.setenv("WEFT_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("WEFT_LLM_MODEL", "m")
    settings = load_settings()
    clean(settings, str(settings), settings.model_dump_json(), vendor_of(settings))
    child = [sys.executable, "-c", "import os; print(dict(os.environ))"]
    clean(subprocess.run(child, env=child_environment(), capture_output=True, check=True).stdout)
