"""Skills as folders: reading and checking them, finding them, their cases, and archives that bring new ones."""
