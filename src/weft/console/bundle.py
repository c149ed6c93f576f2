"""The files of the built console, as they lie in the package."""

import re
from dataclasses import dataclass
from pathlib import Path

import anyio.to_thread

STATIC = Path(__file__).parent / "static"
INDEX = "index.html"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)+")  # no folders, and no way out of this one
_HASHED = re.compile(r".+-[A-Za-z0-9_-]{8}\.(js|css)")
_MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Found:
    """A file to be sent."""

    path: Path
    media_type: str
    packed: bool
    for_ever: bool


class Bundle:
    """What `npm run build` has put into a folder."""

    def __init__(self, folder: Path = STATIC) -> None:
        self._folder = folder

    async def find(self, name: str, *, packed: bool) -> Found | None:
        """The file of that name, gzipped where that is asked for and there is such a one."""
        media_type = _MEDIA_TYPES.get(Path(name).suffix)
        if media_type is None or _NAME.fullmatch(name) is None:
            return None
        path = await anyio.to_thread.run_sync(self._path, name, packed)
        if path is None:
            return None
        return Found(path, media_type, path.suffix == ".gz", _HASHED.fullmatch(name) is not None)

    def _path(self, name: str, packed: bool) -> Path | None:
        names = (f"{name}.gz", name) if packed else (name,)
        return next((path for each in names if (path := self._folder / each).is_file()), None)
