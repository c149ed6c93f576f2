"""What every room may use and nobody outside Weft would miss: database session, ids, clock, logging, text."""
