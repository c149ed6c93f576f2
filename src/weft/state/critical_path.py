"""The longest way from each todo to the end of its plan; a plan that goes in a circle has none and is refused."""

from collections.abc import Iterator, Mapping, Sequence

from weft.state.errors import TodosInvalidError

Graph = Mapping[str, Sequence[str]]  # what each todo depends on


def critical_path_lengths(graph: Graph) -> dict[str, int]:
    """For each todo the number of todos on the longest way from it to the end, itself included."""
    waiting = dict.fromkeys(graph, 0)  # how many depend on it
    for name, needed in graph.items():
        for dependency in _checked(graph, name, needed):
            waiting[dependency] += 1
    lengths = dict.fromkeys(graph, 1)
    free = [name for name, count in waiting.items() if not count]
    for name in free:  # grows while it is walked
        for dependency in graph[name]:
            lengths[dependency] = max(lengths[dependency], lengths[name] + 1)
            waiting[dependency] -= 1
            if not waiting[dependency]:
                free.append(dependency)
    if len(free) < len(graph):
        raise _circle(graph, waiting)
    return lengths


def _checked(graph: Graph, name: str, needed: Sequence[str]) -> Iterator[str]:
    seen: set[str] = set()
    for dependency in needed:
        if dependency not in graph:
            known = ", ".join(list(graph)[:20])
            raise _refused(name, f"depends on {dependency!r}, which is not in the plan; there are {known}")
        if dependency in seen:
            raise _refused(name, f"names {dependency!r} twice among its dependencies")
        seen.add(dependency)
        yield dependency


def _circle(graph: Graph, waiting: Mapping[str, int]) -> TodosInvalidError:
    """Whatever still has dependents is in a circle or needed by one: walking against the arrows ends in a circle."""
    left = {name for name, count in waiting.items() if count}
    needed_by = {dependency: name for name in graph if name in left for dependency in graph[name] if dependency in left}
    name, walked = min(needed_by), list[str]()
    while name not in walked:
        walked.append(name)
        name = needed_by[name]
    circle = [name, *reversed(walked[walked.index(name) :])]
    shown = " → ".join(circle)
    return TodosInvalidError(f"todos: {shown} depend on each other in a circle; leave one out", field="todos")


def _refused(name: str, problem: str) -> TodosInvalidError:
    where = f"todos.{name}.dependencies"
    return TodosInvalidError(f"{where}: {problem}", field=where)
