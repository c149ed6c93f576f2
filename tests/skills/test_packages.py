"""A skill in hand: taken in by the same rules however it comes, told apart by a digest, packed alike every time."""

import io
import tarfile
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.skills.archives import ArchiveLimits
from weft.skills.errors import ArchiveRefusedError, ArchiveTooLargeError, SkillInvalidError
from weft.skills.packages import digest_of, pack, package_of, package_of_archive, unpack

SKILL = b"---\nname: tarot\ndescription: Draws cards.\n---\nDraw.\n"
FILES = {"SKILL.md": SKILL, "ref/cards.md": "愚者".encode(), "logo.png": b"\x89PNG\x00"}


def zipped(files: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def tarred(files: dict[str, bytes]) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))
    return content.getvalue()


def test_files_and_archives_make_the_same_package() -> None:
    """SKILL-9: whichever way a skill comes, it is the same skill."""
    inside = {f"tarot/{path}": content for path, content in FILES.items()}
    made = [package_of(FILES), package_of(inside)]
    made += [package_of_archive(content) for files in (FILES, inside) for content in (zipped(files), tarred(files))]
    assert {each.digest for each in made} == {digest_of(FILES)}
    assert {(each.name, each.size) for each in made} == {("tarot", sum(map(len, FILES.values())))}
    assert made[0].findings == ()


def test_the_name_is_the_one_that_the_skill_gives_itself() -> None:
    """SKILL-5"""
    assert package_of({f"other/{path}": content for path, content in FILES.items()}).name == "tarot"
    assert package_of({"bazi/SKILL.md": b"---\ndescription: x\n---\nDo."}).name == "bazi"


@pytest.mark.parametrize(
    "path",
    ["../SKILL.md", "/etc/passwd", "a/../../b", "C:/x", "a\\b", "con", "a//b", "x" * 130, "a\x00b", ".. /x", "～/x:y"],
)
def test_files_that_lead_elsewhere_are_refused(path: str) -> None:
    """SEC-4: a map of files passes no check that an archive would not."""
    with pytest.raises(ArchiveRefusedError):
        package_of(FILES | {path: b"x"})


@pytest.mark.parametrize("files", [{"skill.md": b"x", "SKILL.md": SKILL}, {"a": b"x", "a/b": b"x", "SKILL.md": SKILL}])
def test_files_that_are_one_file_elsewhere_are_refused(files: dict[str, bytes]) -> None:
    """SEC-4"""
    with pytest.raises(ArchiveRefusedError):
        package_of(files)


def test_limits_count_what_is_there() -> None:
    """SEC-4"""
    limits = ArchiveLimits(entries=3, file=1000, total=1500)
    for files in (
        FILES | {"a": b"x"},
        FILES | {"logo.png": b"x" * 1001},
        {"SKILL.md": SKILL, "a": b"x" * 900, "b": b"x" * 900},
    ):
        with pytest.raises(ArchiveTooLargeError):
            package_of(files, limits)


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"SKILL.md": b"no front matter"}, "does not begin with front matter"),
        ({"SKILL.md": b"---\nname: [\n---\n"}, "is not valid YAML"),
        ({"SKILL.md": b"---\nname: x\n---\n"}, "has no description"),
        ({"SKILL.md": b"\xff\xfe"}, "is not UTF-8"),
    ],
)
def test_what_cannot_be_read_is_told_by_file(files: dict[str, bytes], says: str) -> None:
    """SKILL-5"""
    with pytest.raises(SkillInvalidError, match=r"SKILL\.md") as refused:
        package_of(files)
    assert any(says in each.message for each in refused.value.findings)


def test_what_a_strict_check_refuses_is_refused_whole() -> None:
    """SKILL-9: every error is there, and the first is told."""
    package = package_of({"SKILL.md": b"---\nname: tarot\ndescription: x\nsop: none.md\ncases: no.md\n---\nDraw."})
    with pytest.raises(SkillInvalidError, match=r"and 1 more") as refused:
        package.must_be_valid()
    assert [each.file for each in refused.value.findings] == ["tarot/no.md", "tarot/none.md"]


names = st.text("abcdef-_.é愚", min_size=1, max_size=12)


@given(st.dictionaries(names, st.binary(max_size=200), max_size=8))
def test_packing_is_exact_and_always_the_same(files: dict[str, bytes]) -> None:
    """SKILL-9: the bytes that come out are those that went in; nothing else has a say in the packed bytes."""
    packed = pack(files)
    assert unpack(packed) == files
    assert pack(dict(reversed(files.items()))) == packed


@given(st.dictionaries(names, st.binary(max_size=20), max_size=4), st.dictionaries(names, st.binary(max_size=20)))
def test_a_digest_stands_for_one_skill(one: dict[str, bytes], other: dict[str, bytes]) -> None:
    """SKILL-9: what was accepted is what was shown."""
    assert (digest_of(one) == digest_of(other)) == (one == other)


def test_contents_cannot_be_moved_between_names() -> None:
    """SKILL-9: no two skills are written alike on the way to a digest."""
    assert len({digest_of(each) for each in ({"a": b"bc"}, {"ab": b"c"}, {"a": b"b", "c": b""}, {"abc": b""})}) == 4
