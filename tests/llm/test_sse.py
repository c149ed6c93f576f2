"""Events come out the same however they are framed and wherever the network cuts them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.llm.sse import EventReader, LineTooLongError

LIMIT = 10_000


def read(*pieces: bytes, limit: int = LIMIT) -> list[bytes]:
    reader = EventReader(limit)
    return [event for piece in pieces for event in reader.feed(piece)] + reader.end()


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: a\n\n", [b"a"]),
        (b"data: a\n\ndata: b\n\n", [b"a", b"b"]),
        (b"data:a\n\n", [b"a"]),
        (b"data:  a\n\n", [b" a"]),
        (b"data: a\r\n\r\ndata: b\r\n\r\n", [b"a", b"b"]),
        (b"data: a\r\rdata: b\r\r", [b"a", b"b"]),
        (b"data: a\ndata: b\n\n", [b"a\nb"]),
        (b"data\n\n", []),
        (b"data:\n\n", [b""]),
        (b": comment\n\ndata: a\n\n", [b"a"]),
        (b":\ndata: a\n\n", [b"a"]),
        (b"event: message\nid: 7\nretry: 10\ndata: a\n\n", [b"a"]),
        (b"data: a\n\n\n\n\ndata: b\n\n", [b"a", b"b"]),
        (b"\xef\xbb\xbfdata: a\n\n", [b"a"]),
        (b"data: a", [b"a"]),
        (b"data: a\n", [b"a"]),
        (b"database: a\n\n", []),
        (b"", []),
    ],
)
def test_the_standard_s_framings_are_read(stream: bytes, events: list[bytes]) -> None:
    """INFRA-3: CRLF, comments, several data lines, a last event without its newline."""
    assert read(stream) == events
    assert read(*(bytes([byte]) for byte in stream)) == events


PAYLOADS = st.lists(
    st.text(st.characters(exclude_characters="\r\n", codec="utf-8"), min_size=1).map(str.encode), max_size=6
)
FRAMINGS = st.tuples(st.sampled_from([b"\n", b"\r\n", b"\r"]), st.sampled_from([b"data: ", b"data:"]), st.booleans())


@given(PAYLOADS, FRAMINGS, st.lists(st.integers(0, 400), max_size=12))
def test_where_the_network_cuts_makes_no_difference(
    payloads: list[bytes], framing: tuple[bytes, bytes, bool], cuts: list[int]
) -> None:
    """INFRA-3: also in the middle of a character, of a line end, of a field's name."""
    newline, field, comments = framing
    noise = b": still here" + newline * 2 if comments else b""
    stream = b"".join(noise + field + payload + newline * 2 for payload in payloads)
    bounds = [0, *sorted(cut for cut in cuts if cut < len(stream)), len(stream)]
    pieces = [stream[start:end] for start, end in pairwise(bounds)]
    expected = [payload.removeprefix(b" ") if field == b"data:" else payload for payload in payloads]
    assert read(*pieces) == expected


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=5))
def test_any_bytes_give_the_same_events_in_any_pieces(stream: bytes, cuts: list[int]) -> None:
    """INFRA-3: garbage too is read in one way only, and never crashes the reader."""
    bounds = [0, *sorted(cut for cut in cuts if cut < len(stream)), len(stream)]
    pieces = [stream[start:end] for start, end in pairwise(bounds)]
    assert read(*pieces) == read(stream)


@pytest.mark.parametrize(
    "stream",
    [b"data: " + b"x" * 200 + b"\n\n", b"data: " + b"x" * 200, b"data: xxxxxxxx\n" * 20, b":" + b"x" * 200],
)
def test_an_endless_line_or_event_is_an_error(stream: bytes) -> None:
    """SEC-4: one event cannot fill the memory, in one piece or in many."""
    with pytest.raises(LineTooLongError):
        read(stream, limit=100)
    with pytest.raises(LineTooLongError):
        read(*(bytes([byte]) for byte in stream), limit=100)


def test_the_limit_is_for_one_event_not_for_all() -> None:
    """SEC-4: a long answer of short lines passes."""
    assert len(read(b"data: 1234567890\n\n" * 1000, limit=100)) == 1000
