"""What others wrote, as a terminal may show it: nothing in it moves the cursor, and nothing stays unseen."""

import unicodedata
from collections.abc import Iterable

import click

from weft.skills.schemas import FindingView

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def visible(text: str) -> str:
    """The text with every character that cannot be seen written out."""
    return "".join(each if each in "\n\t" or not _unseen(each) else f"<U+{ord(each):04X}>" for each in text)


def _unseen(character: str) -> bool:
    return not character.isprintable() and unicodedata.category(character) in _UNSEEN


def print_findings(findings: Iterable[FindingView]) -> None:
    """One line each: file, line, what it is."""
    for each in findings:
        where = f"{each.file}:{each.line}" if each.line else each.file
        click.echo(visible(f"{where}: {each.severity}: {each.message}"))


def print_diff(diff: str) -> None:
    """A unified diff, in colours where somebody looks."""
    for line in diff.split("\n"):
        click.secho(visible(line), fg=_COLOURS.get(line[:1]))
