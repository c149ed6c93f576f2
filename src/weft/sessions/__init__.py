"""Conversations: their state, their messages, their history and what they cost."""
