"""What a run comes to for somebody who wants its answer: the words, the tools, what is asked, and what it cost."""

from dataclasses import dataclass, field
from decimal import Decimal

from weft.gateways.texts import reaches, unseen
from weft.state import events as told

PARAGRAPH = "\n\n"  # between texts that were shown one after the other


@dataclass(slots=True)
class ToolSeen:
    """A tool call, and what became of it."""

    id: str
    name: str
    arguments: str
    frontend: bool = False
    status: str | None = None
    result: str | None = None


@dataclass(slots=True)
class _Text:
    kind: told.TextKind
    length: int = 0


@dataclass(slots=True)
class Spent:
    """Tokens and money; `cost` leaves out the calls that no price is known for, which `unpriced` counts."""

    calls: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal = Decimal(0)
    unpriced: int = 0
    currency: str | None = None

    def add(self, call: told.CallMade) -> None:
        """Count a call."""
        self.calls += 1
        self.input_tokens += call.input_tokens
        self.cached_input_tokens += call.cached_input_tokens
        self.output_tokens += call.output_tokens
        self.currency = call.currency
        if call.cost is None:
            self.unpriced += 1
        else:
            self.cost += Decimal(call.cost)


@dataclass(slots=True)
class Answering:
    """Follows one run."""

    pieces: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    tools: dict[str, ToolSeen] = field(default_factory=dict)
    approvals: dict[str, told.ApprovalAsked] = field(default_factory=dict)
    spent: Spent = field(default_factory=Spent)
    incomplete: bool = False
    ending: told.RunPaused | told.RunFinished | told.RunFailed | None = None
    _texts: dict[str, _Text] = field(default_factory=dict)
    _between: bool = False  # another text has begun: it stands apart from the one before

    @property
    def text(self) -> str:
        """All that was said to the user."""
        return "".join(self.pieces)

    @property
    def waiting_for(self) -> list[told.ApprovalAsked]:
        """What somebody has to decide."""
        pending = self.ending.pending if isinstance(self.ending, told.RunPaused) else ()
        return [self.approvals[each] for each in pending if each in self.approvals]

    def take(self, event: told.Event) -> str:
        """Follow an event; what is new of the answer."""
        match event:
            case told.TextGrew():
                return self._grow(event)
            case told.TextStarted():
                self._texts[event.message_id] = _Text(event.kind)
                self._between = self._between or (event.kind == "answer" and bool(self.pieces))
            case told.TextEnded():
                self.incomplete = event.incomplete
            case told.ToolCalled():
                self.tools[event.call_id] = ToolSeen(event.call_id, event.name, event.arguments, event.frontend)
            case told.ToolEnded():
                self._ended(event)
            case told.ApprovalAsked():
                self.approvals[event.approval_id] = event
            case told.CallMade():
                self.spent.add(event)
            case told.RunPaused() | told.RunFinished() | told.RunFailed():
                self.ending = event
            case _:
                pass
        return ""

    def _grow(self, event: told.TextGrew) -> str:
        text = self._texts.get(event.message_id)
        if text is None:
            return ""
        new, text.length = unseen(event, text.length), reaches(event, text.length)
        if text.kind == "reasoning":
            self.thoughts.append(new)
            return ""
        if new and self._between:
            new, self._between = PARAGRAPH + new, False
        self.pieces.append(new)
        return new

    def _ended(self, event: told.ToolEnded) -> None:
        seen = self.tools.setdefault(event.call_id, ToolSeen(event.call_id, event.name, "{}"))
        seen.status, seen.result = event.status, event.content
