"""What starting and carrying on a turn costs the state, at turn 5 and at turn 5,000 of one session.

Two sessions of 5,000 turns: in one each turn brings a memory and a file, in the other none does. The turn that is
measured has the same ten actions wherever it stands: a plan of eight todos, a tool's 2,000 characters, an answer.
"""

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from bench._ground import table
from weft.kit import clock
from weft.state import todos
from weft.state.action import Action, ActionContext, Next
from weft.state.calls import ToolCall, ToolOutcome
from weft.state.changes import (
    AddChat,
    AddFiles,
    AddMemory,
    ChatEntry,
    SetTaskGoal,
    SetTodos,
    SetUserContext,
    TodosMoved,
    ToolDone,
    ToolsAsked,
    ToolStarted,
    TurnBegan,
)
from weft.state.files import OriginFile
from weft.state.json_form import load_action
from weft.state.public import delta, public_state
from weft.state.runtime import RuntimeState, advance, apply, fold
from weft.state.shared import Memory
from weft.state.snapshot import load_snapshot, record_snapshot
from weft.state.todo import CompletionDetails, Todo
from weft.state.token_usage import TokenUsage

TURNS = (5, 5_000)
LONG_TURN = 500
ROUNDS, REPEATS = 7, 300
PLAN = tuple(Todo(f"t{n}", "读取账单并求和", dependencies=(f"t{n - 1}",) if n else ()) for n in range(8))


def turn(number: int, bringing: bool) -> list[Action]:
    """The ten actions of a turn."""
    first = 10 * number - 9
    call, outcome = ToolCall("c1", "read_file", {"path": "bills.md"}), ToolOutcome("c1", "succeeded", "账" * 2_000)
    plan = todos.planned(PLAN)
    user = {"username": "小王", "ai_language": "zh-CN", "interface_language": "zh-CN", "timezone": "Asia/Shanghai"}
    memory = AddMemory((Memory(f"m{number}", "likes short answers"),))
    files = AddFiles((OriginFile(f"bills-{number}.md", "text/markdown", f"files/bills-{number}.md"),))
    usage = TokenUsage(3_000, 60, 3_060)
    return [
        Action(first, "prepare", changes=(TurnBegan("帮我看看账单"), SetUserContext(user))),
        Action(first + 1, "memory", changes=(memory, files) if bringing else ()),
        Action(first + 2, "intent", usage=usage, changes=(SetTaskGoal("sum up the bills"), ToolsAsked((call,)))),
        Action(first + 3, "planner", usage=usage, changes=(SetTodos(plan),)),
        Action(first + 4, "planner", changes=(TodosMoved(todos.changed(plan, todos.start(plan, "t0"))),)),
        Action(first + 5, "tool:read_file", changes=(ToolStarted("c1"),)),
        Action(
            first + 6,
            "tool:read_file",
            context=ActionContext("text", "bills.md"),
            next=(Next("reflection"),),
            changes=(ToolDone(outcome),),
        ),
        Action(first + 7, "reflection", summary="all there", next=(Next("report"),)),
        Action(first + 8, "report", usage=usage, changes=(AddChat((ChatEntry("assistant", "共 320 元。" * 20),)),)),
        Action(first + 9, "end"),
    ]


@dataclass
class Standing:
    """A turn of a session, as it is found in the database."""

    snapshot: bytes
    actions: list[bytes]

    def start(self) -> RuntimeState:
        return fold(load_snapshot(self.snapshot), map(load_action, self.actions[:1]))

    def resume(self) -> RuntimeState:
        return fold(load_snapshot(self.snapshot), map(load_action, self.actions))


def standings(bringing: bool) -> list[Standing]:
    """The turns that are measured, reached by folding every one before."""
    found, state = [], RuntimeState()
    for number in range(1, max(TURNS) + 1):
        snapshot = state.snapshot()
        written = list[bytes]()
        for action in turn(number, bringing):
            if number in TURNS:
                state, stored = advance(state, action)
                written.append(stored)
            else:
                state = apply(state, action)
        if number in TURNS:
            found.append(Standing(record_snapshot(snapshot).json, written))
    return found


def microseconds(*works: Callable[[], object]) -> list[float]:
    """The median of processor time for each, taken in turns so that what else the machine does hits all alike."""
    spent: list[list[float]] = [[] for _ in works]
    gc.disable()
    for _ in range(ROUNDS):
        for work, into in zip(works, spent, strict=True):
            started = time.process_time_ns()
            for _ in range(REPEATS):
                work()
            into.append((time.process_time_ns() - started) / REPEATS / 1_000)
        gc.collect()
    gc.enable()
    return [statistics.median(each) for each in spent]


def _rows(bringing: bool) -> list[tuple[object, ...]]:
    early, late = standings(bringing)
    states = [each.resume() for each in (early, late)]
    plain = [fold(load_snapshot(each.snapshot), map(load_action, each.actions[:-1])) for each in (early, late)]
    last = [load_action(each.actions[-1]) for each in (early, late)]
    done = [load_action(each.actions[6]) for each in (early, late)]
    before = [fold(load_snapshot(each.snapshot), map(load_action, each.actions[:6])) for each in (early, late)]
    measured = {
        "start a turn: read the snapshot and the first action": (early.start, late.start),
        "resume it at its end: read and fold ten actions": (early.resume, late.resume),
        "apply one action": tuple(lambda i=i: apply(plain[i], last[i]) for i in (0, 1)),
        "apply and write a tool's result": tuple(lambda i=i: advance(before[i], done[i]) for i in (0, 1)),
        "write the snapshot": tuple(lambda i=i: record_snapshot(states[i].snapshot()) for i in (0, 1)),
    }
    rows: list[tuple[object, ...]] = []
    for name, works in measured.items():
        first, second = microseconds(*works)
        rows.append((name, first, second, second / first))
    sizes = [sum(map(len, each.actions)) for each in (early, late)]
    rows.append(("bytes written in a turn", *sizes, sizes[1] / sizes[0]))
    rows.append(
        ("bytes of its snapshot", len(early.snapshot), len(late.snapshot), len(late.snapshot) / len(early.snapshot))
    )
    return rows


def _within_a_turn() -> list[tuple[object, ...]]:
    state = fold(None, turn(1, bringing=False))
    long = state
    for _ in range(LONG_TURN):
        long = apply(long, long.next_action("reflection"))
    first, second = microseconds(
        lambda: apply(state, state.next_action("reflection")), lambda: apply(long, long.next_action("reflection"))
    )
    view = public_state(state, "s", "r")
    running = todos.complete(state.turn.todos, "t0", CompletionDetails(clock.now()))
    moved = apply(state, state.next_action("planner", changes=(TodosMoved(todos.changed(state.turn.todos, running)),)))
    after = public_state(moved, "s", "r")
    shown, changed = microseconds(lambda: public_state(state, "s", "r"), lambda: delta(view, after))
    return [
        (f"apply after 10 actions, after {10 + LONG_TURN}", first, second, second / first),
        ("make the public view, its delta", shown, changed, ""),
    ]


def main() -> None:
    """Print the figures."""
    headings = ("µs of processor", *(f"turn {number:,}" for number in TURNS), "ratio")
    for bringing in (False, True):
        print(
            "\nEach turn brings "
            + ("a memory and a file; 20 and 50 are kept." if bringing else "nothing that stays.")
            + "\n"
        )
        table(headings, _rows(bringing))
    print("\nWithin one turn\n")
    table(("µs of processor", "first", "second", "ratio"), _within_a_turn())


if __name__ == "__main__":
    main()
