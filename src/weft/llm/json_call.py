"""One JSON request to a vendor's endpoint, filled in from a declared structure."""

from collections.abc import Mapping
from typing import Any

import httpx
import orjson

from weft.kit.errors import InvalidError
from weft.llm.clients import client_for
from weft.llm.errors import OffProtocolError
from weft.llm.exchange import check_target, transport_problem, whole_body
from weft.llm.json_path import shown
from weft.llm.refusals import error_in_stream, refusal
from weft.llm.structure_types import Request
from weft.llm.types import Target
from weft.llm.watch import Watch


async def post(target: Target, request: Request, values: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
    """Send a declared request with its values and the caller's options; gives the JSON object that came back."""
    body = _filled(request.body, {"$model": target.model, **values})
    if request.options is None:
        body = {**options, **body}
    elif options:
        body[request.options] = dict(options)
    return await call(target, "POST", request.path, body, request.headers)


async def call(
    target: Target, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
) -> Any:
    """Send a request to a path of the endpoint; a refusal is raised as the error that it stands for."""
    check_target(target)
    sent = {"content-type": "application/json", **(headers or {}), **target.extra_headers}
    if target.api_key:
        sent.setdefault("authorization", f"Bearer {target.api_key}")
    client = await client_for(target.base_url)
    request = client.build_request(
        method,
        target.base_url.rstrip("/") + path,
        content=_written(body),
        headers=sent,
        timeout=httpx.Timeout(target.timeouts.first, connect=target.timeouts.connect),
    )
    try:
        with Watch(target.timeouts.first):
            response = await client.send(request, stream=True)
            try:
                return await _parsed(target, response)
            finally:
                await response.aclose()
    except (httpx.HTTPError, TimeoutError) as error:
        problem = transport_problem(target, error)
    raise problem


async def _parsed(target: Target, response: httpx.Response) -> Any:
    body = await whole_body(response, target)
    if not response.is_success:
        raise refusal(target, response.status_code, body, retry_after=response.headers.get("retry-after"))
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        answer = None
    if not isinstance(answer, dict):
        found = shown(body.decode(errors="replace"))
        raise OffProtocolError("$", "a JSON object", found, target=target)
    if answer.get("error") and "status" not in answer:
        raise error_in_stream(target, answer["error"])
    return answer


def _written(body: Any) -> bytes | None:
    if body is None:
        return None
    try:
        return orjson.dumps(body)
    except orjson.JSONEncodeError as error:
        problem = InvalidError(f"the call cannot be written as JSON: {error}", field="prompt")
    raise problem


def _filled(shape: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(shape, dict):
        return {name: _filled(inner, values) for name, inner in shape.items()}
    return values.get(shape, shape) if isinstance(shape, str) else shape
