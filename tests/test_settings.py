"""The environment: every variable is read, every one is optional, and what is wrong is told by the variable's name."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from weft.kit.errors import OperatorError
from weft.settings import Auth, Settings, SettingsUpgrade, WorkerKind, is_loopback, load_settings

# name, value, field, what it becomes, default (DESIGN 7, then additions)
VARIABLES: list[tuple[str, str, str, Any, Any]] = [
    ("WEFT_HOME", "/srv/weft", "home", Path("/srv/weft"), Path("~/.weft")),
    ("WEFT_HOST", "::1", "host", "::1", "127.0.0.1"),
    ("WEFT_PORT", "0", "port", 0, 8700),
    ("WEFT_DATABASE_URL", "postgresql://a:b@c/d", "database_url", SecretStr("postgresql://a:b@c/d"), None),
    ("WEFT_REDIS_URL", "redis://:b@c", "redis_url", SecretStr("redis://:b@c"), None),
    ("WEFT_WORKER", "celery", "worker", WorkerKind.CELERY, WorkerKind.INLINE),
    ("WEFT_AUTH", "keys", "auth", Auth.KEYS, Auth.LOCAL),
    ("WEFT_SECRET_KEY_PREVIOUS", "0ld", "secret_key_previous", SecretStr("0ld"), None),
    ("WEFT_SECRET_KEY", "s3cret", "secret_key", SecretStr("s3cret"), None),
    ("WEFT_LLM_BASE_URL", "http://127.0.0.1:9/v1", "llm_base_url", "http://127.0.0.1:9/v1", None),
    ("WEFT_LLM_API_KEY", "sk-1", "llm_api_key", SecretStr("sk-1"), None),
    ("WEFT_LLM_MODEL", "qwen-plus", "llm_model", "qwen-plus", None),
    ("WEFT_SETTINGS_UPGRADE", "lazy", "settings_upgrade", SettingsUpgrade.LAZY, SettingsUpgrade.EAGER),
    ("WEFT_MAX_BODY_BYTES", "2048", "max_body_bytes", 2048, 1_048_576),
    ("WEFT_DATABASE_POOL", "2", "database_pool", 2, 10),
    ("WEFT_CONTEXT_RETENTION_DAYS", "7", "context_retention_days", 7, 30),
    ("WEFT_TOOL_APPROVALS", "write_file=always", "tool_approvals", "write_file=always", ""),
    ("WEFT_LEASE_SECONDS", "2.5", "lease_seconds", 2.5, 10.0),
    ("WEFT_TURN_CALLS", "3", "turn_calls", 3, 16),
    ("WEFT_TURN_TOKENS", "5000", "turn_tokens", 5_000, 400_000),
    ("WEFT_TURN_COST", "0.05", "turn_cost", Decimal("0.05"), None),
    ("WEFT_SESSION_CALLS", "900", "session_calls", 900, None),
    ("WEFT_SESSION_TOKENS", "90000", "session_tokens", 90_000, None),
    ("WEFT_SESSION_COST", "2.50", "session_cost", Decimal("2.50"), None),
    ("WEFT_LOG_LEVEL", "DEBUG", "log_level", "DEBUG", "INFO"),
]


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, *_ in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def test_every_setting_stands_here() -> None:
    assert {field for _, _, field, _, _ in VARIABLES} == set(Settings.model_fields)


def test_every_variable_is_optional() -> None:
    """DESIGN 7: all optional."""
    settings = load_settings()
    assert {field: getattr(settings, field) for field in Settings.model_fields} == {
        field: default for _, _, field, _, default in VARIABLES
    }


@pytest.mark.parametrize(("name", "value", "field", "expected", "default"), VARIABLES, ids=[v[0] for v in VARIABLES])
def test_a_variable_is_read(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, field: str, expected: Any, default: Any
) -> None:
    """DESIGN 7: everything that people set, by name; an empty variable is one that is not set."""
    monkeypatch.setenv(name, value)
    assert getattr(load_settings(), field) == expected
    monkeypatch.setenv(name, "")
    assert getattr(load_settings(), field) == default


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WEFT_PORT", "http"),
        ("WEFT_PORT", "65536"),
        ("WEFT_PORT", "-1"),
        ("WEFT_WORKER", "threads"),
        ("WEFT_AUTH", "none"),
        ("WEFT_SETTINGS_UPGRADE", "sometimes"),
        ("WEFT_MAX_BODY_BYTES", "1"),
        ("WEFT_DATABASE_POOL", "0"),
        ("WEFT_LEASE_SECONDS", "0.5"),
        ("WEFT_TURN_CALLS", "0"),
        ("WEFT_TURN_TOKENS", "many"),
        ("WEFT_TURN_COST", "0"),
        ("WEFT_SESSION_CALLS", "0"),
        ("WEFT_SESSION_TOKENS", "0"),
        ("WEFT_SESSION_COST", "-1"),
        ("WEFT_LOG_LEVEL", "LOUD"),
    ],
)
def test_a_wrong_value_is_told_by_the_variables_name(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """DESIGN 4: what the operator must put right is refused at start, and named."""
    monkeypatch.setenv(name, value)
    with pytest.raises(OperatorError) as refused:
        load_settings()
    assert refused.value.detail.startswith(f"{name}: ")


def test_all_that_is_wrong_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_PORT", "x")
    monkeypatch.setenv("WEFT_AUTH", "y")
    with pytest.raises(OperatorError, match=r"WEFT_PORT: .*; WEFT_AUTH: "):
        load_settings()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "weft.example", "10.0.0.1", "fe80::1"])
def test_without_keys_it_listens_on_loopback_only(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    """SEC-2: the local default refuses to listen wider without authentication, and says what to do."""
    monkeypatch.setenv("WEFT_HOST", host)
    with pytest.raises(OperatorError, match=rf"WEFT_HOST={host} .*WEFT_AUTH=keys"):
        load_settings()
    monkeypatch.setenv("WEFT_AUTH", "keys")
    assert load_settings().host == host


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.255.0.9", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("localhost.evil.example", False),
        ("2130706433", False),
        ("", False),
    ],
)
def test_loopback_is_what_only_this_machine_can_reach(host: str, loopback: bool) -> None:
    """SEC-2: the local single-user default listens on loopback only."""
    assert is_loopback(host) is loopback


def test_no_secret_shows_when_settings_are_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """SEC-3: secrets appear in no log and no error."""
    secrets = {name: value for name, value, _, became, _ in VARIABLES if isinstance(became, SecretStr)}
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    shown = repr(load_settings())
    monkeypatch.setenv("WEFT_PORT", "x")
    with pytest.raises(OperatorError) as refused:
        load_settings()
    for value in secrets.values():
        assert value not in shown + refused.value.detail


def test_the_folder_is_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load_settings().folder == tmp_path.resolve() / ".weft"
    monkeypatch.setenv("WEFT_HOME", "relative/../here")
    assert load_settings().folder == tmp_path.resolve() / "here"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to("elsewhere")
    monkeypatch.setenv("WEFT_HOME", "link/weft")
    assert load_settings().folder == tmp_path.resolve() / "link" / "weft", "links are for whoever opens files"
