"""Every skill of an installation, as each user sees it: one for a process; the disk is read beside the event loop."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Generic, TypeVar
from uuid import UUID

import anyio.to_thread

from weft.skills.availability import Machine
from weft.skills.case_index import Match
from weft.skills.case_shelf import CaseShelf
from weft.skills.catalogue import Catalogue, Listed, Snapshot
from weft.skills.shelf import Level, Root, Shelf
from weft.skills.side_shelf import DataSchema, data_schemas, procedures

SHIPPED = Path(str(files("weft.skills") / "shipped"))
MOST_USERS, MOST_BUSINESSES = 1_000, 200  # whose shelves are held: the ones asked least recently are read again

Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True)
class Roots:
    """Where skills lie."""

    home: Path
    shipped: Path = SHIPPED

    @property
    def operator(self) -> Path:
        """The operator's, for everybody."""
        return self.home / "skills"

    def business(self, business_id: UUID) -> Path:
        """Those of one business."""
        return self.home / "businesses" / str(business_id) / "skills"

    def user(self, business_id: UUID, user_id: UUID) -> Path:
        """A user's own, in their workspace."""
        return self.home / "workspaces" / str(business_id) / str(user_id) / "skills"


@dataclass(slots=True)
class _Lately(Generic[Kept]):
    """What was asked for lately; the rest is made anew."""

    most: int
    _kept: OrderedDict[Hashable, Kept] = field(default_factory=OrderedDict, init=False)

    def get(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = make()
        self._kept.move_to_end(key)
        if len(self._kept) > self.most:
            self._kept.popitem(last=False)
        return found

    def __len__(self) -> int:
        return len(self._kept)


@dataclass(frozen=True, slots=True)
class _Common:
    """What everybody of a business sees."""

    shelves: tuple[Shelf, ...]
    catalogue: Catalogue


@dataclass(frozen=True, slots=True)
class _Own:
    """What a user sees who keeps skills; most keep none, and see the very catalogue that all others see."""

    shelf: Shelf
    catalogue: Catalogue

    def due(self) -> bool:
        return self.shelf.due() or (not self.shelf.empty and self.catalogue.due())

    def look(self, common: Snapshot, *, now: bool) -> Snapshot:
        self.shelf.look(now=now)
        return common if self.shelf.empty else self.catalogue.look(now=now)


class SkillLibrary:
    """The skills of an installation."""

    def __init__(self, home: Path, *, shipped: Path = SHIPPED, most_users: int = MOST_USERS) -> None:
        self.roots = Roots(home, shipped)
        self._machine = Machine()
        self._everybodys = (self._shelf("operator", self.roots.operator), self._shelf("shipped", shipped))
        self._businesses: _Lately[_Common] = _Lately(MOST_BUSINESSES)
        self._users: _Lately[_Own] = _Lately(most_users)
        self._cases = CaseShelf()
        self._procedures = procedures()
        self._schemas = data_schemas()

    async def look(self, business_id: UUID | None, user_id: UUID | None = None, *, now: bool = False) -> Snapshot:
        """The catalogue of a user, of a business, or of the installation: the same object until something changes."""
        common = self._common(business_id)
        own = None if business_id is None or user_id is None else self._own(common, business_id, user_id)

        def looked() -> Snapshot:
            seen = common.catalogue.look(now=now)
            return seen if own is None else own.look(seen, now=now)

        if now or common.catalogue.due() or (own is not None and own.due()):
            return await anyio.to_thread.run_sync(looked)
        return looked()

    async def match_cases(self, listed: Listed, words: str, limit: int = 5) -> list[Match]:
        """The cases of a skill that fit what somebody says, the best first."""
        if not listed.skill.cases:
            return []
        return await anyio.to_thread.run_sync(self._cases.match, listed, words, limit)

    async def sop_text(self, listed: Listed) -> str:
        """The rules of procedure of a skill; empty where it has none."""
        if not listed.skill.sop:
            return ""
        return await anyio.to_thread.run_sync(self._procedures.get, listed)

    async def data_schemas(self, business_id: UUID | None, user_id: UUID | None) -> dict[str, DataSchema]:
        """What each skill that somebody has may keep for a user, by the skill's name."""
        snapshot = await self.look(business_id, user_id)
        return await anyio.to_thread.run_sync(
            lambda: {name: self._schemas.get(listed) for name, listed in snapshot.skills.items()}
        )

    def _common(self, business_id: UUID | None) -> _Common:
        def make() -> _Common:
            own = () if business_id is None else (self._shelf("business", self.roots.business(business_id)),)
            shelves = (*own, *self._everybodys)
            return _Common(shelves, Catalogue(shelves, self._machine))

        return self._businesses.get(business_id, make)

    def _own(self, common: _Common, business_id: UUID, user_id: UUID) -> _Own:
        def make() -> _Own:
            shelf = self._shelf("user", self.roots.user(business_id, user_id))
            return _Own(shelf, Catalogue((shelf, *common.shelves), self._machine))

        return self._users.get((business_id, user_id), make)

    @staticmethod
    def _shelf(level: Level, path: Path) -> Shelf:
        """Operators link folders, of other agents for example; a user's workspace holds what a model wrote."""
        return Shelf(Root(level, path, links=level != "user"))
