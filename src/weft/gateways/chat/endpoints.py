"""`/api/chat`: one message in, one answer out."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Request

from weft.gateways.answering import Answering
from weft.gateways.chat.reading import accepted
from weft.gateways.chat.schemas import ChatAnswer, ChatRequest
from weft.gateways.chat.spelling import spell
from weft.gateways.errors import TurnFailedError
from weft.gateways.following import batches
from weft.gateways.frames import named_frame
from weft.gateways.streaming import EventStream, stream_documented, wants_stream
from weft.http.calling import caller
from weft.http.problems import documented
from weft.kit.actor import Actor, Right
from weft.kit.errors import WeftError
from weft.runs.desk import Accepted, Desk
from weft.sessions.service import SessionService
from weft.state.events import RunFailed

router = APIRouter(prefix="/api/chat", tags=["chat"])
Chatting = Annotated[Actor, caller(Right.CHAT)]
_STREAM = stream_documented("The answer, or its events.", 'event: text\ndata: {"text":"你好"}\n\n')


@router.post("", response_model=ChatAnswer, responses=_STREAM | documented(404, 409, 422))
async def chat(request: Request, actor: Chatting, given: ChatRequest) -> Any:
    """Say something and have the answer: as JSON once it is whole, or as events while it comes.

    The events are `start`, `text`, `tool`, `skill`, `approval`, and at the end `done` with the answer, or `error`.
    """
    desk: Desk = request.app.state.desk
    taken = await accepted(desk, actor, given)
    if given.stream or wants_stream(request):
        return EventStream(_written(desk, actor, taken))
    return await _answer(desk, actor, taken)


async def _answer(desk: Desk, actor: Actor, taken: Accepted) -> ChatAnswer:
    answering = Answering()
    async with aclosing(batches(desk, actor, taken.run.id, taken.from_seq)) as follow:
        async for batch in follow:
            for event in batch:
                answering.take(event)
    if isinstance(answering.ending, RunFailed):
        raise TurnFailedError(answering.ending)
    return await _whole(desk, actor, taken, answering)


async def _written(desk: Desk, actor: Actor, taken: Accepted) -> AsyncGenerator[bytes, None]:
    answering = Answering()
    about = {"conversation_id": taken.session_id, "run_id": taken.run.id, "rejoined": not taken.fresh}
    yield named_frame("start", about)
    try:
        async with aclosing(batches(desk, actor, taken.run.id, taken.from_seq)) as follow:
            async for batch in follow:
                told = [named for event in batch for named in spell(event, answering.take(event), answering)]
                if told:
                    yield b"".join(named_frame(name, value) for name, value in told)
        if not isinstance(answering.ending, RunFailed):
            answer = await _whole(desk, actor, taken, answering)
            yield named_frame("done", answer.model_dump(mode="json", exclude_none=True))
    except WeftError as error:
        yield named_frame("error", {"code": error.code, "message": error.detail})


async def _whole(desk: Desk, actor: Actor, taken: Accepted, answering: Answering) -> ChatAnswer:
    async with desk.engine.database.transaction(actor) as tx:
        session = await SessionService(tx).get(taken.session_id)
    return ChatAnswer.of(
        answering,
        conversation_id=taken.session_id,
        run_id=taken.run.id,
        skill=session.skill,
        scenario=session.scenario,
    )
