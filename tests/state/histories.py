"""Arbitrary sessions: turns of actions whose changes each fit the state they meet."""

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from tests.kit.arbitrary import JSON, OBJECTS, TEXT
from weft.state import changes, todos
from weft.state.action import Action, ActionContext, Next
from weft.state.calls import ToolCall, ToolOutcome
from weft.state.files import FileMapping, OriginFile, PreprocessedFile, PreprocessedFiles
from weft.state.runtime import RuntimeState, apply
from weft.state.shared import Memory
from weft.state.todo import CompletionDetails, Todo
from weft.state.token_usage import TokenUsage

NOW = datetime(2026, 11, 3, 8, 0, tzinfo=UTC)
WORDS = TEXT.map(lambda text: text[:40])
NAMES = st.text("abcde-_技能", min_size=1, max_size=6)
USAGES = st.builds(
    lambda read, written: TokenUsage(read, written, read + written), st.integers(0, 9_999), st.integers(0, 999)
)
MAPPINGS = st.builds(
    FileMapping,
    st.sampled_from(["aliyun", "tencent", "aws", "gcc", "local"]),
    NAMES,
    st.none() | st.booleans(),
)
FILES = st.builds(OriginFile, NAMES, NAMES, NAMES, st.none() | MAPPINGS)
READABLE = st.builds(PreprocessedFile, NAMES, NAMES, NAMES, WORDS, st.none() | MAPPINGS)
MANY: dict[str, Any] = {"max_size": 3}
CONTEXTS = st.builds(
    ActionContext,
    st.sampled_from(["text", "image", "data"]),
    JSON,
    st.booleans(),
    st.sampled_from(["refactor", "modify", "reference", "analysis", "output"]),
    st.none() | MAPPINGS,
)


@st.composite
def plans(draw: st.DrawFn, most: int = 8) -> tuple[Todo, ...]:
    """Plans that can be carried out, in any order: each todo depends on some of those drawn before it."""
    made: list[Todo] = []
    for number in range(draw(st.integers(1, most))):
        names = [todo.id for todo in made]
        needed = draw(st.lists(st.sampled_from(names), unique=True, max_size=3)) if names else []
        priority, retries = draw(st.integers(0, 10)), draw(st.integers(0, 3))
        made.append(Todo(f"t{number}", draw(WORDS), dependencies=tuple(needed), priority=priority, max_retry=retries))
    return tuple(draw(st.permutations(made)))


ANYTIME: st.SearchStrategy[Any] = st.one_of(
    st.builds(changes.SetUserContext, st.dictionaries(NAMES, WORDS, **MANY)),
    st.builds(changes.AddMemory, st.lists(st.builds(Memory, NAMES, WORDS, WORDS), **MANY).map(tuple)),
    st.builds(changes.DropMemory, st.lists(NAMES, **MANY).map(tuple)),
    st.builds(changes.SetOutputStyle, WORDS),
    st.builds(changes.SetScenario, st.none() | NAMES, st.none() | NAMES),
    st.builds(changes.AddFiles, st.lists(FILES, **MANY).map(tuple)),
    st.builds(
        changes.AddPreprocessed,
        st.builds(PreprocessedFiles, *[st.lists(READABLE, **MANY).map(tuple) for _ in range(3)]),
    ),
    st.builds(changes.SetTaskGoal, WORDS),
    st.builds(changes.AddChat, st.tuples(st.builds(changes.ChatEntry, st.just("user"), WORDS, st.none() | NAMES))),
    st.builds(changes.SetTodos, plans()),
)


@st.composite
def fitting(draw: st.DrawFn, state: RuntimeState) -> Any:
    """A change that this state can take."""
    kind = draw(st.sampled_from(["anytime", "anytime", "ask", "call", "todo", "output"]))
    calls = [each for each in state.turn.calls.values() if each.phase != "done"]
    if kind == "ask":
        call_id = f"call-{len(state.turn.calls)}"
        return changes.ToolsAsked((ToolCall(call_id, draw(NAMES), draw(OBJECTS), draw(WORDS), draw(WORDS)),))
    if kind == "call" and calls:
        return draw(_about_call(draw(st.sampled_from(calls))))
    if kind == "todo" and state.turn.todos:
        return changes.TodosMoved(todos.changed(state.turn.todos, draw(moved(state.turn.todos))))
    if kind == "output":
        if state.turn.output_structure and draw(st.booleans()):
            return changes.FillOutput(state.turn.output_structure[0].id, draw(JSON))
        return changes.SetOutputStructure((changes.OutputPart("answer", draw(WORDS), draw(JSON), "data"),))
    return draw(ANYTIME)


@st.composite
def _about_call(draw: st.DrawFn, state: Any) -> Any:
    call_id = state.call.id
    match state.phase:
        case "waiting":
            decision = draw(st.sampled_from(["approved", "edited", "denied", "expired"]))
            edited = draw(OBJECTS) if decision == "edited" else None
            return changes.ApprovalDecided(call_id, decision, edited, draw(st.none() | WORDS))
        case "denied":
            return changes.ToolDone(ToolOutcome(call_id, "denied"))
        case "asked" if draw(st.booleans()):
            return changes.ApprovalAsked((call_id,), draw(st.none() | st.just(NOW)))
        case "asked" | "approved" if draw(st.booleans()):
            return changes.ToolStarted(call_id)
    status = draw(st.sampled_from(["succeeded", "failed", "unknown"]))
    return changes.ToolDone(ToolOutcome(call_id, status, draw(JSON), draw(st.none() | WORDS)))


@st.composite
def moved(draw: st.DrawFn, plan: tuple[Todo, ...]) -> tuple[Todo, ...]:
    """The plan after one thing has happened to it, or as it is where nothing can."""
    running = [todo for todo in plan if todo.status == "processing"]
    free = todos.ready(plan, NOW + timedelta(hours=1))
    if running and (not free or draw(st.booleans())):
        todo = draw(st.sampled_from(running))
        if draw(st.booleans()):
            return todos.complete(plan, todo.id, CompletionDetails(NOW, draw(NAMES), 0.5, draw(JSON)))
        return todos.fail(plan, todo.id, draw(WORDS), NOW, tool_used=draw(NAMES), for_good=draw(st.booleans()))
    return todos.start(plan, draw(st.sampled_from(free)).id) if free else plan


@st.composite
def histories(draw: st.DrawFn, most_turns: int = 4, most_actions: int = 5) -> list[Action]:
    """The actions of a session."""
    state, made = RuntimeState(), list[Action]()
    for _ in range(draw(st.integers(1, most_turns))):
        first: list[Any] = [changes.TurnBegan(draw(WORDS))]
        for _ in range(draw(st.integers(1, most_actions))):
            given = first or [draw(fitting(state)) for _ in range(draw(st.integers(0, 1)))]
            first = []
            action = Action(
                len(made) + 1,
                draw(NAMES),
                draw(WORDS),
                draw(WORDS),
                draw(JSON),
                draw(st.none() | CONTEXTS),
                draw(st.floats(0, 1)),
                draw(USAGES),
                (Next(draw(NAMES), draw(st.none() | NAMES), draw(st.none() | NAMES)),),
                tuple(given),
            )
            state = apply(state, action)
            made.append(action)
    return made


def turns_of(actions: list[Action]) -> list[list[Action]]:
    """The same, turn by turn."""
    turns: list[list[Action]] = []
    for action in actions:
        if action.changes and isinstance(action.changes[0], changes.TurnBegan):
            turns.append([])
        turns[-1].append(action)
    return turns
