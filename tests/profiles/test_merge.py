"""JSON merge patch, case by case as RFC 7396 lists them."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings

from tests.kit.arbitrary import JSON
from weft.profiles.merge import merge_patch

APPENDIX_A = [
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b"}, {"a": None}, {}),
    ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    (["a", "b"], ["c", "d"], ["c", "d"]),
    ({"a": "b"}, ["c"], ["c"]),
    ({"a": "foo"}, None, None),
    ({"a": "foo"}, "bar", "bar"),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
]


@pytest.mark.parametrize(("target", "patch", "result"), APPENDIX_A)
def test_case_of_the_appendix(target: Any, patch: Any, result: Any) -> None:
    """PRO-8: RFC 7396, appendix A."""
    assert merge_patch(target, patch) == result


@given(JSON, JSON)
@settings(max_examples=60)
def test_patch_applied_twice_is_the_patch_applied_once(target: Any, patch: Any) -> None:
    """PRO-8: a request that is sent again changes nothing more."""
    once = merge_patch(target, patch)
    assert merge_patch(once, patch) == once


@given(JSON, JSON)
@settings(max_examples=60)
def test_target_and_patch_are_left_as_they_were(target: Any, patch: Any) -> None:
    """PRO-8"""
    before = copy.deepcopy((target, patch))
    merge_patch(target, patch)
    assert (target, patch) == before
