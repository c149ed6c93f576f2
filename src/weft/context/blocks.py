"""The parts a prompt is compiled from: where each comes from, how far it is trusted, how long it stays the same."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from weft.context.data_block import data_block

_ID = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]{0,119}")
_TITLE = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
_HASH_LENGTH = 32  # hexadecimal digits of SHA-256: enough to tell texts apart for ever
# SAFE-1 fixes this heading and these keys; the policy that stands before it says that it is untrusted.
_LABELLED_BY_ITS_POLICY = "USER_PROFILE"


class Trust(StrEnum):
    """Who wrote a text, the highest first."""

    POLICY = "policy"
    OPERATOR = "operator"
    USER = "user"
    EXTERNAL = "external"


class Scope(StrEnum):
    """How long a text stays the same, the longest first: the order of a prompt."""

    GLOBAL = "global"
    SKILL = "skill"
    USER = "user"
    SESSION = "session"
    STAGE = "stage"
    TURN = "turn"


MAY_INSTRUCT = frozenset({Trust.POLICY, Trust.OPERATOR})
SCOPES: Mapping[Scope, int] = MappingProxyType({scope: index for index, scope in enumerate(Scope)})


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """One part of a prompt, rendered once when it is made; keep it for as long as its content stays.

    Text content is an instruction, which policy and operators alone may give; what users and others wrote can only be
    made as a mapping, and a mapping is rendered only as an escaped data block that names its trust (SAFE-4). `shrinks`
    names what may be shortened: of a mapping a value, a text from its end or a list from its last item; of an
    instruction its last lines, and then it is the file that holds them all.
    """

    id: str
    source: str
    trust: Trust
    scope: Scope
    content: str | Mapping[str, Any]
    title: str = ""
    shrinks: str = ""
    text: str = field(init=False, repr=False)
    hash: str = field(init=False)

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise ValueError(f"block id {self.id[:120]!r}: letters, digits and _ . / - only, at most 120")
        if isinstance(self.content, str):
            text = self._as_instruction(self.content)
        else:
            object.__setattr__(self, "content", canonical(self.content))
            text = self._as_data()
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "hash", text_hash(text))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Block) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[str, ...]:
        return self.id, self.source, self.trust, self.scope, self.title, self.shrinks, self.hash

    @property
    def is_data(self) -> bool:
        """Whether it is rendered as a data block."""
        return not isinstance(self.content, str)

    @property
    def values(self) -> Mapping[str, Any]:
        """The data; nothing for an instruction."""
        return {} if isinstance(self.content, str) else self.content

    def having(self, **values: Any) -> "Block":
        """The same block with other values in its data: neither its trust nor its form can change on the way."""
        return replace(self, content={**self.values, **values})

    def _as_instruction(self, content: str) -> str:
        if self.trust not in MAY_INSTRUCT:
            raise ValueError(f"block {self.id}: {self.trust} text is never an instruction; give it as a mapping")
        if self.scope is Scope.TURN:
            raise ValueError(f"block {self.id}: it would stand in the user's message, where nothing of ours instructs")
        text = "\n".join(content.strip().splitlines())
        if not text:
            raise ValueError(f"block {self.id} is empty; leave it out")
        return text

    def _as_data(self) -> str:
        if not _TITLE.fullmatch(self.title):
            raise ValueError(f"block {self.id}: data stands under a title of ours in capitals, not {self.title[:64]!r}")
        if self.shrinks and not isinstance(self.values.get(self.shrinks), str | tuple):
            raise ValueError(f"block {self.id}: {self.shrinks!r} is no text or list of its data")
        if self.title == _LABELLED_BY_ITS_POLICY and self.trust is Trust.USER:
            return data_block(self.title, self.values)
        return data_block(self.title, self.values, self.trust)


def block_id(kind: str, name: str) -> str:
    """The id of a block that is one of a kind; a name that no id may hold is known by its hash."""
    wanted = f"{kind}/{name}"
    return wanted if _ID.fullmatch(wanted) else f"{kind}/{text_hash(name)}"


def canonical(value: Any) -> Any:
    """A copy that nobody can change. Mappings keep the order of their keys only at the top, where we name them.

    What comes from a database or a library may have its inner keys in any order; the same data must give the same
    bytes whichever it was.
    """
    return MappingProxyType({key: _canonical(inner) for key, inner in value.items()})


def _canonical(value: Any) -> Any:
    if isinstance(value, Mapping):
        return MappingProxyType({key: _canonical(value[key]) for key in sorted(value)})
    if isinstance(value, list | tuple):
        return tuple(_canonical(inner) for inner in value)
    return value


def text_hash(text: str) -> str:
    """What a text is known by: the same everywhere, whatever Python's own hashes are seeded with."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]
