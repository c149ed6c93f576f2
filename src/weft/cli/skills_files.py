"""Skills as files on this machine: checked where they lie, begun anew, or taken up as a package."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from weft.kit.errors import CallerError, ConflictError, InvalidError, NotFoundError
from weft.kit.skill_name import is_skill_name
from weft.skills.archives import ArchiveLimits
from weft.skills.errors import ArchiveTooLargeError, SkillInvalidError
from weft.skills.files import FolderFiles
from weft.skills.findings import Finding, errors
from weft.skills.live_folders import read_whole
from weft.skills.packages import Package, package_of, package_of_archive
from weft.skills.skill import SKILL_FILE
from weft.skills.validating import validate_skill

TEXT = """---
name: {name}
description: Says in one or two sentences what {name} does. Use when the user asks for {name}.
{more}---
# {name}

1. Find out what the user wants, and ask where it is not clear.
2. Do it.
3. Say briefly what came of it.
"""
MORE = """sop: sop.yaml
cases: cases.md
data_schema: data.schema.json
profile_fields: [life_context, skill_data.{name}]
"""
SIDE_FILES = {
    "sop.yaml": """- when: the user is in distress
  do: stop, listen first, and name where help is found
- say what you are about to do before you do it
""",
    "cases.md": """## Somebody comes for the first time {#first-time}
when: first time, how does this work, 第一次, 怎么用
Somebody does not know yet what can be done for them.
advice: Say it in two sentences, give one example, and ask what they came for.
""",
    "data.schema.json": """{
  "type": "object",
  "properties": {"last_topic": {"type": "string", "maxLength": 200}},
  "additionalProperties": false
}
""",
    "voices/calm.md": "Speak slowly and in short sentences.\n",
}


@dataclass(frozen=True, slots=True)
class Checked:
    """One skill, and what strict checking found."""

    path: str
    findings: tuple[Finding, ...]

    @property
    def valid(self) -> bool:
        """Whether nothing is an error."""
        return not errors(self.findings)


def check_path(path: Path) -> Iterator[Checked]:
    """The skill in a folder or an archive, or every skill in a folder of them."""
    if path.is_file():
        yield _checked_archive(path)
    elif (path / SKILL_FILE).exists():
        yield _checked_folder(path)
    else:
        folders = sorted(each.parent for each in path.glob(f"*/{SKILL_FILE}"))
        if not folders:
            raise NotFoundError(f"{path} holds no {SKILL_FILE}, and no folder in it does")
        yield from map(_checked_folder, folders)


def _checked_folder(folder: Path) -> Checked:
    shown = str(folder)
    return Checked(shown, validate_skill(FolderFiles(folder), folder.resolve().name, shown))


def _checked_archive(path: Path) -> Checked:
    shown = str(path)
    try:
        return Checked(shown, package_of_archive(_read(path)).findings)
    except SkillInvalidError as error:
        return Checked(shown, error.findings)
    except CallerError as error:
        return Checked(shown, (Finding(shown, 0, "error", error.detail),))


def taken_up(path: Path) -> Package:
    """The skill in a folder or an archive, to be sent somewhere."""
    if path.is_file():
        return package_of_archive(_read(path))
    folder = path.resolve()
    files = read_whole(folder.parent, folder.name) or {}
    if SKILL_FILE not in files:
        raise NotFoundError(f"{path} holds no {SKILL_FILE}")
    return package_of({f"{folder.name}/{name}": content for name, content in files.items()})


def _read(path: Path) -> bytes:
    largest = ArchiveLimits().archive
    with path.open("rb") as file:
        content = file.read(largest + 1)
    if len(content) > largest:
        raise ArchiveTooLargeError(f"has more than {largest} bytes")
    return content


def skeleton(parent: Path, name: str, *, full: bool) -> list[Path]:
    """The files of a skill to begin with, written into a folder of its own."""
    if not is_skill_name(name):
        raise InvalidError(f"{name[:80]!r} is no name for a skill; write for example 'tarot-reading'", field="name")
    folder = parent / name
    if folder.exists():
        raise ConflictError(f"{folder} is there already; choose another name")
    files = {SKILL_FILE: TEXT.format(name=name, more=MORE.format(name=name) if full else "")}
    written = []
    for path, text in (files | (SIDE_FILES if full else {})).items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        written.append(place)
    return written
