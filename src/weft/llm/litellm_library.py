"""Brings in LiteLLM when it is first needed, silent and cut off from everything it would fetch or report."""

import asyncio
import importlib
import logging
import os
import sys
from typing import Any

# Read while it is imported: without the first it waits on the network, without the last it reads `.env`.
_BEFORE_IMPORT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_MODE": "PRODUCTION",
}
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")

_loaded: Any = None


def is_loaded() -> bool:
    """Whether anybody has needed it yet."""
    return _loaded is not None


async def library() -> Any:
    """The library; the first time takes seconds, in a thread, so that the loop goes on meanwhile."""
    return _loaded or await asyncio.to_thread(load)


def load() -> Any:
    """Import LiteLLM and silence it: a process that will need it can call this while it starts."""
    global _loaded
    if _loaded is not None:
        return _loaded
    os.environ.update(_BEFORE_IMPORT)
    litellm: Any = importlib.import_module("litellm")
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.num_retries = 0
    litellm.turn_off_message_logging = True
    litellm.REPEATED_STREAMING_CHUNK_LIMIT = sys.maxsize  # a table of dots is no failure
    litellm.disable_aiohttp_transport = True  # one HTTP library, one set of errors
    for name in _LOGGERS:
        # It logs what vendors say, and vendors echo keys.
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    _loaded = litellm
    return litellm
