"""The registry that the engine asks where a call may go."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from weft.infra.errors import ModelUnknownError, NoModelAvailableError
from weft.infra.keys import open_key
from weft.infra.metering import Limits, Meter
from weft.infra.repository import InfraRepository
from weft.infra.routing import Way, find_ways, models_named
from weft.infra.shapes import Lane
from weft.infra.snapshot import KeyEntry, ModelEntry, Snapshot, timeouts_of
from weft.kit import clock
from weft.kit.crypto import Keyring, SecretKeyError
from weft.kit.db import Database
from weft.kit.log import get_logger
from weft.llm.ports import Caller, Candidate, ModelCard
from weft.llm.types import Target

log = get_logger(__name__)
OLDEST = timedelta(seconds=30)  # where no notification says that something changed
YOUNGEST = timedelta(milliseconds=500)  # before a name is called unknown, look again unless we just have


class InfraRegistry:
    """Implements `weft.llm.ports.Registry` over the database, from a snapshot that is soon replaced.

    Let a `Listener` call `forget` for the channel `weft_infra`, and a change is seen at once; without, by age.
    """

    def __init__(self, database: Database, keyring: Keyring, *, oldest: timedelta = OLDEST) -> None:
        self._database = database
        self._keyring = keyring
        self._oldest = oldest
        self._snapshot: Snapshot | None = None
        self._generation = 0
        self._loading = asyncio.Lock()
        self._meter = Meter(database)
        self._opened: dict[tuple[UUID, bytes], str] = {}

    def __repr__(self) -> str:
        return f"InfraRegistry({self._keyring!r})"

    def forget(self, _payload: str | None = None) -> None:
        """Something has changed: look anew at the next call."""
        self._generation += 1
        self._snapshot = None
        self._opened.clear()

    async def candidates(self, alias: str, caller: Caller) -> Sequence[Candidate]:
        """The ways open to this caller, best first: assigned, enabled, within their limits."""
        snapshot = await self._current()
        try:
            return await self._candidates(snapshot, alias, caller)
        except (ModelUnknownError, NoModelAvailableError):
            if clock.now() - snapshot.taken_at < YOUNGEST:
                raise
        if self._snapshot is snapshot:  # else somebody has looked since
            self.forget()
        return await self._candidates(await self._current(), alias, caller)

    async def take(self, candidate: Candidate) -> bool:
        """Claim one call's place within the limits of the candidate's key; False if none is left."""
        key = (await self._current()).keys.get(candidate.key)
        return await self._meter.take(candidate.key, Limits() if key is None else Limits.of(key.row))

    def settle(self, candidate: Candidate) -> None:
        """The claimed call stands in the ledger now, or will never be made."""
        self._meter.settle(candidate.key)

    async def card(self, name: str) -> ModelCard:
        """What is known of the model that an alias or name stands for; of several, the one tried first."""
        return models_named(await self._current(), name)[0].card

    async def models(self) -> Sequence[ModelEntry]:
        """Every model, enabled or not."""
        return list((await self._current()).models.values())

    async def _candidates(self, snapshot: Snapshot, alias: str, caller: Caller) -> Sequence[Candidate]:
        ways = find_ways(snapshot, alias, caller)
        found: list[Candidate] = []
        reasons = list(ways.closed)
        unopened: SecretKeyError | None = None
        refused: dict[str, str | None] = {}
        for way in ways.open:
            if way.key_name not in refused:
                refused[way.key_name] = await self._limit_reached(way)
                if (why := refused[way.key_name]) is not None:
                    reasons.append(f"{way.model.reference}: key {way.key_name}: {why}")
            if refused[way.key_name] is not None:
                continue
            try:
                found.append(self._candidate(way, caller))
            except SecretKeyError as error:
                unopened, refused[way.key_name] = error, error.detail
                log.error("vendor_key_does_not_open", key=way.key_name, detail=error.detail)
        if found:
            return found
        if unopened is not None:
            raise unopened
        log.warning("no_model_available", alias=alias, reasons=reasons)
        raise NoModelAvailableError(alias, reasons)

    async def _limit_reached(self, way: Way) -> str | None:
        if way.key is None:
            return None
        return await self._meter.why_not(way.key_name, Limits.of(way.key.row))

    def _candidate(self, way: Way, caller: Caller) -> Candidate:
        vendor = way.model.vendor.row
        lane = Lane(vendor["lane"])
        through_litellm = lane is Lane.LITELLM
        target = Target(
            vendor=(vendor["litellm_provider"] or vendor["name"]) if through_litellm else vendor["name"],
            model=(way.model.card.litellm_name or way.model.card.name) if through_litellm else way.model.card.name,
            base_url=way.endpoint["base_url"],
            lane=lane.value,
            api_key="" if way.key is None else self._open(way.key),
            timeouts=timeouts_of(way.endpoint),
        )
        price = way.model.price(caller.currency, clock.now().date())
        return Candidate(way.model.card, target, way.endpoint["name"], way.key_name, price)

    def _open(self, key: KeyEntry) -> str:
        at = (key.row["id"], key.row["secret"])
        if at not in self._opened:
            self._opened[at] = open_key(self._keyring, key.row)
        return self._opened[at]

    async def _current(self) -> Snapshot:
        if (snapshot := self._young()) is not None:
            return snapshot
        async with self._loading:
            if (snapshot := self._young()) is not None:  # somebody else has looked while we waited
                return snapshot
            generation, now = self._generation, clock.now()
            async with self._database.system() as tx:
                rows = InfraRepository(tx.connection)
                await rows.at_one_moment()
                snapshot = Snapshot.of(await rows.state(), now)
            if generation == self._generation:  # nothing changed while we looked
                self._snapshot = snapshot
            return snapshot

    def _young(self) -> Snapshot | None:
        snapshot = self._snapshot
        return snapshot if snapshot is not None and clock.now() - snapshot.taken_at < self._oldest else None
