"""Splits a stream of server-sent events into the data of each, however the vendor frames them."""


class LineTooLongError(Exception):
    """One line, or one event of several lines, passes the limit."""


class EventReader:
    """Give it bytes as they come from the network; it gives back the data of every event that they complete.

    The usual framing, whole events that end in two line feeds, is split without looking at single lines.
    Whatever else the standard allows (CRLF, CR, comments, several data lines, an event cut anywhere) takes
    the slow way.
    """

    __slots__ = ("_data", "_data_size", "_ends_in_cr", "_limit", "_line", "_line_size", "_started")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._line: list[bytes] = []  # pieces of a line that has not ended
        self._line_size = 0
        self._data: list[bytes] = []  # data lines of an event that has not ended
        self._data_size = 0
        self._ends_in_cr = False
        self._started = False

    def feed(self, piece: bytes) -> list[bytes]:
        """The data of each event that ends in this piece."""
        if not self._line_size and not self._data and piece.endswith(b"\n\n") and b"\r" not in piece:
            if piece.startswith(b"data: ") and piece.find(b"\n") == len(piece) - 2 <= self._limit:
                self._started = True
                return [piece[6:-2]]
            return self._blocks(piece)
        return self._lines(piece)

    def end(self) -> list[bytes]:
        """The data of an event that the vendor did not finish before it closed the stream."""
        return self._lines(b"\n\n")

    def _blocks(self, piece: bytes) -> list[bytes]:
        events: list[bytes] = []
        limit = self._limit
        for block in piece[:-2].split(b"\n\n"):
            if block.startswith(b"data: ") and b"\n" not in block and len(block) <= limit:
                events.append(block[6:])
            else:
                events.extend(self._lines(block + b"\n\n"))
        self._started = True
        return events

    def _lines(self, piece: bytes) -> list[bytes]:
        if self._ends_in_cr and piece.startswith(b"\n"):
            piece = piece[1:]
            self._ends_in_cr = False
        if not piece:
            return []
        self._ends_in_cr = piece.endswith(b"\r")
        if b"\r" in piece:
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *whole, rest = piece.split(b"\n")
        events: list[bytes] = []
        for line in whole:
            self._keep(line)
            self._end_line(events)
        self._keep(rest)
        return events

    def _keep(self, piece: bytes) -> None:
        if piece:
            self._line.append(piece)
            self._line_size += len(piece)
        if self._line_size > self._limit:
            raise LineTooLongError

    def _end_line(self, events: list[bytes]) -> None:
        line = b"".join(self._line)
        self._line.clear()
        self._line_size = 0
        if not self._started:
            self._started = True
            line = line.removeprefix(b"\xef\xbb\xbf")
        if not line:
            if self._data:
                events.append(b"\n".join(self._data))
                self._data.clear()
                self._data_size = 0
        elif line.startswith(b"data:"):
            self._data.append(line[6:] if line[5:6] == b" " else line[5:])
            self._data_size += len(line)
            if self._data_size > self._limit:
                raise LineTooLongError
