"""Texts that grow: what of a piece has not been told yet."""

from weft.state.events import TextGrew


def unseen(piece: TextGrew, length: int) -> str:
    """What lies behind the first `length` characters; pieces may come again after a process died."""
    known = length - piece.offset
    return piece.text[known:] if known > 0 else piece.text


def reaches(piece: TextGrew, length: int) -> int:
    """How long the text is with this piece."""
    return max(length, piece.offset + len(piece.text))
