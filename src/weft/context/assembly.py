"""Puts fitted blocks and the shown history together as messages, and names every stretch of them.

System text: blocks by scope, the stage last where the model takes no late system message. Then the history, earlier
turns with the data that was sent with them. Then the turn: the user's message with the turn's data before the words,
and the calls made so far with their results. Last what is of this call alone and the stage's instructions, so that all
the stages of a turn, all the calls of a stage and the next turn share everything before them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from weft.context.blocks import Scope, Trust, text_hash
from weft.context.conversation import LONGEST_RESULT, READ_RESULT, Message, Stored, chat_messages, user_message
from weft.context.cutting import Fitted
from weft.context.manifest import Counter, Entry, Place
from weft.context.prefix import Segment, Sent, as_json, message_segments
from weft.context.turn_data import TurnData
from weft.context.window import Window
from weft.llm.ports import ModelCard
from weft.llm.types import ToolSpec

_TRUST_OF_ROLE = {"user": Trust.USER, "assistant": Trust.EXTERNAL, "tool": Trust.EXTERNAL}
_PREFIX = frozenset({Scope.GLOBAL, Scope.SKILL, Scope.USER, Scope.SESSION})
_STAGE = frozenset({Scope.STAGE})


@dataclass(frozen=True, slots=True)
class Parts:
    """All that a prompt is put together from, but the history."""

    fitted: tuple[Fitted, ...]
    turn: TurnData
    earlier: Mapping[str, tuple[Fitted, ...]]  # data that stands with earlier messages, by their ids
    read: int  # the number of the first text said since the prefix was written
    tools: tuple[ToolSpec, ...]
    tool_tokens: int
    card: ModelCard
    counter: Counter

    def kept(self, scopes: frozenset[Scope]) -> list[Fitted]:
        """The blocks of these scopes that were not dropped."""
        return [each for each in self.fitted if each.state != "dropped" and each.block.scope in scopes]


@dataclass(slots=True)
class Assembled:
    """The messages, and what is known of their parts."""

    messages: list[Message] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    placed: list[tuple[Fitted, Place]] = field(default_factory=list)
    history_entries: list[Entry] = field(default_factory=list)
    stable_text: str = ""  # the beginning of the system text that stays from call to call
    history_end: int = 0  # how many messages there are before the present turn

    @property
    def sent(self) -> Sent:
        """The call as a vendor reads it."""
        return Sent(tuple(self.segments))


def assemble(parts: Parts, seen: Window, *, longest_result: int = LONGEST_RESULT) -> Assembled:
    """The whole prompt."""
    made = Assembled()
    for tool, tokens in zip(parts.tools, _tool_tokens(parts), strict=True):
        made.segments.append(Segment(f"tool/{tool.name}", tool_json(tool), tokens, stable=True))
    _system(made, parts)
    data = {name: [each.block.text for each in given] for name, given in parts.earlier.items()}
    before, since = seen.split(parts.read)
    for name, message in (
        # What tools gave before the prefix was written has been answered: its beginning and end are enough.
        *chat_messages(before, parts.card, data, longest_result=READ_RESULT),
        *chat_messages(since, parts.card, data, longest_result=longest_result),
    ):
        _message(made, parts, name, message, "history", parts.earlier.get(name, ()))
    made.history_end = len(made.messages)
    _turn(made, parts, seen.turn, longest_result)
    stage = parts.kept(_STAGE) if parts.card.abilities.late_system_message else []
    if late := [*parts.turn.late, *stage]:
        _blocks(made, parts, late, "late", "stage")
    return made


def tool_json(tool: ToolSpec) -> str:
    """A tool as it is written in a request."""
    return as_json({"name": tool.name, "description": tool.description, "parameters": tool.parameters})


def _system(made: Assembled, parts: Parts) -> None:
    stable = parts.kept(_PREFIX)
    stage = [] if parts.card.abilities.late_system_message else parts.kept(_STAGE)
    made.stable_text = "\n\n".join(each.block.text for each in stable)
    if stable or stage:
        _blocks(made, parts, [*stable, *stage], "system", "system")


def _blocks(made: Assembled, parts: Parts, fitted: Sequence[Fitted], place: Place, name: str) -> None:
    """One system message made of blocks."""
    text = "\n\n".join(each.block.text for each in fitted)
    message: Message = {"role": "system", "content": text}
    blocks = [(each.block.id, each.block.text, each.tokens, each.block.scope in _PREFIX) for each in fitted]
    made.segments += message_segments(name, message, _frame(parts), blocks, stable=False)
    made.messages.append(message)
    made.placed += [(each, place) for each in fitted]


def _turn(made: Assembled, parts: Parts, turn: Sequence[Stored], longest_result: int) -> None:
    """The present turn: its data in the user's message, or alone where no user typed (a cron run)."""
    data = parts.turn.here
    asked = turn[0] if turn and turn[0].kind == "user_input" else Stored("turn", "user_input", None)
    made.placed += [(each, "turn") for each in data]
    if data or asked.content or asked.images or asked.files:
        message = user_message(asked, parts.card, [each.block.text for each in data])
        _message(made, parts, asked.id, message, "turn", data)
    for name, message in chat_messages(turn[1:], parts.card, longest_result=longest_result):
        _message(made, parts, name, message, "turn")


def _message(
    made: Assembled, parts: Parts, name: str, message: Message, place: Place, data: Sequence[Fitted] = ()
) -> None:
    count = parts.counter.raw_count_messages
    tokens = count(parts.card.name, [message]) - count(parts.card.name, ())
    written = as_json(message)
    stays = not any(each.slot.fleeting for each in data)
    made.segments.append(Segment(f"message/{name}", "\n" + written, tokens, stays))
    made.messages.append(message)
    scope = Scope.SESSION if place == "history" else Scope.TURN
    if place == "history":
        made.history_entries += [_with(name, each) for each in data]
    own = max(0, tokens - sum(each.tokens for each in data))
    trust = _TRUST_OF_ROLE[message["role"]]
    source = f"messages:{message['role']}"
    made.history_entries.append(Entry(f"message/{name}", source, trust, scope, place, own, text_hash(written)))


def _with(name: str, each: Fitted) -> Entry:
    """The entry of a block that stands with an earlier message."""
    block = each.block
    of = f"message/{name}/{block.id}"
    return Entry(of, block.source, block.trust, Scope.SESSION, "history", each.tokens, block.hash)


def _frame(parts: Parts) -> int:
    """What a vendor puts around one message."""
    count: Any = parts.counter.raw_count_messages
    empty: int = count(parts.card.name, [{"role": "system", "content": ""}]) - count(parts.card.name, ())
    return empty


def _tool_tokens(parts: Parts) -> list[int]:
    """The tokens of each tool; what introduces them all is counted with the first."""
    each = [parts.counter.raw_count(parts.card.name, tool_json(tool)) for tool in parts.tools]
    return [parts.tool_tokens - sum(each[1:]), *each[1:]] if each else []
