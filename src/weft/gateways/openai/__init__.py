"""The interface that OpenAI's clients speak: an answer whole or as chunks, over the same one turn (SURF-2)."""
