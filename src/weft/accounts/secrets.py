"""Keys as people hold them, and what Weft keeps of them: a name to recognise them by and a hash."""

import hashlib
import secrets
from dataclasses import dataclass, field

BUSINESS = "weft_bk"
OPERATOR = "weft_op"
COOKIE = "weft_oc"


@dataclass(frozen=True, slots=True)
class NewSecret:
    """A secret just made; `token` is shown once and stored nowhere."""

    token: str = field(repr=False)
    prefix: str
    digest: bytes = field(repr=False)


def make_secret(kind: str) -> NewSecret:
    """A new secret of 256 random bits."""
    prefix = secrets.token_hex(4)
    token = f"{kind}_{prefix}_{secrets.token_urlsafe(32)}"
    return NewSecret(token, prefix, digest_of(token))


def digest_of(token: str) -> bytes:
    """What is stored and looked up: a plain hash is enough for a secret that nobody chose."""
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()
