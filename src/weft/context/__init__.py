"""Prompts are compiled here, from typed blocks, and nowhere else."""
