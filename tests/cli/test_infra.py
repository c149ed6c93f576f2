"""`weft infra`, as an operator types it."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner, Result

from weft.cli.infra import command
from weft.kit.errors import WeftError

KEY = "canary-typed-9c41d2f0aa"
Weft = Callable[..., Any]


@pytest.fixture
async def weft(new_database: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Weft:
    monkeypatch.setenv("WEFT_DATABASE_URL", await new_database("cli_infra"))
    monkeypatch.setenv("WEFT_HOME", str(tmp_path / "home"))

    async def run(*arguments: str, stdin: str | None = None) -> Result:
        return await asyncio.to_thread(CliRunner().invoke, command, [*arguments], input=stdin)

    return run


async def test_a_key_is_read_from_standard_input_and_never_shown(weft: Weft, monkeypatch: pytest.MonkeyPatch) -> None:
    """SEC-3: from a prompt, standard input or a variable, never from the command line; --json shows none."""
    added = await weft("keys", "add", "deepseek/main", "requests_per_day=3", "--json", stdin=KEY + "\n")
    assert orjson.loads(added.stdout)["last_four"] == KEY[-4:]
    monkeypatch.setenv("MY_VARIABLE", KEY)
    assert (await weft("keys", "add", "openai/main", "--from-env", "MY_VARIABLE")).exit_code == 0
    refused = await weft("keys", "add", "deepseek/two", f"secret={KEY}")
    assert isinstance(refused.exception, WeftError)
    shown = [await weft("keys", "list", "--json"), await weft("keys", "list"), await weft("export", "-")]
    shown.append(await weft("show", "deepseek/deepseek-chat", "--json"))
    for each in (added, refused, *shown):
        assert KEY not in each.output
        assert KEY not in str(each.exception)


async def test_rotation_makes_a_new_secret_and_says_how_many_it_encrypted(weft: Weft) -> None:
    """SEC-3: everything is under the newest secret afterwards, and still opens."""
    await weft("keys", "add", "deepseek/main", stdin=KEY)
    before = orjson.loads((await weft("keys", "list", "--json")).stdout)[0]["key_id"]
    first = await weft("keys", "rotate", "--new-secret", "--json")
    assert first.exit_code == 0, repr(first.exception)
    rotated = orjson.loads(first.stdout)
    assert rotated["reencrypted"] == 1
    after = orjson.loads((await weft("keys", "list", "--json")).stdout)[0]["key_id"]
    assert before != after == rotated["key_id"]
    assert orjson.loads((await weft("keys", "rotate", "--json")).stdout)["reencrypted"] == 0


async def test_export_import_and_the_catalogue(weft: Weft, tmp_path: Path) -> None:
    """INFRA-1: what was exported is imported again, and the catalogue shows what it would change."""
    file = tmp_path / "infra.yaml"
    await weft("models", "set", "deepseek/deepseek-chat", "abilities.vision=true")
    assert (await weft("export", str(file))).exit_code == 0
    await weft("models", "set", "deepseek/deepseek-chat", "abilities.vision=false", "enabled=false")
    assert (await weft("import", str(file))).exit_code == 0
    shown = orjson.loads((await weft("show", "deepseek/deepseek-chat", "--json")).stdout)["model"]
    assert (shown["abilities"]["vision"], shown["enabled"], shown["abilities"]["cache_unit"]) == (True, True, 64)
    await weft("vendors", "remove", "ollama")
    told = await weft("catalogue", "update", stdin="n\n")
    assert "+ vendor ollama" in told.output
    assert "ollama" not in (await weft("vendors", "list")).output
    await weft("catalogue", "update", "--yes")
    assert "ollama" in (await weft("vendors", "list")).output


async def test_aliases_and_prices(weft: Weft) -> None:
    """INFRA-1, LED-9: set and removed by name; deepseek-3.2 is refused with the right name."""
    assert (await weft("aliases", "set", "fast", "deepseek/deepseek-chat", "weft/offline")).exit_code == 0
    refused = await weft("aliases", "set", "deepseek-3.2", "deepseek/deepseek-chat")
    assert "the model name is 'deepseek-chat'" in str(refused.exception)
    price = ("deepseek/deepseek-reasoner", "currency=CNY", "valid_from=2026-03-06", "input=2", "source=their page")
    assert (await weft("prices", "set", *price)).exit_code == 0
    assert (await weft("prices", "remove", price[0], "CNY", "2026-03-06")).exit_code == 0
    assert (await weft("aliases", "remove", "fast")).exit_code == 0
    assert [a["name"] for a in orjson.loads((await weft("aliases", "list", "--json")).stdout)] == ["default"]
