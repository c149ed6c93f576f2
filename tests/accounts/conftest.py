"""The clients that tests of accounts use."""

from tests.clients import anyone, keys, local

__all__ = ["anyone", "keys", "local"]
