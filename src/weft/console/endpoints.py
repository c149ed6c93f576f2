"""`/` and `/console/…`: the console's page and its files; where it is not built, a page that says how to build it."""

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse, Response

from weft.console.bundle import INDEX, Bundle, Found
from weft.console.policy import ASK_AGAIN, FOR_EVER, HEADERS
from weft.kit.errors import NotFoundError

router = APIRouter(include_in_schema=False)
bundle = Bundle()
NOT_BUILT = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Weft</title>
<h1>Weft is running</h1>
<p>Its console is not built on this machine. <code>make console</code> builds it (Node comes from the Python index
where npm is missing); then load this page again.</p>
<p>Everything else works: the HTTP surface is described at <a href="/openapi.json">/openapi.json</a>,
and <code>weft chat</code> talks in a terminal.</p>
<h1 lang="zh-CN">Weft 已在运行</h1>
<p lang="zh-CN">这台机器上还没有构建控制台。运行 <code>make console</code> 构建后，刷新本页即可。其他功能不受影响。</p>
</html>
"""


class ConsoleFileUnknownError(NotFoundError):
    """No such file belongs to the console; the page that asked for it may be of an older Weft."""

    code = "console_file_unknown"


@router.api_route("/", methods=["GET", "HEAD"])
async def page(request: Request) -> Response:
    """The console."""
    found = await bundle.find(INDEX, packed=_takes_packed(request))
    if found is None:
        return HTMLResponse(NOT_BUILT, headers={**HEADERS, "Cache-Control": ASK_AGAIN})
    return _sent(found)


@router.api_route("/console/{name}", methods=["GET", "HEAD"])
async def file(request: Request, name: str) -> Response:
    """A file that the console is made of."""
    found = await bundle.find(name, packed=_takes_packed(request))
    if found is None:
        message = "the console has no such file; load the page again"
        raise ConsoleFileUnknownError(message)
    return _sent(found)


def _takes_packed(request: Request) -> bool:
    return "gzip" in request.headers.get("accept-encoding", "")


def _sent(found: Found) -> Response:
    headers = {**HEADERS, "Cache-Control": FOR_EVER if found.for_ever else ASK_AGAIN, "Vary": "Accept-Encoding"}
    if found.packed:
        headers["Content-Encoding"] = "gzip"
    return FileResponse(found.path, media_type=found.media_type, headers=headers)
