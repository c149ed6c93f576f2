"""The compiler: blocks, history and tools in; messages, and the manifest of what they are made of, out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weft.context.assembly import Assembled, Parts, assemble, tool_json
from weft.context.blocks import Block, Scope, Trust, text_hash
from weft.context.conversation import SHORT_RESULT, TEXTS
from weft.context.cutting import Fitted
from weft.context.errors import DoesNotFitError
from weft.context.fitting import Fitting
from weft.context.manifest import Counter, Entry, Manifest, Place, entry_of, tool_entry
from weft.context.markers import marked
from weft.context.prefix import Sent, expectation
from weft.context.recipes import Recipe
from weft.context.revisions import Standing
from weft.context.settling import anew, remembering, settle, turn_of
from weft.context.turn_data import parted
from weft.context.window import History, Window, shrunk
from weft.llm.ports import ModelCard
from weft.llm.types import ToolSpec

SAFETY = 0.9  # of a model's window: counts without its vocabulary are a few per cent off
ANSWER = 4_096  # tokens kept free for the answer where the card does not say


@dataclass(frozen=True, slots=True)
class Compiled:
    """A prompt ready to send; `sent` and `standing` are what the next call of the conversation is compared with."""

    messages: list[dict[str, Any]]
    tools: tuple[ToolSpec, ...]
    manifest: Manifest
    sent: Sent
    standing: Standing


def compile_context(
    recipe: Recipe,
    blocks: Sequence[Block],
    history: History,
    tools: Sequence[ToolSpec],
    card: ModelCard,
    counter: Counter,
    *,
    last: Sent | None = None,
    standing: Standing | None = None,
) -> Compiled:
    """Compile one call. The same arguments give the same bytes, in every process.

    `last` and `standing` are those of the conversation's last call, where there was one; without `last` nothing is
    expected of the cache, without `standing` every block stands as it is now.
    """
    chosen = tuple(sorted(tools, key=lambda tool: tool.name))
    tool_tokens = counter.raw_count_messages(card.name, (), chosen) - counter.raw_count_messages(card.name, ())
    fitting = Fitting(recipe, tool_tokens, card.name, counter)
    settled = settle(standing, recipe, history, blocks, chosen)
    if fitting.is_crowded(settled):
        # What stands with earlier messages leaves no room for what is wanted now: it goes, and the prefix with it.
        settled = anew(recipe, history, blocks, chosen)
    fitted, unwanted = fitting.fitted(settled)
    earlier = fitting.standing(settled)
    sent = earlier.get(turn_of(settled.seen), ())
    turn = parted(fitted, sent, late=card.abilities.late_system_message)
    parts = Parts(tuple(fitted), turn, earlier, settled.standing.read, chosen, tool_tokens, card, counter)
    made, seen, why = _within_window(parts, recipe, history, settled.seen)
    manifest = Manifest(
        recipe.name,
        card.name,
        (*_entries(made, parts), *_unwanted(unwanted, recipe), *why),
        fitting.spent(fitted, settled),
        dict(recipe.budgets),
        recipe.expected,
        made.sent.total,
        (seen.start, sum(message.kind in TEXTS for message in seen.earlier)),
        expectation(made.sent, last, card.abilities.cache_unit),
    )
    messages = made.messages
    if card.abilities.prompt_cache_markers:
        messages = marked(messages, made.stable_text, made.history_end)
    return Compiled(messages, chosen, manifest, made.sent, remembering(settled, turn.stays))


def _within_window(
    parts: Parts, recipe: Recipe, history: History, seen: Window
) -> tuple[Assembled, Window, list[Entry]]:
    """The prompt within the model's own window, the history giving way: first its length, then its tool results."""
    card = parts.card
    room = int(card.context_window * SAFETY) - min(card.max_output or ANSWER, card.context_window // 4)
    made = assemble(parts, seen)
    if made.sent.total <= room:
        return made, seen, []
    why = f"{made.sent.total} tokens, and {card.name} has room for {room}"
    least = shrunk(history, recipe.texts)
    made = assemble(parts, least)
    if made.sent.total > room:
        made = assemble(parts, least, longest_result=SHORT_RESULT)
        why += f"; tool results were shortened to {SHORT_RESULT} characters"
    if made.sent.total > room:
        system = sum(each.tokens for each in parts.fitted if each.state != "dropped") + parts.tool_tokens
        raise DoesNotFitError("history", made.sent.total - system, room - system, card.name)
    cut = Entry("history", "messages", Trust.USER, Scope.SESSION, "history", 0, text_hash(why), "shortened", why)
    return made, least, [cut]


def _entries(made: Assembled, parts: Parts) -> list[Entry]:
    model, counter = parts.card.name, parts.counter
    written = [(tool, tool_json(tool)) for tool in parts.tools]
    entries = [tool_entry(tool, counter.raw_count(model, text), text_hash(text)) for tool, text in written]
    dropped: list[tuple[Fitted, Place]] = [(each, "nowhere") for each in parts.fitted if each.state == "dropped"]
    for each, place in (*made.placed, *dropped):
        block = each.block
        whole = each.whole_tokens if each.state != "whole" else None
        entries.append(
            Entry(
                block.id,
                block.source,
                block.trust,
                block.scope,
                place,
                each.tokens,
                block.hash,
                each.state,
                each.why,
                whole,
            )
        )
    return entries + made.history_entries


def _unwanted(blocks: Sequence[Block], recipe: Recipe) -> list[Entry]:
    return [entry_of(block, "nowhere", 0, "unwanted", f"{recipe.name} has no place for it") for block in blocks]
