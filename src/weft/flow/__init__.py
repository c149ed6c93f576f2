"""The three stages of a turn, on CrewAI's flow. CrewAI is imported here alone, and quietly."""

import os
import warnings

# Before CrewAI is imported: it would take over signals, ask whether to trace, and look for a newer version of itself.
os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")
os.environ.setdefault("CREWAI_TRACING_ENABLED", "false")
os.environ.setdefault("CREWAI_DISABLE_VERSION_CHECK", "true")
os.environ.setdefault("OTEL_SDK_DISABLED", "true")
os.environ.setdefault("CREWAI_STORAGE_DIR", "weft")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of its own dependencies, at import; nothing a user of ours can mend
    import crewai  # noqa: F401

from weft.flow.quiet import tell_nobody

tell_nobody()
