"""Where the installation's secrets come from: the environment, and a file that only its owner can read."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from weft.kit.crypto import Keyring, SecretKeyError

FILE = "secret.key"
_OWNER_ONLY = 0o600


def load_keyring(home: Path, newest: str | None = None, previous: str | None = None) -> Keyring:
    """The secrets of the environment, then those of the file; a first start without either makes the file.

    Each line of the file is a secret, the newest first; `previous` holds any number, parted by commas.
    """
    from_environment = [secret.strip() for secret in ((newest or ""), *(previous or "").split(",")) if secret.strip()]
    path = home / FILE
    if newest is None and not path.exists():
        _make(path)
    if newest is None:
        return Keyring([*_read(path), *from_environment])
    return Keyring([*from_environment, *(_read(path) if path.exists() else ())])


def add_secret(home: Path) -> str:
    """Put a new secret on top of the file, for `weft infra keys rotate --new-secret`; answers its id."""
    path = home / FILE
    known = _read(path)
    fresh = secrets.token_urlsafe(32)
    with _written_beside(path, [fresh, *known]) as new:
        new.replace(path)
    return Keyring([fresh]).newest


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _written_beside(path, [secrets.token_urlsafe(32)]) as new:
        try:
            path.hardlink_to(new)  # whole or not at all; of two processes at their first start, one wins
        except FileExistsError:
            return


@contextmanager
def _written_beside(path: Path, lines: list[str]) -> Iterator[Path]:
    new = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
            file.flush()
            os.fsync(file.fileno())
        yield new
    finally:
        new.unlink(missing_ok=True)


def _read(path: Path) -> list[str]:
    mode = stat.S_IMODE(path.stat().st_mode)
    if os.name == "posix" and mode & 0o077:
        raise SecretKeyError(f"{path} can be read by others (mode {mode:04o}); put it right with: chmod 600 {path}")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise SecretKeyError(f"{path} cannot be read: {reason}; restore it from a backup") from None
    found = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not found:
        raise SecretKeyError(f"{path} is empty; restore it from a backup, or delete it if no vendor key was stored yet")
    return found
