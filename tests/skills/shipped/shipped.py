"""The skills that Weft ships, read as the library reads them."""

from functools import cache

from weft.skills.cases import Case, read_cases
from weft.skills.files import FolderFiles
from weft.skills.findings import Findings
from weft.skills.library import SHIPPED
from weft.skills.reading import read_skill
from weft.skills.side_files import read_sop
from weft.skills.skill import Skill

NAMES = ("bazi", "career", "core", "lifecoach", "tarot", "zodiac")
EXPERTS = tuple(name for name in NAMES if name != "core")
COMPUTING = ("bazi", "tarot", "zodiac")


def files_of(name: str) -> FolderFiles:
    """Where a shipped skill lies."""
    return FolderFiles(SHIPPED / name)


@cache
def skill(name: str) -> Skill:
    """A shipped skill."""
    read = read_skill(files_of(name), name).skill
    assert read is not None
    return read


def cases(name: str) -> list[Case]:
    """Its cases, all its files together."""
    return [case for path in skill(name).cases for case in read_cases(files_of(name), path, Findings(path))]


def sop(name: str) -> str:
    """Its procedure as a model reads it."""
    return "\n".join(read_sop(files_of(name), path, Findings(path)) or "" for path in skill(name).sop)


for _name in NAMES:
    skill(_name)  # with the module: an event loop must not wait for the disk
