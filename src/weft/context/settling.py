"""What stands in a conversation's prefix stays as it was sent, for as long as the prefix stands.

A file or memory that changes in mid-conversation keeps its old place, and the change travels as a note with the turn's
data; rewritten in place it would cost the whole conversation after it at the full price. The data of earlier turns
stays where it was sent, and what tools gave stays whole.

All of that goes when the prefix is written anew, and the history is cut back in the same step: when the window is
full, at a skill switch, in a new session, after a change of anything that stands before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from weft.context.blocks import SCOPES, Block, Scope, text_hash
from weft.context.notes import note_of
from weft.context.prefix import as_json
from weft.context.recipes import Recipe
from weft.context.revisions import Standing
from weft.context.turn_data import NOTE, only_new
from weft.context.window import History, Window, cut_back, may_begin, window
from weft.llm.types import ToolSpec


@dataclass(frozen=True, slots=True)
class Settled:
    """The blocks and the history as a call shows them, and what the next call goes by."""

    standing: Standing
    blocks: tuple[Block, ...]
    seen: Window
    earlier: Mapping[str, tuple[Block, ...]] = field(default_factory=dict)  # what stands with messages already


def settle(
    standing: Standing | None, recipe: Recipe, history: History, blocks: Sequence[Block], tools: Sequence[ToolSpec] = ()
) -> Settled:
    """As the prefix has it, with notes for what has changed since; or all as it is now, where it is written anew."""
    keeping = {block.id: block for block in blocks if _keeps_place(recipe, block)}
    key = _key(recipe, [block for block in blocks if block.id not in keeping], tools)
    if standing is None:
        seen = window(history, recipe.texts)
        return Settled(Standing(key, keeping, seen.start, seen.end), tuple(blocks), seen)
    notes = (
        _notes(standing, keeping) if standing.key == key and may_begin(history, recipe.texts, standing.start) else None
    )
    if notes is None:
        return anew(recipe, history, blocks, tools)
    now = [standing.blocks.get(block.id, block) for block in blocks] + notes
    seen = window(history, recipe.texts, standing.start)
    before = {name: given for name, given in standing.turns.items() if name != turn_of(seen)}
    return Settled(standing, only_new(now, before), seen, standing.turns)


def anew(recipe: Recipe, history: History, blocks: Sequence[Block], tools: Sequence[ToolSpec] = ()) -> Settled:
    """Everything as it is now, and no more of the history than is guaranteed: it is all read anew in any case."""
    keeping = {block.id: block for block in blocks if _keeps_place(recipe, block)}
    key = _key(recipe, [block for block in blocks if block.id not in keeping], tools)
    seen = cut_back(history, recipe.texts)
    return Settled(Standing(key, keeping, seen.start, seen.end), tuple(blocks), seen)


def remembering(settled: Settled, sent: Sequence[Block]) -> Standing:
    """What stands once this turn's data was sent with the user's message."""
    turn = turn_of(settled.seen)
    if not turn or turn in settled.standing.turns:
        return settled.standing
    return replace(settled.standing, turns={**settled.standing.turns, turn: tuple(sent)})


def turn_of(seen: Window) -> str:
    """The user's message that is being answered; nothing where no user typed."""
    return seen.turn[0].id if seen.turn and seen.turn[0].kind == "user_input" else ""


def _keeps_place(recipe: Recipe, block: Block) -> bool:
    position = recipe.slot_of(block)
    return position is not None and recipe.slots[position].keeps_place


def _key(recipe: Recipe, others: Sequence[Block], tools: Sequence[ToolSpec]) -> str:
    prefix = [block.id + block.hash for block in others if SCOPES[block.scope] < SCOPES[Scope.STAGE]]
    schemas = [as_json([tool.name, tool.description, tool.parameters]) for tool in tools]
    return text_hash("\n".join([str(recipe.phase), *schemas, *prefix]))


def _notes(standing: Standing, keeping: Mapping[str, Block]) -> list[Block] | None:
    """What has changed since the prefix was written; None where saying so is not worth it, or no longer true."""
    if [*standing.blocks] != [*keeping]:
        return None  # a file that came or went
    notes: list[Block] = []
    for name, block in keeping.items():
        if (old := standing.blocks[name]) != block:
            note = note_of(old, block)
            if note is None:
                return None
            notes.append(note)
    told = {block.id for given in standing.turns.values() for block in given if block.id.startswith(NOTE)}
    return notes if told <= {note.id for note in notes} else None  # a change that was told and taken back
