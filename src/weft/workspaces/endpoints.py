"""`/api/workspace/files`: a user's own files, and what they send along with a message."""

import re
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request, Response

from weft.http.calling import caller
from weft.http.pages import CursorParameter, Limit, Page, page_of, read_cursor
from weft.http.problems import documented
from weft.kit.actor import Actor, Right
from weft.workspaces.attachments import picture_type
from weft.workspaces.paths import parts_of
from weft.workspaces.schemas import FileView, Kept, Written
from weft.workspaces.service import WorkspaceService

router = APIRouter(prefix="/api/workspace/files", tags=["workspace"])
Chatting = Annotated[Actor, caller(Right.CHAT)]
_ANY = "application/octet-stream"
_MEDIA = re.compile(r"[\w.+-]{1,60}/[\w.+-]{1,60}", re.ASCII)
_BYTES: dict[str, Any] = {
    "content": {_ANY: {"schema": {"type": "string", "format": "binary", "examples": ["# Plan\n- 买牛奶\n"]}}}
}
_FILE = {**_BYTES, "description": "the file"}
_SENT = {"requestBody": {**_BYTES, "required": True, "description": "the file's bytes, as they are"}}


def _workspace(actor: Chatting, request: Request) -> WorkspaceService:
    return WorkspaceService(actor, request.app.state.runtime.engine.workspaces)


Workspace = Annotated[WorkspaceService, Depends(_workspace)]


@router.get("", responses=documented(404, 422))
async def list_files(
    workspace: Workspace,
    folder: Annotated[str, Query(max_length=800, description="a folder; without it, the workspace itself")] = "",
    cursor: CursorParameter = None,
    limit: Limit = 100,
) -> Page[FileView]:
    """What is in a folder, folders first."""
    place = "/".join(parts_of(folder))
    listing = f"workspace:{place}"
    after = read_cursor(listing, cursor, tuple[bool, str])
    found = await workspace.list(folder)
    if after is not None:
        found = [entry for entry in found if (not entry.is_folder, entry.name) > tuple(after)]
    shown = [FileView.of(place, entry) for entry in found[: limit + 1]]
    return page_of(listing, shown, limit, lambda last: [not last.is_folder, last.path.rpartition("/")[2]])


@router.post("", status_code=201, responses=documented(413, 422), openapi_extra=_SENT)
async def keep_file(
    workspace: Workspace,
    request: Request,
    name: Annotated[str, Query(min_length=1, max_length=255, description="what the user calls it")],
) -> Kept:
    """Keep what goes with a message; the answer is an attachment, as a turn takes it."""
    content = await request.body()
    said = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    media = picture_type(content[:16]) or (said if _MEDIA.fullmatch(said) else _ANY)
    return Kept.model_validate((await workspace.keep(name, media, content)).model_dump())


@router.get("/{path:path}", responses=documented(404, 422) | {200: _FILE}, response_class=Response)
async def read_file(workspace: Workspace, path: str) -> Response:
    """One file, to be saved and never to be run: whatever it holds, a browser does not open it on our origin."""
    saved_as = f"attachment; filename*=UTF-8''{quote(path.rpartition('/')[2], safe='')}"
    headers = {"Content-Disposition": saved_as, "X-Content-Type-Options": "nosniff"}
    return Response(await workspace.read(path), media_type=_ANY, headers=headers)


@router.put("/{path:path}", responses=documented(404, 413, 422), openapi_extra=_SENT)
async def write_file(workspace: Workspace, request: Request, path: str) -> Written:
    """Write a file, whole or not at all."""
    content = await request.body()
    replaced = await workspace.write(path, content)
    return Written(path="/".join(parts_of(path)), size=len(content), replaced=replaced)


@router.delete("/{path:path}", status_code=204, responses=documented(404, 422))
async def delete_file(workspace: Workspace, path: str) -> None:
    """Delete a file, or an empty folder."""
    await workspace.delete(path)
