"""What a user has told of themselves and what was learned: the first domain, and the one to copy."""
