"""AG-UI 1.0 over HTTP and server-sent events, and the shape that older clients take (SURF-1)."""
