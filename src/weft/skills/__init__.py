"""Skills: folders read and checked, found, their cases, archives that bring new ones, and what they compute."""
