"""A skill that arrives as an archive: read whole into memory, or refused whole; nothing is ever written from here.

An archive is made by somebody else's program, perhaps to be unpacked by a careless one. Every name is checked before
any content is, links and devices are refused rather than skipped, and sizes are counted while unpacking, because
what an archive says of its own sizes is only a claim.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from weft.skills.errors import ArchiveRefusedError, ArchiveTooLargeError
from weft.skills.files import MemoryFiles
from weft.skills.paths import path_problem, same_file_key
from weft.skills.skill import SKILL_FILE

_LITTER = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """How much is read."""

    archive: int = 8 << 20  # bytes as uploaded
    entries: int = 500
    file: int = 4 << 20  # bytes unpacked, each and all together
    total: int = 32 << 20
    ratio: int = 200  # how many bytes one byte may become
    ratio_from: int = 1 << 20  # small files may be as dense as they like


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What an archive held: one skill's files, by their paths inside it."""

    folder: str | None  # the folder around them, which is the skill's name; None where they stood at the top
    files: Mapping[str, bytes]

    def as_files(self) -> MemoryFiles:
        """The files as readers of skills want them."""
        return MemoryFiles(self.files)


@dataclass(slots=True)
class Intake:
    """What was taken from an archive so far, and whether more may be."""

    limits: ArchiveLimits
    packed: int  # bytes of the archive
    files: dict[str, bytes] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)  # the key of each file and folder, and how it was written
    _file_keys: set[str] = field(default_factory=set)
    _folder_keys: set[str] = field(default_factory=set)
    _entries: int = 0
    _total: int = 0

    def admit(self, name: str, *, folder: bool = False) -> str | None:
        """The path of an entry if it may come in; None for what file managers leave behind."""
        self._entries += 1
        if self._entries > self.limits.entries:
            raise ArchiveTooLargeError(f"has more than {self.limits.entries} entries")
        path = name.removeprefix("./").removesuffix("/") if name != "./" else ""
        if folder and path in ("", "."):
            return None
        if (problem := path_problem(path)) is not None:
            raise ArchiveRefusedError(problem, name)
        if path.startswith(_LITTER) or path.rpartition("/")[2] in _LITTER:
            return None
        self._claim(path, folder=folder)
        return path

    def add(self, path: str, pieces: Iterator[bytes]) -> None:
        """Take a file's content, counting."""
        kept, size = [], 0
        for piece in pieces:
            size += len(piece)
            self._total += len(piece)
            if size > self.limits.file:
                raise ArchiveTooLargeError(f"has more than {self.limits.file} bytes", path)
            self._check_total(path)
            kept.append(piece)
        self.files[path] = b"".join(kept)

    def _check_total(self, path: str) -> None:
        if self._total > self.limits.total:
            raise ArchiveTooLargeError(f"makes more than {self.limits.total} bytes of all that is unpacked", path)
        if self._total > max(self.limits.ratio_from, self.packed * self.limits.ratio):
            raise ArchiveTooLargeError(f"unpacks to more than {self.limits.ratio} times the archive's size", path)

    def _claim(self, path: str, *, folder: bool) -> None:
        """Each name once, also where letters' case does not count; and no file where a folder is."""
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            written = "/".join(parts[:depth])
            key = same_file_key(written)
            if (before := self._names.setdefault(key, written)) != written:
                raise ArchiveRefusedError(f"has the same name as {before!r} where letters' case does not count", path)
            is_file = depth == len(parts) and not folder
            if key in self._file_keys or (is_file and key in self._folder_keys):
                raise ArchiveRefusedError("stands there twice, or both as a file and as a folder", path)
            (self._file_keys if is_file else self._folder_keys).add(key)


def arrange(files: Mapping[str, bytes]) -> Unpacked:
    """One skill: its `SKILL.md` at the top, or in the only folder at the top."""
    found = sorted(path for path in files if path.rpartition("/")[2] == SKILL_FILE)
    tops = {path.partition("/")[0] for path in files}
    if SKILL_FILE in files:
        return Unpacked(None, dict(files))
    if len(tops) == 1 and f"{(top := next(iter(tops)))}/{SKILL_FILE}" in files:
        return Unpacked(top, {path.removeprefix(f"{top}/"): content for path, content in files.items()})
    if not found:
        raise ArchiveRefusedError(f"has no {SKILL_FILE}; it must hold one skill's folder, or what is in it")
    raise ArchiveRefusedError(
        f"does not hold one skill alone: {SKILL_FILE} must stand at the top or in the only folder there", found[0]
    )
