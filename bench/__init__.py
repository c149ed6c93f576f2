"""Measurements: what one run compares with itself; see docs/performance.md."""
