"""The files of a workspace that stand in a prompt, read again only when one of them has changed."""

from dataclasses import dataclass

from weft.context.situation import ShownFile
from weft.kit.errors import CallerError
from weft.kit.log import get_logger
from weft.workspaces.folder import Folder
from weft.workspaces.paths import BOOTSTRAP, MEMORY, file_parts
from weft.workspaces.remembered import FromFiles
from weft.workspaces.texts import text_of

log = get_logger(__name__)
LONGEST = 24_000  # characters of one file: several times what any prompt has room for
_PARTS = {name: file_parts(name) for name in (*BOOTSTRAP, MEMORY)}


@dataclass(frozen=True, slots=True)
class PromptFiles:
    """The bootstrap files that there are, in their order, and the long-term facts."""

    files: tuple[ShownFile, ...] = ()
    memory: str | None = None


Known = FromFiles[PromptFiles]


def size_of(files: PromptFiles) -> int:
    """Characters of it all."""
    return sum(len(file.text) for file in files.files) + len(files.memory or "")


def look(folder: Folder, known: Known) -> PromptFiles:
    """The files as they are now; the very same object as long as none has changed."""
    signatures = tuple(folder.signature(parts) for parts in _PARTS.values())
    if not any(signatures):
        return PromptFiles()
    if (kept := known.get(folder.steps, signatures)) is not None:
        return kept
    there = [name for name, signature in zip(_PARTS, signatures, strict=True) if signature is not None]
    texts = {name: text for name in there if (text := _text(folder, name))}
    files = tuple(ShownFile(name, texts[name]) for name in BOOTSTRAP if name in texts)
    made = PromptFiles(files, texts.get(MEMORY))
    known.put(folder.steps, signatures, made)
    return made


def _text(folder: Folder, name: str) -> str | None:
    """A file's text; one that cannot be shown is left out, and the operator reads why."""
    try:
        text = text_of(name, folder.read(_PARTS[name], folder.limits.text)).strip()
    except CallerError as error:
        log.warning("workspace_file_not_shown", workspace="/".join(folder.steps), file=name, reason=error.detail)
        return None
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}\n[{len(text) - LONGEST} more characters: read {name} for them]"
