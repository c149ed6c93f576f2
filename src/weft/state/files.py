"""The files of a session: as the user gave them, and as a model can read them."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, with_config

from weft.state.closed import ABSENT, CLOSED, Name, Place, Text

FILES_KEPT = 50  # of each kind, the newest; earlier turns still have theirs


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class FileMapping:
    """Where a file stands in a store."""

    provider: Literal["aliyun", "tencent", "aws", "gcc", "local"]
    path: Place
    public: Annotated[bool | None, ABSENT] = None


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class OriginFile:
    """A file as the user gave it."""

    name: Name
    type: Name
    local_path: Place
    mapping: Annotated[FileMapping | None, ABSENT] = None


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class PreprocessedFile:
    """What a file was made into: text that a model reads, kept at `local_path`, and what it is about."""

    name: Name
    origin: Place  # the `local_path` of the file it was made from
    local_path: Place
    summary: Text = ""
    mapping: Annotated[FileMapping | None, ABSENT] = None


@with_config(CLOSED)
@dataclass(frozen=True, slots=True)
class PreprocessedFiles:
    """Preprocessed files by kind."""

    documents: Annotated[tuple[PreprocessedFile, ...], Field(max_length=FILES_KEPT)] = ()
    tables: Annotated[tuple[PreprocessedFile, ...], Field(max_length=FILES_KEPT)] = ()
    other_files: Annotated[tuple[PreprocessedFile, ...], Field(max_length=FILES_KEPT)] = ()

    def with_more(self, more: "PreprocessedFiles") -> "PreprocessedFiles":
        """These and more; what was made of the same file again replaces what was made of it before."""
        return PreprocessedFiles(
            _merged(self.documents, more.documents),
            _merged(self.tables, more.tables),
            _merged(self.other_files, more.other_files),
        )


def with_files(files: tuple[OriginFile, ...], more: tuple[OriginFile, ...]) -> tuple[OriginFile, ...]:
    """The files and more, the newest that are kept; one at the same place replaces the one before."""
    places = {file.local_path for file in more}
    return (*(file for file in files if file.local_path not in places), *more)[-FILES_KEPT:]


def _merged(files: tuple[PreprocessedFile, ...], more: tuple[PreprocessedFile, ...]) -> tuple[PreprocessedFile, ...]:
    if not more:
        return files
    places = {file.local_path for file in more}
    return (*(file for file in files if file.local_path not in places), *more)[-FILES_KEPT:]
