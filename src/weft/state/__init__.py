"""What a turn has come to: an append-only list of actions, and everything that follows from it."""
