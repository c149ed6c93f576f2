"""What a child process is given of our environment: everything but the secrets."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

# WEFT_DATABASE_URL may hold a password; what a child needs of it, it is given by name
_SECRET = re.compile(r"^WEFT_(.*_)?(KEY|KEY_PREVIOUS|SECRET|TOKEN|PASSWORD|DATABASE_URL|REDIS_URL)$|_API_KEY$")


def is_secret(name: str) -> bool:
    """Whether a variable of this name holds a secret."""
    return _SECRET.search(name.upper()) is not None


def child_environment() -> dict[str, str]:
    """Our environment without secrets, for `subprocess`."""
    return {name: value for name, value in os.environ.items() if not is_secret(name)}


@contextmanager
def secrets_hidden() -> Iterator[None]:
    """Keep secrets from children that a library starts with our own environment; they come back at the end."""
    hidden = {name: value for name, value in os.environ.items() if is_secret(name)}
    for name in hidden:
        del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(hidden)
