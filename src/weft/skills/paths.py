"""What a file inside a skill may be called: relative, plain, and the same file on every machine."""

import re
import unicodedata

DEEPEST = 8
LONGEST_PART, LONGEST = 120, 400
# Characters and names that Windows reads in its own way: a stream of another file, a device, a wildcard.
_FORBIDDEN = frozenset('\\:*?"<>|')
_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def path_problem(path: str) -> str | None:
    """What is wrong with a relative path with forward slashes, or None."""
    if not path:
        return "has no name"
    if path.startswith(("/", "~")) or re.match(r"[A-Za-z]:", path):
        return "is an absolute path; only paths inside the skill are read"
    if len(path.encode("utf-8", "replace")) > LONGEST:
        return f"has a path of more than {LONGEST} bytes"
    parts = path.split("/")
    if len(parts) > DEEPEST:
        return f"lies more than {DEEPEST} folders deep"
    return next((problem for part in parts if (problem := _part_problem(part)) is not None), None)


def same_file_key(path: str) -> str:
    """Two paths with the same key are one file where names ignore case or composition (macOS, Windows)."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", path).casefold())


def _part_problem(part: str) -> str | None:
    if part in ("", ".", ".."):
        return f"has {part!r} as a part of its path; write it plainly, relative to the skill's folder"
    if len(part.encode("utf-8", "replace")) > LONGEST_PART:
        return f"has a name of more than {LONGEST_PART} bytes"
    for character in part:
        if character in _FORBIDDEN:
            return f"has {character!r} in its name, which other systems read in their own way"
        if unicodedata.category(character) in _INVISIBLE or not character.isprintable():  # blanks other than a space
            return f"has an invisible character (U+{ord(character):04X}) in its name"
    if part[0] == " " or part[-1] in " .":
        return "has a name that begins or ends with a space, or ends with a dot"
    # Full-width letters fold to a device's name, or to dots, on the way through some file systems.
    folded = unicodedata.normalize("NFKC", part)
    if _DEVICE.fullmatch(folded):
        return "has a name that Windows keeps for a device"
    if folded in (".", "..") or "/" in folded or "\\" in folded:
        return "has a name that some file systems read as a path"
    return None
