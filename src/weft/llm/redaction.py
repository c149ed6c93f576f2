"""Takes a vendor's key out of whatever the vendor wrote, before anybody else sees it."""

import json
import re
from urllib.parse import quote

from weft.kit.log import HIDDEN
from weft.llm.types import Target

SHORTEST_SECRET = 4
_TELLING_PREFIX = 12  # vendors quote a wrong key shortened: its beginning, stars, its end
_REST_OF_KEY = re.compile(r"[\w\-.*…]*")
_CREDENTIALS = re.compile(r"(?i)\b(authorization[\"']?\s*[:=]\s*[\"']?)?\b(bearer|basic)\s+[\w\-.~+/=*…]+")
_NAMED_HEADER = re.compile(r"(?i)\b(authorization|x-api-key|api-key)([\"']?\s*[:=]\s*[\"']?)[^\s\"',}]+")


def hide_secrets(text: str, target: Target) -> str:
    """The text without the target's key, without the values of its own headers, without any authorization."""
    for secret in (target.api_key, *target.extra_headers.values()):
        if len(secret) >= SHORTEST_SECRET:
            text = _without(text, secret)
    return _NAMED_HEADER.sub(rf"\1\2{HIDDEN}", _CREDENTIALS.sub(HIDDEN, text))


def _without(text: str, secret: str) -> str:
    # Not by a pattern: compiled ones are kept, and with them the key.
    spellings = {secret, json.dumps(secret)[1:-1], quote(secret, errors="replace")}
    spellings.add(quote(secret, safe="", errors="replace"))
    for spelling in sorted(spellings, key=len, reverse=True):
        text = text.replace(spelling, HIDDEN)
    if len(secret) <= _TELLING_PREFIX + SHORTEST_SECRET:
        return text
    before, *others = text.split(secret[:_TELLING_PREFIX])
    return HIDDEN.join([before, *(_REST_OF_KEY.sub("", other, count=1) for other in others)])
