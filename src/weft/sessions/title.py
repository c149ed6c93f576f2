"""A session's title, taken from its first user message."""

import re

UNTITLED = "新会话"
MAX_CHARACTERS = 64
_LINE_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def title_of(text: str) -> str:
    """Trimmed, on one line, at most 64 characters; an empty message has the title of a new session."""
    return _LINE_BREAK.sub(" ", text.strip())[:MAX_CHARACTERS] or UNTITLED
