"""The state of a turn."""
