"""A circle is always found, and the one that is named is one."""

import re
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from weft.state.critical_path import critical_path_lengths
from weft.state.errors import TodosInvalidError

NODES = [f"t{number}" for number in range(7)]
GRAPHS = st.fixed_dictionaries({name: st.lists(st.sampled_from(NODES), unique=True, max_size=3) for name in NODES})


def goes_in_a_circle(graph: dict[str, list[str]]) -> bool:
    """By taking away what depends on nothing that is left, until nothing is or nothing can be."""
    left = dict(graph)
    while free := [name for name, needed in left.items() if not set(needed) & set(left)]:
        for name in free:
            del left[name]
    return bool(left)


@given(GRAPHS)
def test_a_circle_is_refused_and_named(graph: dict[str, list[str]]) -> None:
    """STATE-3: each named todo does depend on the one after it, and the last is the first."""
    assume(goes_in_a_circle(graph))
    with pytest.raises(TodosInvalidError) as error:
        critical_path_lengths(graph)
    found = re.match(r"todos: (.+) depend on each other in a circle", error.value.detail)
    assert found is not None
    circle = found[1].split(" → ")
    assert circle[0] == circle[-1]
    assert len(set(circle)) == len(circle) - 1
    assert all(after in graph[before] for before, after in pairwise(circle))


@given(GRAPHS)
def test_whatever_has_no_circle_is_taken(graph: dict[str, list[str]]) -> None:
    """STATE-3: a todo's way is longer than that of each that depends on it."""
    assume(not goes_in_a_circle(graph))
    lengths = critical_path_lengths(graph)
    assert all(lengths[needed] > lengths[name] for name in graph for needed in graph[name])


def test_a_long_plan_is_no_matter_of_the_stack() -> None:
    chain = {str(number): [str(number - 1)] if number else [] for number in range(5_000)}
    assert critical_path_lengths(chain)["0"] == 5_000
