"""What a path inside a workspace may look like, and which places are not written by hand."""

import re
import unicodedata

from weft.workspaces.errors import PathRefusedError

BOOTSTRAP = ("AGENTS.md", "SOUL.md", "USER.md", "TOOLS.md", "IDENTITY.md")  # in the order in which they are read
MEMORY, HISTORY = "memory/MEMORY.md", "memory/HISTORY.md"
SKILLS = "skills"
TEMPORARY = ".weft-"  # a file that is being written; nobody's to see

DEEPEST = 12
LONGEST_PART, LONGEST = 180, 800  # bytes
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Read by other systems in their own way: a folder's end, another file's stream, a wildcard.
_FORBIDDEN = frozenset('\\:*?"<>|')
_LOG = re.compile(r"memory/history[^/]*\.md")

Parts = tuple[str, ...]


def parts_of(path: str) -> Parts:
    """The names on the way from the workspace to a file or folder; none for the workspace itself."""
    if path.startswith(("/", "~")) or re.match(r"[A-Za-z]:", path):
        raise PathRefusedError(
            path, "is an absolute path; write it relative to the workspace, for example 'notes/a.md'"
        )
    if len(path.encode("utf-8", "replace")) > LONGEST:
        raise PathRefusedError(path, f"has more than {LONGEST} bytes")
    plain = path.removeprefix("./").removesuffix("/")
    if plain in ("", "."):
        return ()
    parts = tuple(plain.split("/"))
    if len(parts) > DEEPEST:
        raise PathRefusedError(path, f"lies more than {DEEPEST} folders deep")
    for part in parts:
        if (problem := name_problem(part)) is not None:
            raise PathRefusedError(path, problem)
    return parts


def file_parts(path: str) -> Parts:
    """The same for a file, which the workspace itself is not."""
    parts = parts_of(path)
    if not parts or path.endswith("/"):
        raise PathRefusedError(path, "is a folder; name a file in it, for example 'notes/a.md'")
    return parts


def name_problem(name: str) -> str | None:
    """What is wrong with the name of a file or folder, or None."""
    if name in ("", ".", ".."):
        return f"has {name!r} as a part; write the path plainly, without it"
    if len(name.encode("utf-8", "replace")) > LONGEST_PART:
        return f"has a name of more than {LONGEST_PART} bytes"
    for character in name:
        if character in _FORBIDDEN:
            return f"has {character!r} in a name; use letters, digits, '-', '_' or '.'"
        if unicodedata.category(character) in _INVISIBLE or not character.isprintable():
            return f"has an invisible character (U+{ord(character):04X}) in a name; leave it out"
    if name != name.strip() or name.endswith("."):
        return "has a name that begins or ends with a space, or ends with a dot"
    if name.startswith(TEMPORARY):
        return f"has a name that begins with {TEMPORARY!r}, which Weft keeps for itself"
    folded = unicodedata.normalize("NFKC", name)
    # Full-width dots and slashes become plain ones on the way through some file systems.
    return "has a name that some file systems read as a path" if folded in (".", "..") or "/" in folded else None


def check_writable(path: str, parts: Parts, *, by_agent: bool) -> None:
    """Refuse places that are written in another way: live skills by nobody, the log of what happened not by hand."""
    same = "/".join(unicodedata.normalize("NFKC", part).casefold() for part in parts)
    if same.partition("/")[0] == SKILLS:
        raise PathRefusedError(path, "belongs to a skill; skills change only through review")
    if by_agent and _LOG.fullmatch(same):
        raise PathRefusedError(path, "is the log of what happened; it is added to by Weft and never rewritten")
