"""Opening an uploaded archive, zip or tar, by what it is and not by what it is called."""

import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from stat import S_IFMT, S_ISDIR, S_ISREG
from typing import IO

from weft.skills.archives import ArchiveLimits, Intake, Unpacked, arrange
from weft.skills.errors import ArchiveRefusedError, ArchiveTooLargeError

_PIECE = 64 << 10
_UTF8_NAMES = 0x800
_ENCRYPTED = 0x1
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_GZIP, _ZIP, _TAR_AT = b"\x1f\x8b", b"PK\x03\x04", 257
_TAR_FRAME = 2  # a tar may be this many times its files, and some, before it counts as a bomb itself
_UNIX = 3


def read_archive(content: bytes, limits: ArchiveLimits | None = None) -> Unpacked:
    """The skill in an uploaded zip, tar.gz or tar; anything wrong, and nothing of it is kept."""
    limits = limits or ArchiveLimits()
    if len(content) > limits.archive:
        raise ArchiveTooLargeError(f"has more than {limits.archive} bytes")
    intake = Intake(limits, len(content))
    try:
        if content.startswith(_ZIP):
            _read_zip(content, intake)
        elif content.startswith(_GZIP):
            _read_tar(_gunzip(content, limits), intake)
        elif content[_TAR_AT : _TAR_AT + 5] == b"ustar":
            _read_tar(content, intake)
        else:
            raise ArchiveRefusedError("is neither a zip nor a tar.gz")
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise ArchiveRefusedError(f"is damaged: {error}") from None
    except (ValueError, NotImplementedError, RuntimeError, OverflowError) as error:
        raise ArchiveRefusedError(f"cannot be read: {error}") from None  # what the libraries say of odd headers
    return arrange(intake.files)


def _read_zip(content: bytes, intake: Intake) -> None:
    # Every entry is listed before the first is looked at; so the list is counted before it is made.
    if content.count(b"PK\x01\x02") > 4 * intake.limits.entries:
        raise ArchiveTooLargeError(f"has more than {intake.limits.entries} entries")
    with zipfile.ZipFile(BytesIO(content)) as archive:
        admitted = [(info, intake.admit(_zip_name(info), folder=info.is_dir())) for info in archive.infolist()]
        for info, _ in admitted:
            _check_zip_entry(info, intake.limits)
        _check_apart(archive.infolist(), len(content))
        for info, path in admitted:
            if path is not None and not info.is_dir():
                with archive.open(info) as stream:
                    intake.add(path, _pieces(stream))


def _zip_name(info: zipfile.ZipInfo) -> str:
    """The name as it was stored: the library cuts it at a NUL and turns back-slashes, which hides what it was."""
    name = info.orig_filename
    if info.flag_bits & _UTF8_NAMES or name.isascii():
        return name
    try:
        return name.encode("cp437").decode("utf-8")  # many programs write UTF-8 and do not say so
    except UnicodeError:
        raise ArchiveRefusedError("has a name that is not UTF-8; pack it with UTF-8 names", name) from None


def _check_zip_entry(info: zipfile.ZipInfo, limits: ArchiveLimits) -> None:
    mode = info.external_attr >> 16 if info.create_system == _UNIX else 0
    if S_IFMT(mode) and not (S_ISREG(mode) or S_ISDIR(mode)):
        raise ArchiveRefusedError("is a link or a device; only plain files are read", info.filename)
    if info.flag_bits & _ENCRYPTED:
        raise ArchiveRefusedError("is encrypted; pack it without a password", info.filename)
    if info.compress_type not in _METHODS:
        raise ArchiveRefusedError("is packed by a method other than deflate", info.filename)
    if info.file_size > limits.file:
        raise ArchiveTooLargeError(f"has more than {limits.file} bytes", info.filename)
    if info.is_dir() and info.file_size:
        raise ArchiveRefusedError("is a folder with content", info.filename)


def _check_apart(infos: list[zipfile.ZipInfo], size: int) -> None:
    """Entries that share their bytes are how a small archive becomes a great many files."""
    ordered = sorted(infos, key=lambda info: info.header_offset)
    ends = [following.header_offset for following in ordered[1:]] + [size]
    for info, end in zip(ordered, ends, strict=True):
        if info.header_offset + 30 + len(info.orig_filename) + info.compress_size > end:
            raise ArchiveRefusedError("shares its bytes with another entry", info.filename)


def _gunzip(content: bytes, limits: ArchiveLimits) -> bytes:
    most = min(limits.total, max(limits.ratio_from, len(content) * limits.ratio)) * _TAR_FRAME
    out = bytearray()
    rest = content
    while rest.startswith(_GZIP):  # a file may be several, one after the other
        unpacker = zlib.decompressobj(wbits=31)
        while rest and not unpacker.eof:
            out += unpacker.decompress(rest, _PIECE)
            rest = unpacker.unconsumed_tail
            if len(out) > most:
                raise ArchiveTooLargeError(f"unpacks to more than {most} bytes")
        if not unpacker.eof:
            raise EOFError("it breaks off")
        rest = unpacker.unused_data
    if rest.strip(b"\0"):
        raise ArchiveRefusedError("goes on after its end")
    return bytes(out)


def _read_tar(content: bytes, intake: Intake) -> None:
    with tarfile.open(fileobj=BytesIO(content), mode="r:", errorlevel=2) as archive:
        for member in archive:
            if not (member.isreg() or member.isdir()) or member.issparse():
                raise ArchiveRefusedError(
                    "is a link, a device or a file with holes; only plain files are read", member.name
                )
            path = intake.admit(member.name, folder=member.isdir())
            if member.size > intake.limits.file:
                raise ArchiveTooLargeError(f"has more than {intake.limits.file} bytes", member.name)
            stream = archive.extractfile(member) if path is not None and member.isreg() else None
            if stream is not None and path is not None:
                intake.add(path, _pieces(stream))
                if len(intake.files[path]) != member.size:
                    raise ArchiveRefusedError("breaks off", member.name)


def _pieces(stream: IO[bytes]) -> Iterator[bytes]:
    while piece := stream.read(_PIECE):
        yield piece
