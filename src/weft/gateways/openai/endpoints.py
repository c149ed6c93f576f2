"""`/v1`: chat completions and models, for clients that know OpenAI's interface."""

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request

from weft.gateways.errors import TurnFailedError
from weft.gateways.following import batches
from weft.gateways.frames import DONE, frame
from weft.gateways.openai.errors import OpenAIRoute, error_object
from weft.gateways.openai.models import WEFT, described, listed, one_of
from weft.gateways.openai.reading import accepted
from weft.gateways.openai.schemas import CompletionRequest
from weft.gateways.openai.spelling import Completion
from weft.gateways.streaming import EventStream, stream_documented
from weft.http.answers import Json
from weft.http.calling import caller
from weft.http.problems import documented
from weft.kit.actor import Actor, Right
from weft.kit.errors import WeftError
from weft.runs.desk import Accepted, Desk
from weft.state.events import RunFailed

CONVERSATION = "X-Weft-Conversation"
router = APIRouter(prefix="/v1", tags=["openai"], route_class=OpenAIRoute)
Chatting = Annotated[Actor, caller(Right.CHAT)]
Name = Annotated[str | None, Header(min_length=1, max_length=255)]
_ANSWER = stream_documented("The answer, or its chunks.", 'data: {"object":"chat.completion.chunk","choices":[]}\n\n')
_ANSWER[200]["content"]["application/json"] = {
    "schema": {"type": "object"},
    "examples": {"answer": {"value": {"object": "chat.completion", "choices": []}}},
}


_LIST: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The models.",
        "content": {
            "application/json": {"schema": {"type": "object"}, "examples": {"one": {"value": described(WEFT)}}}
        },
    }
}


@router.post("/chat/completions", response_class=Json, responses=_ANSWER | documented(404, 409, 422))
async def complete(
    request: Request,
    actor: Chatting,
    given: CompletionRequest,
    x_weft_conversation: Name = None,
    idempotency_key: Name = None,
) -> Any:
    """Answer the last user message. The conversation is `metadata.conversation_id`, the header `X-Weft-Conversation`,
    or that of the `user`; without any of them it is a new one, which the answer's header names."""
    desk: Desk = request.app.state.desk
    taken = await accepted(desk, actor, given, x_weft_conversation, idempotency_key)
    completion = Completion(str(taken.run.id), given.model, int(time.time()), str(taken.session_id))
    headers = {CONVERSATION: str(taken.session_id)}
    if given.stream:
        with_usage = given.stream_options is not None and given.stream_options.include_usage
        return EventStream(_written(desk, actor, taken, completion, with_usage=with_usage), headers)
    async with aclosing(batches(desk, actor, taken.run.id, taken.from_seq)) as follow:
        async for batch in follow:
            for event in batch:
                for _ in completion.take(event):
                    pass
    if isinstance(completion.answering.ending, RunFailed):
        raise TurnFailedError(completion.answering.ending)
    return Json(completion.whole(), headers=headers)


@router.get("/models", response_class=Json, responses=_LIST | documented())
async def list_models(request: Request, actor: Chatting) -> Any:
    """Weft, and Weft in each of its skills."""
    desk: Desk = request.app.state.desk
    catalogue = await desk.engine.skills.look(actor.business_id, actor.owner_id)
    return Json({"object": "list", "data": listed(catalogue)})


@router.get("/models/{name:path}", response_class=Json, responses=_LIST | documented(404, 422))
async def read_model(request: Request, actor: Chatting, name: str) -> Any:
    """One of them."""
    desk: Desk = request.app.state.desk
    catalogue = await desk.engine.skills.look(actor.business_id, actor.owner_id)
    return Json(one_of(catalogue, name))


async def _written(
    desk: Desk, actor: Actor, taken: Accepted, completion: Completion, *, with_usage: bool
) -> AsyncGenerator[bytes, None]:
    yield frame(completion.first())
    try:
        async with aclosing(batches(desk, actor, taken.run.id, taken.from_seq)) as follow:
            async for batch in follow:
                if chunks := [chunk for event in batch for chunk in completion.take(event)]:
                    yield b"".join(map(frame, chunks))
    except WeftError as error:
        yield frame({"error": error_object(503, error.code, error.detail)})
        return
    failed = completion.answering.ending
    if isinstance(failed, RunFailed):
        yield frame({"error": error_object(503, failed.code, failed.message)})
        return
    yield b"".join(map(frame, completion.last(with_usage=with_usage))) + DONE
