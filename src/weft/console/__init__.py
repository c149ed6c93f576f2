"""The console: the page at `/`, built from `console/` and shipped in the package."""
