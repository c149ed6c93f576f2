"""Secrets at rest: AES-256-GCM under a key that HKDF-SHA256 derives from the installation's own secret."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from weft.kit.errors import OperatorError

SHORTEST_SECRET = 16  # characters; what Weft makes by itself has 43
_FORMAT = b"\x01"
_NONCE_BYTES = 12
_TAG_BYTES = 16


class SecretKeyError(OperatorError):
    """The installation's secret is missing, too short, or not the one that something was encrypted with."""

    code = "secret_key"
    title = "The installation's secret does not fit"


class TamperedError(SecretKeyError):
    """What is stored was changed, or belongs elsewhere: the right key does not open it."""

    code = "secret_tampered"
    title = "A stored secret has been changed"


@dataclass(frozen=True, slots=True)
class Sealed:
    """A secret as it is stored: which key closed it, and the closed box."""

    key_id: str
    box: bytes = field(repr=False)


def _derive(secret: str, purpose: bytes, length: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=length, salt=None, info=b"weft/1/" + purpose).derive(secret.encode())


class _Master:
    """One of the installation's secrets, known by an id that tells nothing about it."""

    __slots__ = ("_cipher", "key_id")

    def __init__(self, secret: str) -> None:
        if len(secret) < SHORTEST_SECRET:
            raise SecretKeyError(
                f"the installation's secret has {len(secret)} characters and needs at least {SHORTEST_SECRET}; "
                "make one with: python3 -c 'import secrets; print(secrets.token_urlsafe(32))'",
                field="WEFT_SECRET_KEY",
            )
        self.key_id = _derive(secret, b"key id", 8).hex()
        self._cipher = AESGCM(_derive(secret, b"sealing", 32))

    def __repr__(self) -> str:
        return f"_Master({self.key_id})"

    def seal(self, plain: bytes, about: bytes) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        return _FORMAT + nonce + self._cipher.encrypt(nonce, plain, about)

    def open(self, box: bytes, about: bytes) -> bytes:
        nonce, closed = box[1 : 1 + _NONCE_BYTES], box[1 + _NONCE_BYTES :]
        if box[:1] != _FORMAT or len(closed) < _TAG_BYTES:
            raise InvalidTag
        return self._cipher.decrypt(nonce, closed, about)


class Keyring:
    """The installation's secrets, the newest first: that one seals, each of them opens what it has sealed."""

    __slots__ = ("_masters",)

    def __init__(self, secrets: Iterable[str]) -> None:
        self._masters: dict[str, _Master] = {}
        for master in map(_Master, secrets):
            self._masters.setdefault(master.key_id, master)

    def __repr__(self) -> str:
        return f"Keyring({', '.join(self.key_ids)})"

    @property
    def key_ids(self) -> tuple[str, ...]:
        """The ids of the secrets, the newest first."""
        return tuple(self._masters)

    @property
    def newest(self) -> str:
        """The id of the secret that seals."""
        if not self._masters:
            raise SecretKeyError("the installation has no secret; set WEFT_SECRET_KEY", field="WEFT_SECRET_KEY")
        return self.key_ids[0]

    def seal(self, plain: str, *, about: str) -> Sealed:
        """Close a secret. `about` says what it belongs to; nothing else will open it."""
        key_id = self.newest
        return Sealed(key_id, self._masters[key_id].seal(plain.encode(), _bound(key_id, about)))

    def open(self, sealed: Sealed, *, about: str, what: str) -> str:
        """Open what was sealed about the same thing; `what` names it for people, should it stay closed."""
        master = self._masters.get(sealed.key_id)
        if master is None:
            known = ", ".join(self.key_ids) or "none"
            raise SecretKeyError(
                f"{what} was encrypted under the secret {sealed.key_id}, which is not known here ({known} is). "
                "Put that secret back as WEFT_SECRET_KEY, or name it in WEFT_SECRET_KEY_PREVIOUS beside the new one; "
                f"if it is lost, enter {what} anew with `weft infra keys set`",
                field="WEFT_SECRET_KEY",
            )
        try:
            return master.open(sealed.box, _bound(sealed.key_id, about)).decode()
        except (InvalidTag, UnicodeDecodeError):
            pass  # raised below, so that nothing of the cipher's stands in the error's context
        raise TamperedError(
            f"what is stored of {what} does not open under its own secret {sealed.key_id}: it was changed, cut "
            f"or moved from another row. Enter {what} anew with `weft infra keys set`"
        )


def _bound(key_id: str, about: str) -> bytes:
    return f"{key_id}/{about}".encode()
