"""An AG-UI run as a stream of bytes: a fresh one from its beginning, one that was begun before from where it stands."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from uuid import UUID

from weft.gateways.agui.history import Transcript, shown_history
from weft.gateways.agui.input import RunAgentInput
from weft.gateways.agui.opened import Wire
from weft.gateways.agui.shared_state import first_state
from weft.gateways.agui.spelling import Spelling
from weft.gateways.following import Feed, batches, earlier
from weft.gateways.frames import frame
from weft.kit.actor import Actor
from weft.kit.errors import WeftError
from weft.kit.log import get_logger
from weft.runs.desk import Accepted, Desk
from weft.sessions.schemas import MessageView
from weft.sessions.service import SessionService
from weft.state.events import ENDS, Event

log = get_logger(__name__)
QUIET_SECONDS, PAST_SECONDS = 0.03, 0.5  # what comes within these is what had been told before
FEWEST, MOST = 200, 2_000  # messages of a conversation that are shown again


@dataclass(frozen=True, slots=True)
class Watched:
    """A run that somebody watches, as they asked for it."""

    desk: Desk
    actor: Actor
    accepted: Accepted
    given: RunAgentInput

    @property
    def modern(self) -> bool:
        """Whether the client speaks 1.0."""
        return self.given.protocol_version is not None

    @property
    def run_id(self) -> UUID:
        """The run's own id."""
        return self.accepted.run.id

    def spelling(self) -> Spelling:
        """How it is told."""
        run, given = self.accepted.run, self.given
        state = first_state(str(self.accepted.session_id), str(run.id), run.turn)
        return Spelling(given.thread_id, given.run_id, state, modern=self.modern)


async def written(watched: Watched) -> AsyncGenerator[bytes, None]:
    """The stream, whole; what goes wrong on the way is its last event."""
    spelling = watched.spelling()
    tell = _begun if watched.accepted.fresh else _joined
    yield frame(spelling.run_started)
    try:
        async with aclosing(tell(watched, spelling)) as pieces:
            async for piece in pieces:
                yield piece
    except WeftError as error:
        log.warning("stream_broken", run=str(watched.run_id), code=error.code, detail=error.detail)
        yield frame({"type": "RUN_ERROR", "message": error.detail, "code": error.code})


async def _begun(watched: Watched, spelling: Spelling) -> AsyncGenerator[bytes, None]:
    """A run that begins now, or that goes on after a pause."""
    accepted = watched.accepted
    past = await _past(watched, spelling)
    yield frame(spelling.state_snapshot)
    if accepted.from_seq:
        yield frame(await _messages(watched, past, thoughts=False))  # whoever goes on need not have been there before
    async with aclosing(batches(watched.desk, watched.actor, watched.run_id, accepted.from_seq)) as follow:
        async for batch in follow:
            if piece := _told(spelling, batch):
                yield piece


async def _joined(watched: Watched, spelling: Spelling) -> AsyncGenerator[bytes, None]:
    """A run that was begun before: what there is of it at once, and then what follows."""
    past = await _past(watched, spelling)
    async with aclosing(Feed(batches(watched.desk, watched.actor, watched.run_id, watched.accepted.from_seq))) as feed:
        ending = await _catch_up(feed, spelling.recall, past.take)
        yield frame(spelling.state_snapshot)
        yield frame(await _messages(watched, past, thoughts=True))
        yield _frames(spelling.reopened())
        if ending is not None:
            yield _told(spelling, [ending])
            return
        async for batch in feed.rest():
            if piece := _told(spelling, batch):
                yield piece


async def _past(watched: Watched, spelling: Spelling) -> Transcript:
    """What the run told before the part of it that this client asks for."""
    transcript = Transcript(modern=watched.modern)
    until = watched.accepted.from_seq
    if until:
        async with aclosing(earlier(watched.desk, watched.actor, watched.run_id, until)) as events:
            async for event in events:
                spelling.recall(event)
                transcript.take(event)
        spelling.new_part()
    return transcript


async def _catch_up(feed: Feed, *follow: Callable[[Event], None]) -> Event | None:
    """Follow what had been told until now; the event that ends it, if it has ended."""
    loop = asyncio.get_running_loop()
    until, patience = loop.time() + PAST_SECONDS, PAST_SECONDS
    while loop.time() < until and (batch := await feed.soon(patience)) is not None:
        patience = QUIET_SECONDS
        for event in batch:
            if isinstance(event, ENDS):
                return event
            for each in follow:
                each(event)
    return None


async def _messages(watched: Watched, past: Transcript, *, thoughts: bool) -> Wire:
    """The conversation as it stands. A client keeps the thoughts it has for as long as it is shown none."""
    known = watched.given.messages
    rows = max(FEWEST, min(MOST, 2 * len(known)))
    async with watched.desk.engine.database.transaction(watched.actor) as tx:
        stored: Sequence[MessageView] = await SessionService(tx).messages(watched.accepted.session_id, limit=rows)
    messages = shown_history(stored[::-1], watched.run_id, past, known)
    if not thoughts:
        messages = [message for message in messages if message["role"] != "reasoning"]
    return {"type": "MESSAGES_SNAPSHOT", "messages": messages}


def _told(spelling: Spelling, batch: Iterable[Event]) -> bytes:
    return _frames(wire for event in batch for wire in spelling.spell(event))


def _frames(wires: Iterable[Wire]) -> bytes:
    return b"".join(map(frame, wires))
