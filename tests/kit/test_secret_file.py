"""Where the installation's secrets come from."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from weft.kit.crypto import Keyring, SecretKeyError
from weft.kit.secret_file import FILE, add_secret, load_keyring

NEW, OLD = "a new secret in the environment", "an old secret in the environment"


def test_the_first_start_makes_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    """SEC-3: a secret of its own for every installation, mode 0600, the same at the next start."""
    ring = load_keyring(tmp_path / "home")
    path = tmp_path / "home" / FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_keyring(tmp_path / "home").key_ids == ring.key_ids
    assert [each.name for each in path.parent.iterdir()] == [FILE]


def test_many_first_starts_at_once_agree_on_one_secret(tmp_path: Path) -> None:
    """SEC-3: of two processes at their first start, one makes the file and the other reads it."""
    with ThreadPoolExecutor(16) as pool:
        rings = list(pool.map(lambda _: load_keyring(tmp_path), range(16)))
    assert len({ring.key_ids for ring in rings}) == 1


def test_the_environment_comes_first_and_its_previous_secrets_open(tmp_path: Path) -> None:
    """SEC-3: WEFT_SECRET_KEY seals; WEFT_SECRET_KEY_PREVIOUS and the file only open."""
    assert load_keyring(tmp_path, NEW, f"{OLD}, ").key_ids == Keyring([NEW, OLD]).key_ids
    assert not (tmp_path / FILE).exists()
    filed = load_keyring(tmp_path).newest
    assert load_keyring(tmp_path, NEW, OLD).key_ids == (*Keyring([NEW, OLD]).key_ids, filed)


def test_a_new_secret_goes_on_top_of_the_file(tmp_path: Path) -> None:
    """SEC-3: rotation of an installation whose secret is in its file."""
    before = load_keyring(tmp_path).newest
    added = add_secret(tmp_path)
    assert load_keyring(tmp_path).key_ids == (added, before)
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    """SEC-3: as ssh does with its keys."""
    load_keyring(tmp_path)
    (tmp_path / FILE).chmod(0o644)
    with pytest.raises(SecretKeyError, match="chmod 600"):
        load_keyring(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\n# only a comment\n", b"\xff\xfe\x00", b"short\n"])
def test_a_spoilt_file_is_told_and_never_replaced(tmp_path: Path, content: bytes) -> None:
    """SEC-3: no fallback: a file that says nothing is not made anew over keys that it once opened."""
    load_keyring(tmp_path)
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(SecretKeyError):
        load_keyring(tmp_path)
    assert (tmp_path / FILE).read_bytes() == content
