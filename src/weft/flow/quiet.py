"""Keeps CrewAI from writing to the console."""

from crewai.events.utils.console_formatter import set_suppress_console_output


def be_quiet() -> None:
    """Nothing of CrewAI's own is printed by this task, nor by those that it starts."""
    set_suppress_console_output(True)
