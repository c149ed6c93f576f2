"""Tests, laid out as the source is."""  # noqa: A005
