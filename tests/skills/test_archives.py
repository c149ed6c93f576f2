"""Archives that bring a skill: what may come in comes in whole, and everything else is refused by name."""

import gzip
import io
import struct
import tarfile
import zipfile
import zlib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from weft.kit.errors import CallerError
from weft.skills.archives import ArchiveLimits
from weft.skills.errors import ArchiveRefusedError, ArchiveTooLargeError
from weft.skills.paths import path_problem, same_file_key
from weft.skills.reading import read_skill
from weft.skills.unpacking import read_archive

SKILL = b"---\nname: tarot\ndescription: Draws cards.\n---\nDraw.\n"
GOOD = {"tarot/SKILL.md": SKILL, "tarot/references/牌意.md": "愚者".encode(), "tarot/scripts/draw.py": b"print(1)"}
ESCAPES = [
    "../evil.md",
    "tarot/../../evil.md",
    "/etc/passwd",
    "//server/share",
    "C:\\evil.md",
    "C:evil.md",
    "c:/evil.md",
    "\\\\server\\share\\evil",
    "..\\evil.md",
    "tarot\\..\\..\\evil",
    "tarot/./a.md",
    "tarot//a.md",
    "~/x",
    "tarot/．．/evil.md",
    "tarot/‥/evil.md",
    "tarot/a\x01.md",
    "tarot/a\x7f.md",
    "tarot/a\u202egnp.md",
    "tarot/a\u200b.md",
    "tarot/a\ufeff.md",
    "tarot/a\nb.md",
    "tarot/con",
    "tarot/AUX.txt",
    "tarot/nul.tar.gz",
    "tarot/com1",
    "tarot/ＣＯＮ.md",
    "tarot/file.md:stream",
    "tarot/a*.md",
    "tarot/trailing.",
    "tarot/trailing ",
    "tarot/ leading",
    "tarot/" + "x" * 200,
    "/".join("abcdefghijk"),
]


def zipped(files: dict[str, bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo("x")
            info.filename = name  # past the library's own tidying
            info.compress_type = method
            archive.writestr(info, content)
    return out.getvalue()


def tarred(files: dict[str, bytes], *more: tarfile.TarInfo) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for info in more:
            archive.addfile(info)
    return out.getvalue()


PACKERS = pytest.mark.parametrize("pack", [zipped, tarred])


@PACKERS
def test_a_skill_comes_in_whole(pack) -> None:
    """SKILL-5: the folder around the files is taken off and names the skill."""
    unpacked = read_archive(pack(GOOD))
    assert unpacked.folder == "tarot"
    assert dict(unpacked.files) == {name.removeprefix("tarot/"): content for name, content in GOOD.items()}
    assert read_skill(unpacked.as_files(), "tarot").skill.description == "Draws cards."


@PACKERS
def test_files_may_stand_at_the_top_and_litter_is_left_behind(pack) -> None:
    unpacked = read_archive(pack({"./SKILL.md": SKILL, "a/b.md": b"x", "__MACOSX/._a": b"", "a/.DS_Store": b""}))
    assert unpacked.folder is None
    assert set(unpacked.files) == {"SKILL.md", "a/b.md"}


@PACKERS
@pytest.mark.parametrize("name", ESCAPES)
def test_a_name_that_leads_elsewhere_is_refused_and_named(pack, name: str) -> None:
    """SEC-4, TOOL-5"""
    with pytest.raises(ArchiveRefusedError) as refused:
        read_archive(pack({**GOOD, name: b"evil"}))
    assert refused.value.entry is not None
    assert "nothing of it was kept" in refused.value.detail
    assert refused.value.detail.isprintable()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_in_a_tar_are_refused(kind: bytes) -> None:
    """SEC-4"""
    info = tarfile.TarInfo("tarot/link")
    info.type, info.linkname = kind, "../../../etc/passwd"
    with pytest.raises(ArchiveRefusedError, match="tarot/link"):
        read_archive(tarred(GOOD, info))


@pytest.mark.parametrize("mode", [0o120777, 0o060644, 0o020644, 0o010644, 0o140644])
def test_links_and_devices_in_a_zip_are_refused(mode: int) -> None:
    """SEC-4"""
    out = io.BytesIO(zipped(GOOD))
    with zipfile.ZipFile(out, "a") as archive:
        info = zipfile.ZipInfo("tarot/link")
        info.create_system, info.external_attr = 3, mode << 16
        archive.writestr(info, "../../etc/passwd")
    with pytest.raises(ArchiveRefusedError, match="tarot/link"):
        read_archive(out.getvalue())


@PACKERS
@pytest.mark.parametrize(
    "files",
    [
        {"tarot/skill.md": b""},
        {"TAROT/x.md": b""},
        {"tarot/caf\u00e9": b"", "tarot/cafe\u0301": b""},
        {"tarot/scripts": b""},
        {"tarot/SKILL.md/x": b""},
    ],
)
def test_two_entries_for_one_place_are_refused(pack, files: dict[str, bytes]) -> None:
    """SEC-4: case, composition, and a file where a folder is."""
    with pytest.raises(ArchiveRefusedError):
        read_archive(pack({**GOOD, **files}))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_same_name_twice_is_refused() -> None:
    """SEC-4: one reader would take the first, another the last."""
    out = io.BytesIO(zipped(GOOD))
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("tarot/SKILL.md", "other")
    with pytest.raises(ArchiveRefusedError, match="twice"):
        read_archive(out.getvalue())


@PACKERS
def test_bombs_are_refused_while_they_unpack(pack) -> None:
    """SEC-4: one dense file, many files, many entries, a large upload."""
    limits = ArchiveLimits(archive=100_000, entries=20, file=1 << 20, total=3 << 20, ratio=100, ratio_from=1 << 18)
    with pytest.raises(ArchiveTooLargeError, match="more than"):
        read_archive(pack({**GOOD, "tarot/zero": bytes((1 << 20) + 1)}), limits)
    with pytest.raises(ArchiveTooLargeError, match=r"times|more than"):
        read_archive(pack({**GOOD, "tarot/zero": bytes(1 << 19)}), limits)
    with pytest.raises(ArchiveTooLargeError):
        read_archive(pack({**GOOD, **{f"tarot/{number}": bytes(1 << 20) for number in range(5)}}), limits)
    with pytest.raises(ArchiveTooLargeError, match="20 entries"):
        read_archive(pack({**GOOD, **{f"tarot/{number}": b"" for number in range(30)}}), limits)
    with pytest.raises(ArchiveTooLargeError, match="100000 bytes"):
        read_archive(b"PK\x03\x04" + bytes(100_000), limits)


def test_a_zip_that_lies_about_its_sizes_is_refused() -> None:
    """SEC-4: the claim says 8 bytes, the content is a megabyte."""
    content = bytes(1 << 20)
    archive = bytearray(zipped({"SKILL.md": SKILL, "lie": content}))
    for size_at in [at for at in range(len(archive) - 4) if archive[at : at + 4] == struct.pack("<L", len(content))]:
        archive[size_at : size_at + 4] = struct.pack("<L", 8)
    with pytest.raises(CallerError, match="nothing of it was kept"):
        read_archive(bytes(archive))


def test_entries_that_share_their_bytes_are_refused() -> None:
    """SEC-4: how a small zip becomes many large files without a dense one among them."""
    out = bytearray(zipped({"SKILL.md": SKILL, "a": zlib.compress(bytes(1000)), "b": b"y" * 40}))
    second = out.index(b"PK\x01\x02", out.index(b"PK\x01\x02", out.index(b"PK\x01\x02") + 1) + 1)
    first_offset = out[out.index(b"PK\x01\x02") + 42 : out.index(b"PK\x01\x02") + 46]
    out[second + 42 : second + 46] = first_offset
    with pytest.raises(ArchiveRefusedError):
        read_archive(bytes(out))


def test_encrypted_and_oddly_packed_zips_are_refused() -> None:
    """SEC-4"""
    with pytest.raises(ArchiveRefusedError, match="deflate"):
        read_archive(zipped(GOOD, method=zipfile.ZIP_BZIP2))
    archive = bytearray(zipped({"SKILL.md": SKILL}))
    archive[archive.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(ArchiveRefusedError, match="password"):
        read_archive(bytes(archive))


def test_names_that_are_told_in_two_places_are_the_ones_that_count() -> None:
    """SEC-4: a tar's extended header, a zip's own header beside its list, a name that goes on after a NUL."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("SKILL.md")
        info.size, info.pax_headers = len(SKILL), {"path": "../evil"}
        archive.addfile(info, io.BytesIO(SKILL))
    with pytest.raises(ArchiveRefusedError, match="evil"):
        read_archive(out.getvalue())
    differing = bytearray(zipped({"SKILL.md": SKILL, "a.txt": b"x"}))
    at = differing.index(b"a.txt")
    differing[at : at + 5] = b"b.txt"
    with pytest.raises(ArchiveRefusedError, match="damaged"):
        read_archive(bytes(differing))
    with pytest.raises(ArchiveRefusedError, match="invisible"):
        read_archive(zipped({"SKILL.md": SKILL, "x\0../evil": b""}))


def test_an_archive_behind_something_else_is_refused() -> None:
    """SEC-4: a file that is a script to one program and a zip to another; a tar that goes on after its gzip's end."""
    for content in (b"#!/bin/sh\n" + zipped(GOOD), tarred(GOOD) + b"more"):
        with pytest.raises(ArchiveRefusedError):
            read_archive(content)


@PACKERS
@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"tarot/README.md": b""}, "no SKILL.md"),
        ({"a/SKILL.md": SKILL, "b/SKILL.md": SKILL}, "one skill alone"),
        ({"a/SKILL.md": SKILL, "note.md": b""}, "one skill alone"),
        ({"deep/tarot/SKILL.md": SKILL}, "one skill alone"),
    ],
)
def test_an_archive_holds_one_skill(pack, files: dict[str, bytes], says: str) -> None:
    """SKILL-5"""
    with pytest.raises(ArchiveRefusedError, match=says):
        read_archive(pack(files))


@pytest.mark.parametrize(
    "content",
    [b"", b"hello", b"PK\x03\x04", b"\x1f\x8b", gzip.compress(b"no tar at all", mtime=0)],
    ids=["empty", "text", "head of a zip", "head of a gzip", "gzip without a tar"],
)
def test_what_is_no_archive_is_refused(content: bytes) -> None:
    """SEC-4"""
    with pytest.raises(ArchiveRefusedError):
        read_archive(content)


@PACKERS
def test_an_archive_that_breaks_off_is_refused_wherever_it_does(pack) -> None:
    """SEC-4: all or nothing."""
    whole = pack(GOOD)
    for end in range(0, len(whole) - 1, 7):
        with pytest.raises(CallerError):
            read_archive(whole[:end])


@PACKERS
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_damage_never_gets_through_as_anything_but_a_clear_refusal(pack, data: st.DataObject) -> None:
    """SEC-4: either the same files, or an error that a caller understands."""
    archive = bytearray(pack(GOOD))
    for _ in range(data.draw(st.integers(1, 4))):
        archive[data.draw(st.integers(0, len(archive) - 1))] = data.draw(st.integers(0, 255))
    assert accepted_or_refused(bytes(archive))


def accepted_or_refused(archive: bytes) -> bool:
    try:
        unpacked = read_archive(archive)
    except CallerError as error:
        return error.detail.isprintable()
    return all(path_problem(path) is None for path in unpacked.files)


@given(st.text(max_size=60))
@example("a\xa0b")
@example("a\u3000b")
@settings(max_examples=200, deadline=None)
def test_a_path_that_is_let_through_stays_inside(path: str) -> None:
    """TOOL-5"""
    if path_problem(path) is None:
        parts = path.split("/")
        assert all(part not in ("", ".", "..") for part in parts)
        assert "\\" not in path
        assert path.isprintable()
        assert same_file_key(path) == same_file_key(path.swapcase()) or not path.isascii()
