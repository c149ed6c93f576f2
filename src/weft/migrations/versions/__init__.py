"""One file a step, numbered; see `weft db`."""
