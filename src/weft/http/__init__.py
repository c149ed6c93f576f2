"""The frame that every endpoint stands in: who is calling, one transaction, limits, problems, pages."""
