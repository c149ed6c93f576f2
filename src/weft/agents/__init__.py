"""Which model each kind of agent has."""
