"""The steps of a turn: each reads the state, does one thing, and appends one action."""
