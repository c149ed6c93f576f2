"""Others' programs are asked everywhere, and missed quietly nowhere."""

import json

import pytest

from tests.gateways.agui import programs


def test_where_they_are_required_their_absence_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """SURF-1: a build that could not get the official client has not shown that it is content."""
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="WERE NOT ASKED: no npm"):
        programs.give_up("no npm")


def test_elsewhere_their_absence_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """SURF-1: on a machine without npm the other tests still run."""
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="WERE NOT ASKED: no npm"):
        programs.give_up("no npm")


def test_their_lock_names_no_host_and_holds_what_it_installs() -> None:
    """SEC-4: what npm fetches is known by its hash, wherever it is fetched from."""
    lock = json.loads((programs.HERE / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: about for name, about in lock["packages"].items() if name}
    assert {"node_modules/@ag-ui/client", "node_modules/@ag-ui/client-0x"} <= packages.keys()
    assert all("resolved" not in about and about["integrity"] for about in packages.values())
