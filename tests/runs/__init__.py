"""Turns, from the request to the last row they leave."""
