"""The vendor's own count of tokens and its own prompt cache, independent of what Weft counts."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

UNIT = 64  # tokens; only whole units are cached
_TOKEN = re.compile(r"[A-Za-z]{1,4}|\d{1,3}|\s+|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Counts:
    """What a call used: `cached` is a part of `input`, `reasoning` of `output`."""

    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0


def split_tokens(text: str) -> list[str]:
    """The tokens of a text: four letters, three digits, a run of blanks or any other character make one."""
    return _TOKEN.findall(text)


def count_tokens(text: str) -> int:
    """How many tokens a text has."""
    return len(split_tokens(text))


def prompt_text(request: Mapping[str, Any]) -> str:
    """The prompt as the model would read it: tools first, then the messages in order."""
    parts = [json.dumps(request["tools"], ensure_ascii=False)] if request.get("tools") else []
    for message in request.get("messages") or []:
        content = message.get("content")
        written = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        parts.append(f"<{message.get('role')}>{written}")
        if message.get("tool_calls"):
            parts.append(json.dumps(message["tool_calls"], ensure_ascii=False))
    return "\n".join(parts)


class PrefixCache:
    """Remembers every prompt by its whole units, each hashed together with all before it."""

    def __init__(self) -> None:
        self._seen: set[bytes] = set()

    def hit(self, owner: bytes, tokens: list[str]) -> int:
        """How many leading tokens an earlier prompt of the same owner shares with this one; then keep it."""
        chain = owner
        cached = 0
        missed = False
        for start in range(0, len(tokens) - UNIT + 1, UNIT):
            unit = "\x1f".join(tokens[start : start + UNIT]).encode(errors="surrogatepass")
            chain = blake2b(chain + b"\x00" + unit, digest_size=16).digest()
            missed = missed or chain not in self._seen
            cached += 0 if missed else UNIT
            self._seen.add(chain)
        return cached
