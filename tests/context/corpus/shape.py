"""The structure of a prompt: what stays when somebody writes something else into it."""

from collections.abc import Mapping, Sequence
from typing import Any

from weft.context.conversation import WORDS


def shape_of(messages: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Roles, keys and lines of every message; data, and what people and models said themselves, left out."""
    shaped: list[Any] = []
    for message in messages:
        if message["role"] in ("assistant", "tool"):
            calls = [sorted(call) + sorted(call["function"]) for call in message.get("tool_calls", ())]
            shaped.append((message["role"], sorted(message), calls))
            continue
        content = str(message["content"])
        ours, _, _ = content.partition(f"{WORDS}\n") if message["role"] == "user" else (content, "", "")
        if message["role"] == "user" and ours == content:
            ours = ""  # the words alone
        lines = ["{}" if line.startswith("{") else line for line in ours.splitlines()]
        shaped.append((message["role"], sorted(message), lines))
    return shaped
