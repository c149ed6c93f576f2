"""What each call was sent: stored with the step that made it, compared with the call before it, shown afterwards."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import orjson

from weft.calls.cache_alarms import Compared, watch
from weft.calls.context_diffs import diff_of
from weft.calls.context_memory import MEMORY, ContextMemory, Kept
from weft.calls.context_schemas import ContextDiff, ContextOutline, ContextView
from weft.calls.context_views import expectation_of, outline_of, view_of
from weft.calls.errors import CallUnknownError, ContextNotKeptError
from weft.calls.repository import ContextRepository, NewContext
from weft.calls.schemas import CallTold
from weft.calls.shared_prefixes import PREFIXES, SharedPrefixes, Whose
from weft.context.asked import as_asked
from weft.context.blocks import text_hash
from weft.context.compiling import Compiled
from weft.context.markers import shapes_of
from weft.context.prefix import Segment, Sent
from weft.kit import clock
from weft.kit.db import Transaction
from weft.llm.tokens import TokenCounter

_COUNTER = TokenCounter()  # for what was added to a prompt after it was compiled
Messages = Sequence[Mapping[str, Any]]


class ContextService:
    """What calls were sent, on behalf of the transaction's actor."""

    def __init__(self, tx: Transaction, memory: ContextMemory = MEMORY, prefixes: SharedPrefixes = PREFIXES) -> None:
        self._tx = tx
        self._contexts = ContextRepository(tx.connection)
        self._memory = memory
        self._prefixes = prefixes

    async def record(
        self, call_ids: Sequence[UUID], compiled: Compiled, asked: Messages | None = None
    ) -> Mapping[UUID, CallTold]:
        """Store what these calls were sent: several, where a vendor had to be asked again. Gives how each went.

        `asked` are the messages that were sent, where more were than were compiled (the schema of an answer). It takes
        one round trip, with only those texts that are not stored yet. Calls that the ledger does not know, or that
        have been recorded, are passed over; so a step may be written again.
        """
        actor = self._tx.actor
        if not call_ids or actor.business_id is None or actor.user_id is None:
            return {}
        manifest = compiled.manifest
        messages = compiled.messages if asked is None else asked
        count = partial(_COUNTER.raw_count, manifest.model)
        sent = as_asked(compiled.sent, compiled.messages, messages, count)
        hashes = tuple(text_hash(segment.text) for segment in sent.segments)
        whose = Whose(actor.business_id, actor.owner_id, manifest.model)
        hour = clock.now().replace(minute=0, second=0, microsecond=0)
        unknown = self._memory.unknown(whose.user_id, hashes, hour)
        texts = dict(zip(hashes, (segment.text for segment in sent.segments), strict=True))
        unit = manifest.expected.unit
        new = NewContext(
            calls=call_ids,
            hashes=hashes,
            segments=orjson.dumps([(each.name, each.tokens, each.stable) for each in sent.segments]).decode(),
            manifest=manifest.dump(shapes=shapes_of(messages)).decode(),
            expected_tokens=manifest.expected.tokens,
            anyone_tokens=self._prefixes.common(whose, sent, hashes, manifest.entries) // unit * unit,
            hour=hour,
            new_hashes=unknown,
            texts=[texts[each] for each in unknown],
        )
        rows = await self._contexts.record(whose.business_id, whose.user_id, new)
        if rows:
            self._tx.after_commit(partial(self._recorded, whose, compiled, sent, hashes, hour, rows))
        return {row["id"]: CallTold(row["outcome"], _first_token_ms(row)) for row in rows}

    async def last_sent(self, session_id: UUID) -> Sent | None:
        """What the conversation's last call was sent, for the next one to be compared with."""
        call_id = await self._contexts.last_of(session_id)
        if call_id is None:
            return None
        kept = self._memory.last(session_id)
        if kept is not None and kept.call_id == call_id:
            return kept.sent
        row = await self._contexts.get(call_id)
        return None if row is None else await self._sent(row)

    async def view(self, call_id: UUID) -> ContextView:
        """All that a call was sent, and what a cache should have known of it."""
        row = await self._kept(call_id)
        return view_of(row, await self._sent(row), for_operator=self._tx.actor.operator_reach is not None)

    async def outlines(self, call_ids: Sequence[UUID]) -> dict[UUID, ContextOutline]:
        """What calls were sent, a line each, as far as it is kept."""
        return {row["call_id"]: outline_of(row) for row in await self._contexts.kept_of(call_ids)}

    async def diff(self, call_id: UUID, before_id: UUID | None = None) -> ContextDiff:
        """How a call differs from another one; without a name, from the one before it in its conversation."""
        row = await self._kept(call_id)
        if before_id is None and row["last_id"] is None:
            raise ContextNotKeptError(f"no call before {call_id} in its conversation is kept; name one to compare with")
        before = await self._kept(before_id or row["last_id"])
        unit = expectation_of(row["manifest"]).unit
        return diff_of(call_id, await self._sent(row), before["id"], await self._sent(before), unit)

    async def forget(self, session_id: UUID) -> None:
        """The conversation is being deleted: what its calls were sent goes with it, its texts with the next sweep."""
        await self._contexts.leave(self._tx.actor.owner_id, session_id, clock.now())

    async def _kept(self, call_id: UUID) -> Any:
        row = await self._contexts.get(call_id)
        if row is None:
            raise CallUnknownError(f"there is no call {call_id}")
        if row["call_id"] is None:
            raise ContextNotKeptError(
                f"what call {call_id} was sent is not kept: it was not made for a turn, or longer ago than "
                "WEFT_CONTEXT_RETENTION_DAYS, or its conversation was deleted"
            )
        return row

    async def _sent(self, row: Any) -> Sent:
        texts = await self._contexts.texts(row["user_id"], row["hashes"])
        segments = zip(row["segments"], row["hashes"], strict=True)
        return Sent(tuple(Segment(name, texts[each], tokens, stable) for (name, tokens, stable), each in segments))

    async def _recorded(
        self,
        whose: Whose,
        compiled: Compiled,
        sent: Sent,
        hashes: tuple[str, ...],
        hour: datetime,
        rows: Sequence[Any],
    ) -> None:
        """It is committed: from now on it is known to be stored, and the next call is compared with it."""
        manifest = compiled.manifest
        self._memory.note_stored(whose.user_id, hashes, hour)
        self._prefixes.note(whose, sent, hashes, manifest.entries)
        for row in rows:
            if row["is_new"]:
                watch(Compared.of(row, manifest.expected, sent))
        last = rows[-1]
        if last["is_new"] and last["session_id"] is not None:
            kept = Kept(last["id"], sent, sum(len(segment.text) for segment in sent.segments))
            self._memory.note_last(last["session_id"], kept)


def _first_token_ms(row: Any) -> int | None:
    first: datetime | None = row["first_token_at"]
    return None if first is None else round((first - row["started_at"]) / timedelta(milliseconds=1))
