"""Takes a vendor's key out of whatever the vendor wrote, before anybody else sees it."""

import json
import re
from functools import lru_cache
from urllib.parse import quote

from weft.kit.log import HIDDEN
from weft.llm.types import Target

SHORTEST_SECRET = 4
_TELLING_PREFIX = 12  # vendors quote a wrong key shortened: its beginning, stars, its end
_CREDENTIALS = re.compile(r"(?i)\b(authorization[\"']?\s*[:=]\s*[\"']?)?\b(bearer|basic)\s+[\w\-.~+/=*…]+")
_NAMED_HEADER = re.compile(r"(?i)\b(authorization|x-api-key|api-key)([\"']?\s*[:=]\s*[\"']?)[^\s\"',}]+")


def hide_secrets(text: str, target: Target) -> str:
    """The text without the target's key, without the values of its own headers, without any authorization."""
    for pattern in _patterns((target.api_key, *target.extra_headers.values())):
        text = pattern.sub(HIDDEN, text)
    return _NAMED_HEADER.sub(rf"\1\2{HIDDEN}", _CREDENTIALS.sub(HIDDEN, text))


@lru_cache(maxsize=256)
def _patterns(secrets: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(_pattern(secret) for secret in secrets if len(secret) >= SHORTEST_SECRET)


def _pattern(secret: str) -> re.Pattern[str]:
    spellings = {secret, json.dumps(secret)[1:-1], quote(secret, safe=""), quote(secret)}
    options = [re.escape(spelling) for spelling in sorted(spellings, key=len, reverse=True)]
    if len(secret) > _TELLING_PREFIX + SHORTEST_SECRET:
        options.append(re.escape(secret[:_TELLING_PREFIX]) + r"[\w\-.*…]*")
    return re.compile("|".join(options))
