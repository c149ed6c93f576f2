"""What each call was sent: stored with the step that made it, compared with the call before it, shown afterwards."""

from collections.abc import Sequence
from datetime import date
from functools import partial
from typing import Any
from uuid import UUID

import orjson

from weft.calls.cache_alarms import Compared, watch
from weft.calls.context_memory import MEMORY, ContextMemory, Kept
from weft.calls.repository import ContextRepository, NewContext
from weft.calls.shared_prefixes import PREFIXES, SharedPrefixes, Whose
from weft.context.blocks import text_hash
from weft.context.compiling import Compiled
from weft.context.prefix import Segment, Sent
from weft.kit import clock
from weft.kit.db import Transaction


class ContextService:
    """What calls were sent, on behalf of the transaction's actor."""

    def __init__(self, tx: Transaction, memory: ContextMemory = MEMORY, prefixes: SharedPrefixes = PREFIXES) -> None:
        self._tx = tx
        self._contexts = ContextRepository(tx.session)
        self._memory = memory
        self._prefixes = prefixes

    async def record(self, call_ids: Sequence[UUID], compiled: Compiled) -> None:
        """Store what these calls were sent: several, where a vendor had to be asked again.

        One round trip, with only those texts that are not stored yet. Calls that the ledger does not know, or that
        have been recorded, are passed over; so a step may be written again.
        """
        actor = self._tx.actor
        if not call_ids or actor.business_id is None:
            return
        sent, day = compiled.sent, clock.now().date()
        hashes = tuple(text_hash(segment.text) for segment in sent.segments)
        whose = Whose(actor.business_id, actor.owner_id, compiled.manifest.model)
        anyone = self._prefixes.common(whose, sent, hashes, compiled.manifest.entries)
        new = self._memory.unknown(actor.owner_id, hashes, day)
        texts = dict(zip(hashes, (segment.text for segment in sent.segments), strict=True))
        rows = await self._contexts.record(
            actor.business_id,
            actor.owner_id,
            NewContext(
                call_ids,
                hashes,
                orjson.dumps([(each.name, each.tokens, each.stable) for each in sent.segments]).decode(),
                compiled.manifest.dump().decode(),
                compiled.manifest.window[0],
                anyone // compiled.manifest.expected.unit * compiled.manifest.expected.unit,
                day,
                new,
                [texts[each] for each in new],
            ),
        )
        if rows:
            self._tx.after_commit(partial(self._recorded, whose, compiled, hashes, day, rows))

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

    async def _recorded(
        self, whose: Whose, compiled: Compiled, hashes: tuple[str, ...], day: date, rows: Sequence[Any]
    ) -> None:
        """It is committed: from now on it is known to be stored, and the next call is compared with it."""
        manifest, sent = compiled.manifest, compiled.sent
        self._memory.note_stored(whose.user_id, hashes, day)
        self._prefixes.note(whose, sent, hashes, manifest.entries)
        last = rows[-1]
        if last["session_id"] is not None:
            kept = Kept(last["id"], sent, sum(len(segment.text) for segment in sent.segments))
            self._memory.note_last(last["session_id"], kept)
        for row in rows:
            if row["is_new"]:
                watch(Compared.of(row, manifest.expected, manifest.window[0]))

    async def _sent(self, row: Any) -> Sent:
        texts = await self._contexts.texts(row["user_id"], row["hashes"])
        segments = zip(row["segments"], row["hashes"], strict=True)
        return Sent(tuple(Segment(name, texts[each], tokens, stable) for (name, tokens, stable), each in segments))
