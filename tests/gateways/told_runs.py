"""Runs as they are told, made up: every way in which one can go, in the order in which the engine tells of it."""

import json
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from weft.state import events as told
from weft.state.events import Event
from weft.state.json_patch import json_patch

FRONTEND = frozenset({"show_chart", "pick_file"})
_NAMES = ("use_skill", "read_file", "write_file", "compute", "show_chart", "pick_file")
_words = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), min_size=1, max_size=12)


@dataclass
class Told:
    """A run's events, under the numbers that they are stored with, and how it ends."""

    events: list[tuple[int, Event]] = field(default_factory=list)
    pauses: list[int] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)

    def add(self, event: Event) -> None:
        self.events.append((len(self.events) + 1, event))

    @property
    def plain(self) -> list[Event]:
        return [event for _, event in self.events]


@dataclass
class _Making:
    draw: Any
    told: Told
    number: int = 0
    unanswered: dict[str, str] = field(default_factory=dict)

    def name(self, kind: str) -> str:
        self.number += 1
        return f"{kind}{self.number}"

    def text(self, kind: str, *, end: bool = True) -> str:
        name, length = self.name("m"), 0
        self.told.add(told.TextStarted(name, kind))  # type: ignore[arg-type]
        for piece in self.draw(st.lists(_words, max_size=4)):
            overlap = self.draw(st.integers(0, min(3, length))) if self.draw(st.booleans()) else 0
            said = self._said.get(name, "")
            self.told.add(told.TextGrew(name, length - overlap, said[length - overlap :] + piece))
            self._said[name] = said + piece
            length += len(piece)
        if end:
            self.told.add(told.TextEnded(name, incomplete=self.draw(st.booleans())))
        return name

    _said: dict[str, str] = field(default_factory=dict)

    def call(self, message_id: str) -> None:
        name = self.draw(st.sampled_from(_NAMES))
        call_id = self.name("c")
        arguments = self.draw(st.sampled_from(["", "{}", json.dumps({"path": "资料.md", "n": 3})]))
        self.told.add(told.ToolCalled(call_id, name, arguments, message_id, name in FRONTEND))
        self.unanswered[call_id] = name

    def answer_all(self, *, but: int = 0) -> None:
        backend = [call for call, name in self.unanswered.items() if name not in FRONTEND]
        for call_id in backend[: len(backend) - but]:
            status = self.draw(st.sampled_from(["succeeded", "failed", "denied", "unknown"]))
            result = told.ToolEnded(call_id, self.unanswered.pop(call_id), status, self.draw(_words), self.name("r"))
            self.told.add(result)

    def change_state(self) -> None:
        view = {
            **self.told.state,
            "usage": {"prompt_tokens": self.draw(st.integers(0, 9)), "completion_tokens": 1, "total_tokens": 9},
            "todos": [{"id": str(at), "status": "pending"} for at in range(self.draw(st.integers(0, 3)))],
        }
        if self.draw(st.booleans()):
            view["skill"] = self.draw(st.sampled_from(["tarot", "bazi"]))
        else:
            view.pop("skill", None)
        if changes := json_patch(self.told.state, view):
            self.told.add(told.StateChanged(tuple(changes)))
        self.told.state = view

    def aside(self) -> None:
        call = told.CallMade(self.name("p"), "intent", "deepseek-chat", 12, 4, 3, self.draw(st.none() | _money), "CNY")
        action = told.ActionTaken(self.number, "intent", "a summary", 7)
        self.told.add(self.draw(st.sampled_from([call, action, told.SkillChanged("tarot"), told.SkillChanged(None)])))


_money = st.sampled_from(["0.000120", "1.5"])


@st.composite
def runs(draw: Any, state: dict[str, Any]) -> Told:
    """A run: stages, thoughts, answers, calls, pauses, another process going on, and each kind of end."""
    run = Told(state=dict(state))
    making = _Making(draw, run)
    run.add(told.RunStarted())
    for stage in draw(st.lists(st.sampled_from(["intent", "execution", "organization"]), max_size=4)):
        _stage(making, stage)
    _end(making)
    return run


def _stage(making: _Making, stage: Any) -> None:
    draw = making.draw
    making.told.add(told.StageStarted(stage))
    if draw(st.booleans()):
        making.text("reasoning")
    broken = draw(st.integers(0, 9)) == 0
    message_id = making.text("answer", end=not broken) if draw(st.booleans()) else making.name("m")
    if broken:
        making.told.add(told.RunStarted(resumed=True))
        return
    for _ in range(draw(st.integers(0, 3))):
        making.call(message_id)
        making.aside()
    making.change_state()
    if draw(st.integers(0, 3)) == 0 and any(name not in FRONTEND for name in making.unanswered.values()):
        making.told.add(told.StageEnded(stage))
        _pause(making)
        making.told.add(told.StageStarted(stage))
    making.answer_all()
    if draw(st.booleans()):
        making.told.add(told.StageEnded(stage))


def _pause(making: _Making) -> None:
    waiting = [(call, name) for call, name in making.unanswered.items() if name not in FRONTEND]
    ids = []
    for call, name in waiting:
        ids.append(making.name("a"))
        asked = told.ApprovalAsked(
            ids[-1], call, name, {"path": "x"}, "May I?", {"type": "object"}, "2026-12-01T00:00Z"
        )
        making.told.add(asked)
    making.told.add(told.RunPaused(tuple(ids)))
    making.told.pauses.append(len(making.told.events))
    making.told.add(told.RunStarted(resumed=True))
    for name, (call, _) in zip(ids, waiting, strict=True):
        making.told.add(told.ApprovalDecided(name, call, making.draw(st.sampled_from(["approved", "denied"]))))


def _end(making: _Making) -> None:
    match making.draw(st.sampled_from(["completed", "cancelled", "failed"])):
        case "completed":
            making.answer_all()
            making.text("answer")
            pending = tuple(making.unanswered)
            result = making.draw(st.sampled_from([{}, {"text": "ok"}]))
            making.told.add(told.RunFinished("completed", pending, result))
        case "cancelled":
            if making.draw(st.booleans()):
                making.text("answer", end=False)
            making.told.add(told.RunFinished("cancelled"))
        case _:
            making.told.add(told.RunFailed("model_timed_out", "the vendor took too long", "e1"))
