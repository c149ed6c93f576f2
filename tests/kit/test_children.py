"""What child processes are given."""

import os
import subprocess
import sys

import pytest

from weft.kit.children import child_environment, is_secret, secrets_hidden

CANARY = "canary-8f1c2ad9"
SECRETS = (
    "WEFT_SECRET_KEY",
    "WEFT_SECRET_KEY_PREVIOUS",
    "WEFT_LLM_API_KEY",
    "WEFT_DATABASE_URL",
    "WEFT_REDIS_URL",
    "OPENAI_API_KEY",
    "DEEPSEEK_API_KEY",
)


@pytest.mark.parametrize("name", SECRETS)
def test_no_secret_reaches_a_child(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """SEC-3: a real child, asked for its whole environment."""
    monkeypatch.setenv(name, CANARY)
    show = [sys.executable, "-c", "import os; print(dict(os.environ))"]
    seen = subprocess.run(show, env=child_environment(), capture_output=True, text=True, check=True).stdout
    with secrets_hidden():
        seen += subprocess.run(show, capture_output=True, text=True, check=True).stdout
    assert CANARY not in seen
    assert "PATH" in seen
    assert os.environ[name] == CANARY


@pytest.mark.parametrize("name", ["PATH", "WEFT_HOME", "WEFT_PORT", "WEFT_LLM_MODEL", "PGDATA", "HOME"])
def test_what_is_no_secret_stays(name: str) -> None:
    """SEC-3: children are not kept from working."""
    assert not is_secret(name)
