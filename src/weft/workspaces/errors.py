"""What can be wrong with a file of a workspace, in words that whoever asked for it can act on."""

from weft.kit.errors import ConflictError, InvalidError, NotFoundError, TooLargeError
from weft.kit.text import replace_unstorable

_LONGEST = 120


def shown(path: str) -> str:
    """A path as it may stand in a message: on one line, nothing that moves a terminal, not endless."""
    text = "".join(each if each.isprintable() else "\ufffd" for each in replace_unstorable(path[: _LONGEST + 1]))
    return repr(text if len(text) <= _LONGEST else text[:_LONGEST] + "…")


class PathRefusedError(InvalidError):
    """A path that is not one of a file in the workspace, or that may not be written."""

    code = "workspace_path_refused"

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{shown(path)} {problem}", field="path")


class FileMissingError(NotFoundError):
    """The workspace has no such file or folder."""

    code = "workspace_file_unknown"

    def __init__(self, path: str, hint: str = "list_dir shows what there is") -> None:
        super().__init__(f"the workspace has no {shown(path)}; {hint}", field="path")


class NotTextError(InvalidError):
    """A file that is no text."""

    code = "workspace_not_text"

    def __init__(self, path: str, what: str) -> None:
        super().__init__(f"{shown(path)} is {what}, not text in UTF-8", field="path")


class FileTooLargeError(TooLargeError):
    """A file, or the workspace as a whole, passes its limit."""

    code = "workspace_too_large"


class FileChangedError(ConflictError):
    """A change that does not fit the file as it stands."""

    code = "workspace_change_refused"
