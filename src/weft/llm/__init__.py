"""One call to any model: it streams, counts, prices and never leaks."""
