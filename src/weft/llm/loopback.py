"""Keeps a test run away from every model that is not on this machine."""

import os
from ipaddress import ip_address
from urllib.parse import urlsplit

from weft.kit.errors import OperatorError
from weft.llm.types import Target

ONLY_LOOPBACK = "WEFT_ONLY_LOOPBACK_MODELS"


class NotLoopbackError(OperatorError):
    """A test run was about to reach a real model."""

    code = "model_not_loopback"
    title = "This run may only reach models on this machine"


def refuse_unless_allowed(target: Target) -> None:
    """Refuse a target that is not on loopback while the environment says that only those may be reached."""
    if os.environ.get(ONLY_LOOPBACK, "") not in ("", "0") and not is_loopback(target.base_url):
        where = _host(target.base_url) or "the vendor's own address"
        raise NotLoopbackError(
            f"{target.vendor} {target.model} is at {where}, and {ONLY_LOOPBACK} is set: "
            "a test run refuses to reach any other model; use weft.llm.scripted, or unset the variable",
            field="base_url",
        )


def is_loopback(url: str) -> bool:
    """Whether a URL names this machine and nothing else, without asking a name server."""
    host = _host(url)
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
