"""Ways in: what clients of each kind say becomes one request for a turn, and what happens is told in their words."""
