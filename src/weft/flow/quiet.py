"""Keeps CrewAI to itself: nothing on the console, and nobody to be told what a flow does."""

from contextlib import ExitStack

from crewai.events.event_bus import crewai_event_bus
from crewai.events.utils.console_formatter import set_suppress_console_output

_quiet = ExitStack()  # never left: for as long as the process lives


def be_quiet() -> None:
    """Nothing of CrewAI's own is printed by this task, nor by those that it starts."""
    set_suppress_console_output(True)


def tell_nobody() -> None:
    """Take its listeners off the bus: each event would go through a thread to them, and none of them is of use here."""
    _quiet.enter_context(crewai_event_bus.scoped_handlers())
