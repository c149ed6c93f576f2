"""`weft skills`: what is there, checking, a new one, proposals and their review."""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import click

from weft.accounts.authentication import cli_actor
from weft.cli.running import Whose, acting, as_json, run, show_json, show_table, whose
from weft.cli.skills_files import Checked, check_path, skeleton
from weft.cli.skills_review import history, propose, review, rollback
from weft.cli.skills_text import print_findings, visible
from weft.compose import Weft
from weft.skills.schemas import FindingView, SkillDetail, SkillView
from weft.skills.service import SkillService

Result = TypeVar("Result")
EXIT_WRONG = 1


@click.group()
def command() -> None:
    """Skills: folders with a SKILL.md that tell the assistant how to do something.

    They come from your folders under WEFT_HOME, from a user's workspace, and with Weft. What is proposed is live once
    an operator has accepted it.
    """


for each in (propose, review, history, rollback):
    command.add_command(each)


def _seen(whom: Whose, everybody: bool, work: Callable[[SkillService], Awaitable[Result]]) -> Result:
    async def opened(weft: Weft) -> Result:
        actor = cli_actor() if everybody else await acting(weft, whom)
        return await work(SkillService(weft.skills, actor))

    return run(opened)


everybodys = click.option("--everybodys", is_flag=True, help="Only what everybody has, whoever they are.")


@command.command(name="list")
@whose
@everybodys
@as_json
def list_skills(business: str, user: str, everybodys: bool, as_json: bool) -> None:
    """List the skills as a user has them, with what is missing, broken or hidden."""
    views: list[SkillView] = _seen(Whose(business, user), everybodys, lambda skills: skills.views())
    if as_json:
        show_json(views)
        return
    rows = [(view.name, view.level, view.state, _notes(view), _short(view.description)) for view in views]
    show_table(("skill", "from", "state", "notes", "does"), rows, "There is no skill.")
    print_findings(finding for view in views for finding in view.findings)


def _notes(view: SkillView) -> str:
    notes = [
        "always" if view.always else "",
        f"computes {view.compute_type}" if view.compute_type else "",
        "needs birth_info" if view.requires_birth_info else "",
        f"lacks {', '.join(view.missing)}" if view.missing else "",
    ]
    return "; ".join(note for note in notes if note)


def _short(text: str) -> str:
    line = visible(" ".join(text.split()))
    return line if len(line) <= 60 else line[:60] + "…"


@command.command()
@click.argument("name")
@whose
@everybodys
@as_json
def show(name: str, business: str, user: str, everybodys: bool, as_json: bool) -> None:
    """Show one skill: what it says of itself, its files, its instructions."""
    detail: SkillDetail = _seen(Whose(business, user), everybodys, lambda skills: skills.detail(name))
    if as_json:
        show_json(detail)
        return
    said = detail.model_dump(mode="json", exclude={"body", "resources", "findings", "name", "level", "state"})
    click.echo(f"{detail.name}   {detail.level}   {detail.state}")
    for key, value in said.items():
        if value not in (None, "", [], {}, False):
            click.echo(f"{key}: {visible(_plain(value))}")
    for resource in detail.resources:
        click.echo(f"file: {visible(resource.path)} ({resource.size} bytes)")
    print_findings(detail.findings)
    click.echo(f"\n{visible(detail.body)}")


def _plain(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(_plain(each) for each in value)
    if isinstance(value, dict):
        return "; ".join(f"{key} {_plain(each)}" for key, each in value.items())
    return str(value)


@command.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@as_json
def validate(paths: tuple[Path, ...], as_json: bool) -> None:
    """Check skills strictly: PATH is a skill's folder, a folder of such folders, or an archive.

    Needs no server and no database. Ends with 1 where something is an error.
    """
    checked = [found for path in paths for found in check_path(path)]
    if as_json:
        show_json([{"path": each.path, "valid": each.valid, "findings": _json(each)} for each in checked])
    else:
        for each in checked:
            print_findings(FindingView.all(each.findings))
            if each.valid:
                click.echo(f"{visible(each.path)}: valid")
    if not all(each.valid for each in checked):
        sys.exit(EXIT_WRONG)


def _json(checked: Checked) -> list[object]:
    return [finding.model_dump(mode="json") for finding in FindingView.all(checked.findings)]


@command.command()
@click.argument("name")
@click.option("--in", "folder", default=".", type=click.Path(path_type=Path), help="Where to put its folder.")
@click.option("--full", is_flag=True, help="With procedure, cases, a data schema and a voice.")
@as_json
def new(name: str, folder: Path, full: bool, as_json: bool) -> None:
    """Write a new skill to begin with, which is valid as it is."""
    written = skeleton(folder, name, full=full)
    if as_json:
        show_json({"name": name, "files": [str(path) for path in written]})
        return
    for path in written:
        click.echo(visible(str(path)))
