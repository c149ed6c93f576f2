"""Turns on their way: accepted, claimed, carried out, told of, paused and resumed."""
