"""The folders of live skills: read whole, and replaced whole, so that nobody ever sees half of a skill."""

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from weft.kit.errors import CallerError
from weft.skills.archives import ArchiveLimits
from weft.skills.catalogue import Listed
from weft.skills.errors import SkillBusyError, SkillsFolderError
from weft.skills.files import FolderFiles
from weft.skills.paths import DEEPEST, path_problem

_LIMITS = ArchiveLimits()


def read_shown(listed: Listed) -> dict[str, bytes]:
    """The files of a skill as far as they can be read: what a change of it is compared with."""
    files = listed.shelved.files
    read: dict[str, bytes] = {}
    for resource in files.list()[: _LIMITS.entries]:
        try:
            read[resource.path] = files.read(resource.path)
        except CallerError:
            continue  # too large, or gone meanwhile: no skill that is proposed could hold it
    return read


def read_whole(root: Path, name: str) -> dict[str, bytes] | None:
    """Every file of a live folder, None where there is none; one that could not be put back as it was is refused."""
    folder = root / name
    if not os.path.lexists(folder):
        return None
    try:
        paths = list(_paths(folder, "", name))
        files = FolderFiles(folder)
        read = {path: files.read(path, _LIMITS.total) for path in paths}
    except OSError as error:
        raise SkillBusyError(name, f"lies in a folder that cannot be read: {error.strerror}") from None
    if len(read) > _LIMITS.entries or sum(map(len, read.values())) > _LIMITS.total:
        raise SkillBusyError(name, "lies in a folder that is larger than its history can keep; move it away first")
    return read


def _paths(folder: Path, prefix: str, name: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            path = prefix + entry.name
            if entry.is_dir(follow_symlinks=False) and path.count("/") < DEEPEST - 1:
                yield from _paths(folder / entry.name, path + "/", name)
            elif entry.is_file(follow_symlinks=False) and path_problem(path) is None:
                yield path
            else:
                message = f"lies in a folder with {path!r}, which its history cannot keep; move it away first"
                raise SkillBusyError(name, message)


def replace(root: Path, name: str, files: Mapping[str, bytes] | None) -> None:
    """Put the files in the place of the skill's folder, or take it away; done twice, it is the same as done once.

    Everything is written beside it first. Between the two renamings the skill is away for a moment, in which a
    shelf looks twice; a process that dies there leaves a version that the next one puts in place.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        beside = root / f".{name}.new"  # no skill's name begins with a dot, and none holds one
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir()
        try:
            if files is not None:
                _write(beside / "new", files)
            _swap(beside, root / name, there=files is not None)
            _settle(root)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        raise SkillsFolderError(
            f"the skill {name!r} could not be put into {root}: {error.strerror or error}. Make the folder one that "
            f"Weft may write to and accept again; nothing is lost."
        ) from error


def _swap(beside: Path, live: Path, *, there: bool) -> None:
    old = beside / "old"
    if os.path.lexists(live):
        live.rename(old)  # a link to a folder elsewhere is moved itself, not what it leads to
    if not there:
        return
    try:
        (beside / "new").rename(live)
    except OSError:
        if os.path.lexists(old):
            old.rename(live)
        raise


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.mkdir()
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())


def _settle(folder: Path) -> None:
    """What was renamed must be so after a power cut too, for the history will say that it is."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
