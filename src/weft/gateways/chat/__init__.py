"""A plain chat request: one answer as JSON, or as events with names (SURF-2)."""
