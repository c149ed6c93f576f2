"""A test run reaches models on this machine and no others."""

import pytest

from weft.llm import litellm_lane, openai_compatible
from weft.llm.loopback import NotLoopbackError, is_loopback, refuse_unless_allowed
from weft.llm.scripted import ONLY_LOOPBACK
from weft.llm.types import ModelCall, Target

FAR = [
    "https://api.deepseek.com/v1",
    "http://10.0.0.1/v1",
    "http://localhost.evil.example/v1",
    "",
    "http://[::2]/",
    "http://[",
    "http://0.0.0.0/v1",
    "http://127.0.0.1@evil.example/",
]
NEAR = [
    "http://127.0.0.1:8000/v1",
    "http://localhost/v1",
    "http://[::1]:9/v1",
    "http://127.9.9.9/",
    "http://LOCALHOST/",
]


def target(url: str) -> Target:
    return Target("deepseek", "deepseek-chat", url, "openai_compatible", "sk-canary-123456")


@pytest.mark.parametrize("url", FAR)
async def test_a_test_run_refuses_every_other_model(url: str) -> None:
    """INFRA-3: in both lanes, before anything is sent, with the way out in the message."""
    assert not is_loopback(url)
    call = ModelCall([{"role": "user", "content": "Hi"}])
    for lane in (openai_compatible, litellm_lane):
        with pytest.raises(NotLoopbackError, match=ONLY_LOOPBACK):
            await lane.complete(target(url), call)
        with pytest.raises(NotLoopbackError, match="scripted"):
            await anext(lane.stream(target(url), call))


@pytest.mark.parametrize("url", NEAR)
def test_this_machine_is_allowed(url: str) -> None:
    """INFRA-3: a scripted vendor and a local model are."""
    assert is_loopback(url)
    refuse_unless_allowed(target(url))


@pytest.mark.parametrize("value", [None, "", "0"])
def test_without_the_variable_every_model_is_allowed(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """INFRA-3: the guard is for test runs only."""
    if value is None:
        monkeypatch.delenv(ONLY_LOOPBACK)
    else:
        monkeypatch.setenv(ONLY_LOOPBACK, value)
    refuse_unless_allowed(target(FAR[0]))
