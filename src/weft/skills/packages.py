"""A whole skill as files in hand: checked as it comes in, told apart by a digest, packed the same way every time."""

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from io import BytesIO

from weft.skills.archives import ArchiveLimits, Intake, Unpacked, arrange
from weft.skills.errors import SkillInvalidError
from weft.skills.files import MemoryFiles
from weft.skills.findings import Finding, errors
from weft.skills.reading import read_skill
from weft.skills.unpacking import read_archive
from weft.skills.validating import validate_skill

_NEVER = (1980, 1, 1, 0, 0, 0)  # the first moment that a zip can tell: when a file was packed must not show
_PLAIN_FILE = 0o100644 << 16


@dataclass(frozen=True)
class Package:
    """One skill: its name, and its files by their paths."""

    name: str
    files: Mapping[str, bytes] = field(repr=False)

    @cached_property
    def digest(self) -> bytes:
        """The same for the same files, and for no others."""
        return digest_of(self.files)

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(map(len, self.files.values()))

    def as_files(self) -> MemoryFiles:
        """The files as readers of skills want them."""
        return MemoryFiles(self.files)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What strict checking has to say."""
        return validate_skill(self.as_files(), self.name)

    def must_be_valid(self) -> None:
        """Refuse a skill that strict checking refuses."""
        if wrong := errors(self.findings):
            raise SkillInvalidError(wrong)


def package_of(files: Mapping[str, bytes], limits: ArchiveLimits | None = None) -> Package:
    """The skill in these files, by the same rules as one in an archive."""
    limits = limits or ArchiveLimits()
    intake = Intake(limits, limits.total)
    admitted = [(intake.admit(path), content) for path, content in files.items()]
    for path, content in admitted:
        if path is not None:
            intake.add(path, iter((content,)))
    return _named(arrange(intake.files))


def package_of_archive(content: bytes) -> Package:
    """The skill in an uploaded archive."""
    return _named(read_archive(content))


def _named(unpacked: Unpacked) -> Package:
    """With the name that the skill gives itself, or the folder that it came in."""
    reading = read_skill(unpacked.as_files(), unpacked.folder or "skill")
    if reading.skill is None:
        raise SkillInvalidError(errors(reading.findings))
    return Package(reading.skill.name, unpacked.files)


def digest_of(files: Mapping[str, bytes]) -> bytes:
    """A fingerprint of paths and contents: no two lists of files can be written so that they share it."""
    whole = sha256()
    for path, content in sorted(files.items()):
        whole.update(sha256(path.encode()).digest() + sha256(content).digest())
    return whole.digest()


def pack(files: Mapping[str, bytes]) -> bytes:
    """The files as an archive of bytes that depend on nothing else."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in sorted(files.items()):
            entry = zipfile.ZipInfo(path, _NEVER)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, _PLAIN_FILE
            archive.writestr(entry, content)
    return packed.getvalue()


def unpack(packed: bytes) -> dict[str, bytes]:
    """What `pack` packed."""
    with zipfile.ZipFile(BytesIO(packed)) as archive:
        return {entry.filename: archive.read(entry) for entry in archive.infolist()}
