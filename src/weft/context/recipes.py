"""Recipes: which blocks a phase and a stage want, in which position, and what they may cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

from weft.context.blocks import SCOPES, Block, Scope
from weft.context.errors import ContextError

# The purses: the system text with the tools and the cases, workspace files with what else the user keeps, and what
# earlier stages and a search of the memory found.
PROMPT, FILES, FOUND = "prompt", "files", "found"

LONGEST_PERSONA = 4_500  # tokens


class Cut(StrEnum):
    """What may happen to a block that does not fit."""

    NEVER = "never"
    TRIM = "trim"  # it loses its end after all others did, and is never dropped
    SHORTEN = "shorten"  # the same, but it is dropped where hardly anything would be left
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for one block, or for all whose id matches a pattern (`file/*`), in the order they are given."""

    id: str
    cut: Cut = Cut.NEVER
    purse: str = PROMPT
    limit: int | None = None  # tokens that each of its blocks may have at most
    required: bool = False
    keeps_place: bool = False  # a change in mid-conversation travels as a note (see `settling`)
    fleeting: bool = False  # of this call alone: never left standing with the user's message

    def takes(self, name: str) -> bool:
        """Whether a block of this id stands here."""
        return name == self.id or (self.id[-1] == "*" and name.startswith(self.id[:-1]))


@dataclass(frozen=True, slots=True)
class Recipe:
    """What one kind of prompt is made of; within a scope, blocks stand in the order of their slots."""

    name: str
    phase: int
    slots: tuple[Slot, ...]
    texts: int  # of history that are guaranteed; the window grows to twice that
    budgets: Mapping[str, int]
    expected: int  # tokens of the first purse that are usual
    unwanted_scopes: frozenset[Scope] = field(default_factory=frozenset)

    def for_stage(self, stage: str) -> "Recipe":
        """The same for a stage of a turn: what differs is the stage's block, so that all stages share a prefix."""
        return replace(self, name=f"{self.name}/{stage}")

    def slot_of(self, block: Block) -> int | None:
        """The position of a block, or None where the recipe does not want it."""
        if block.scope in self.unwanted_scopes:
            return None
        return next((index for index, slot in enumerate(self.slots) if slot.takes(block.id)), None)

    def place(self, blocks: Sequence[Block]) -> tuple[list[tuple[Block, Slot]], list[Block]]:
        """The blocks in the order of the prompt, and those that the recipe does not want."""
        taken: list[tuple[int, int, int, Block]] = []
        left: list[Block] = []
        for given, block in enumerate(blocks):
            position = self.slot_of(block)
            if position is None:
                left.append(block)
            else:
                taken.append((SCOPES[block.scope], position, given, block))
        placed = [(block, self.slots[position]) for _, position, _, block in sorted(taken, key=lambda each: each[:3])]
        self._check(placed)
        return placed, left

    def _check(self, placed: Sequence[tuple[Block, Slot]]) -> None:
        names = [block.id for block, _ in placed]
        if doubled := sorted({name for name in names if names.count(name) > 1}):
            raise ContextError(f"{self.name}: block {doubled[0]} was given twice", field=doubled[0])
        filled = {slot.id for _, slot in placed}
        for slot in self.slots:
            if slot.required and slot.id not in filled:
                raise ContextError(f"{self.name}: the block {slot.id} is missing", field=slot.id)


_SLOTS = (
    Slot("policy", required=True),
    Slot("guidelines"),
    Slot("runtime"),
    Slot("opening"),  # the instructions that a turn begins with; those of a later stage stand in `stage`
    Slot("skills"),
    Slot("catalogue"),
    Slot("always/*", Cut.DROP, FILES),  # half a skill misleads
    # The core in its short form, or the skill's expert. After all that is the same for every skill, so that a switch
    # leaves that in the cache.
    Slot(
        "persona", Cut.TRIM, limit=LONGEST_PERSONA, required=True
    ),  # skills of other agents may be longer than any prompt
    Slot("own_skill/use"),  # before the user's own skill
    # A user may write as much as they like there, and the conversation must go on.
    Slot("own_skill", Cut.SHORTEN, limit=3_000),
    Slot("own_skill/procedure", Cut.SHORTEN, limit=1_000),
    Slot("sop"),
    Slot("tool_rules"),
    Slot("user_context/policy", required=True),  # before the data that it speaks of
    Slot("user_context/profile", Cut.TRIM, required=True),
    Slot("user_context/use"),
    Slot("profile_fields/*", Cut.SHORTEN),
    Slot("skill_data", Cut.SHORTEN),
    Slot("skills/own"),
    Slot("catalogue/own", Cut.SHORTEN, FILES),
    Slot("soul"),  # before the files that it speaks of
    Slot("file/*", Cut.SHORTEN, FILES, keeps_place=True),
    Slot("memory", Cut.SHORTEN, FILES, keeps_place=True),  # after the files: it changes more often than they
    Slot("execution_context"),
    Slot("place"),  # channel and chat
    Slot("missing"),  # data that the skill needs and the user has not given
    Slot("stage"),
    Slot("stage_input", Cut.SHORTEN, FOUND),
    Slot("time"),
    Slot("note/*"),  # small by construction
    Slot("cases", Cut.SHORTEN, limit=1_500),
    Slot("recall", Cut.SHORTEN, FOUND, limit=800, fleeting=True),  # what the user forgets is gone at once
)
_PHASE_2_ONLY = ("sop", "tool_rules", "profile_fields/*", "skill_data", "missing", "cases")

PHASE_1 = Recipe(
    "phase1",
    1,
    tuple(slot for slot in _SLOTS if slot.id not in _PHASE_2_ONLY),
    texts=5,
    # Three times what is usual: tools that an operator or a client adds must not be what ends every conversation.
    budgets=MappingProxyType({PROMPT: 6_000, FILES: 2_000, FOUND: 3_000}),
    expected=2_000,
    unwanted_scopes=frozenset({Scope.SKILL}),  # SKILL-1: whatever a caller hands over, no skill's block stands here
)
PHASE_2 = Recipe(
    "phase2",
    2,
    _SLOTS,
    texts=10,
    budgets=MappingProxyType({PROMPT: 8_000, FILES: 2_000, FOUND: 3_000}),
    expected=6_000,
)
