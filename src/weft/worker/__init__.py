"""Carries runs out: claimed, kept, taken up again when a process dies."""
