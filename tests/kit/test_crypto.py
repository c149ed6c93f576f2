"""Secrets at rest: only the right key, the right row and untouched bytes open them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.kit.crypto import Keyring, Sealed, SecretKeyError, TamperedError

OLD, NEW = "an old secret of this installation", "a new secret of this installation"
WHAT = "vendor key acme/main"
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


@given(plain=texts, about=texts)
def test_what_was_sealed_opens_about_the_same_thing(plain: str, about: str) -> None:
    """SEC-3: what comes out is what went in."""
    ring = Keyring([NEW])
    assert ring.open(ring.seal(plain, about=about), about=about, what=WHAT) == plain


@given(plain=texts, position=st.integers(min_value=0), flip=st.integers(1, 255))
def test_one_changed_bit_keeps_it_closed(plain: str, position: int, flip: int) -> None:
    """SEC-3: tampering fails closed, wherever the byte stands."""
    ring = Keyring([NEW])
    sealed = ring.seal(plain, about="row 1")
    box = bytearray(sealed.box)
    box[position % len(box)] ^= flip
    with pytest.raises(TamperedError, match="acme/main"):
        ring.open(Sealed(sealed.key_id, bytes(box)), about="row 1", what=WHAT)


@given(plain=texts, kept=st.integers(0, 60))
def test_a_cut_box_stays_closed(plain: str, kept: int) -> None:
    """SEC-3: what was cut off does not open, and does not crash."""
    ring = Keyring([NEW])
    sealed = ring.seal(plain, about="row 1")
    if kept < len(sealed.box):
        with pytest.raises(TamperedError):
            ring.open(Sealed(sealed.key_id, sealed.box[:kept]), about="row 1", what=WHAT)


@given(mine=texts, theirs=texts)
def test_a_box_moved_to_another_row_stays_closed(mine: str, theirs: str) -> None:
    """SEC-3: swapped rows fail closed: the row is part of what is sealed."""
    ring = Keyring([NEW])
    if mine != theirs:
        with pytest.raises(TamperedError):
            ring.open(ring.seal("key", about=mine), about=theirs, what=WHAT)


def test_a_wrong_secret_is_told_with_the_key_its_id_and_the_way_out() -> None:
    """SEC-3: no fallback: a key that no known secret opens names itself, the secret's id and what to do."""
    sealed = Keyring([OLD]).seal("sk-canary-value", about="row 1")
    with pytest.raises(SecretKeyError) as caught:
        Keyring([NEW]).open(sealed, about="row 1", what=WHAT)
    for part in (WHAT, sealed.key_id, "WEFT_SECRET_KEY_PREVIOUS", "weft infra keys set"):
        assert part in caught.value.detail
    assert "canary" not in caught.value.detail


def test_a_lying_key_id_opens_nothing() -> None:
    """SEC-3: the id of the secret is part of what is sealed."""
    ring = Keyring([NEW, OLD])
    sealed = ring.seal("key", about="row 1")
    with pytest.raises(TamperedError):
        ring.open(Sealed(ring.key_ids[1], sealed.box), about="row 1", what=WHAT)


def test_the_newest_secret_seals_and_the_others_still_open() -> None:
    """SEC-3: several secrets are known at once, so that a rotation interrupts nobody."""
    before = Keyring([OLD]).seal("key", about="row 1")
    ring = Keyring([NEW, OLD])
    assert ring.open(before, about="row 1", what=WHAT) == "key"
    assert ring.seal("key", about="row 1").key_id == ring.newest == Keyring([NEW]).newest
    assert ring.key_ids == (Keyring([NEW]).newest, Keyring([OLD]).newest)
    assert Keyring([NEW, OLD, NEW]).key_ids == ring.key_ids


def test_the_same_key_never_looks_the_same() -> None:
    """SEC-3: a fresh nonce for every sealing."""
    ring = Keyring([NEW])
    assert len({ring.seal("key", about="row 1").box for _ in range(200)}) == 200


def test_nothing_of_a_secret_shows() -> None:
    """SEC-3: neither secrets nor what they sealed stand in a repr."""
    ring = Keyring([NEW])
    sealed = ring.seal("sk-canary-value", about="row 1")
    shown = repr(ring) + str(ring) + repr(sealed) + repr(list(ring._masters.values()))
    assert NEW not in shown
    assert "canary" not in shown
    assert repr(sealed.box)[2:-1] not in shown


def test_a_short_secret_is_refused_and_no_secret_seals_nothing() -> None:
    """SEC-3: HKDF stretches no weak secret; without one, nothing is stored."""
    with pytest.raises(SecretKeyError, match="needs at least 16") as caught:
        Keyring(["hunter2"])
    assert "hunter2" not in caught.value.detail
    with pytest.raises(SecretKeyError, match="WEFT_SECRET_KEY"):
        Keyring(()).seal("key", about="row 1")
