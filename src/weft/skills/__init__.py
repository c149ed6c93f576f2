"""Skills: what an expert knows, reads and computes."""
