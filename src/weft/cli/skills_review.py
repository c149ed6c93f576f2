"""`weft skills propose|review|history|rollback`: how a skill becomes live, and an earlier one live again."""

from pathlib import Path
from uuid import UUID

import anyio.to_thread
import click

from weft.accounts.authentication import LOCAL, LocalAuthentication, cli_actor
from weft.accounts.service import AccountService
from weft.cli.running import Whose, acting, as_json, as_operator, run, show_json, show_table, whose
from weft.cli.skills_files import taken_up
from weft.cli.skills_text import print_diff, print_findings, visible
from weft.compose import Weft
from weft.kit.errors import InvalidError, NotFoundError
from weft.skills.proposals import ProposalService
from weft.skills.publishing import Publishing
from weft.skills.reviewing import ReviewService
from weft.skills.schemas import (
    Acceptance,
    ProposalDetail,
    ProposalStatus,
    ProposalView,
    Rollback,
    Scope,
    VersionView,
)
from weft.skills.versions import Target, VersionService

everywhere = click.option("--everywhere", is_flag=True, help="For everybody of the installation.")
for_business = click.option("--business", default=LOCAL, show_default=True, help="The business's slug.")


@click.command()
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--note", default="", help="What the reviewer should know.")
@click.option("--draft", is_flag=True, help="Keep it, and do not hand it over for review yet.")
@everywhere
@whose
@as_json
def propose(path: Path, note: str, draft: bool, everywhere: bool, business: str, user: str, as_json: bool) -> None:
    """Propose the skill in a folder or an archive for review."""

    async def work(weft: Weft) -> ProposalView:
        package = await anyio.to_thread.run_sync(taken_up, path)
        actor = await acting(weft, Whose(business, user))
        scope = Scope.INSTALLATION if everywhere else Scope.BUSINESS
        async with weft.database.transaction(actor) as tx:
            return await ProposalService(tx).propose(package, note, scope=scope, draft=draft)

    made = run(work)
    if as_json:
        show_json(made)
        return
    click.echo(f"proposal {made.id}: {made.name}, {made.status}")
    click.echo(f"look at it and decide: weft skills review {made.id}")


@click.command()
@click.argument("proposal_id", required=False, type=click.UUID)
@click.option("--accept", is_flag=True, help="Accept what is shown, and make it live.")
@click.option("--reject", is_flag=True, help="Reject it; say why with --reason.")
@click.option("--reason", default="", help="Why.")
@click.option("--all", "everything", is_flag=True, help="List those that are decided too.")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 1000), help="How many are listed.")
@as_json
def review(
    proposal_id: UUID | None, accept: bool, reject: bool, reason: str, everything: bool, limit: int, as_json: bool
) -> None:
    """List what waits for review; with an ID, show what it would change, and decide."""
    if accept and reject:
        raise InvalidError("say either --accept or --reject")
    if proposal_id is None:
        if accept or reject:
            raise InvalidError("name the proposal; `weft skills review` lists them", field="proposal_id")
        _list(None if everything else ProposalStatus.REVIEW, limit, as_json)
        return
    if reject and not reason:
        raise InvalidError("say why with --reason", field="reason")
    identity = proposal_id

    async def work(weft: Weft) -> tuple[ProposalDetail, ProposalView]:
        async with as_operator(weft) as tx:
            service = ReviewService(tx, weft.skills)
            shown = await service.detail(identity)
            if reject:
                return shown, await service.reject(identity, reason)
        if accept:
            acceptance = Acceptance(shown=shown.shown or "-", reason=reason)
            return shown, await Publishing(weft.database, weft.skills, cli_actor()).accept(identity, acceptance)
        return shown, shown

    shown, after = run(work)
    if as_json:
        show_json(after)
        return
    _print(shown)
    if accept or reject:
        click.echo(f"\n{after.status}" + (f": version {after.version} of {after.name}" if after.version else ""))


def _list(status: ProposalStatus | None, limit: int, as_json: bool) -> None:
    async def work(weft: Weft) -> list[ProposalView]:
        async with as_operator(weft) as tx:
            return await ProposalService(tx).recent(status, None, limit)

    found = run(work)
    if as_json:
        show_json(found)
        return
    rows = [(p.id, f"{p.created_at:%Y-%m-%d %H:%M}", p.name, p.scope, p.status, visible(p.note[:60])) for p in found]
    show_table(("proposal", "made (UTC)", "skill", "for", "status", "note"), rows, "No proposal waits for review.")


def _print(detail: ProposalDetail) -> None:
    click.echo(f"{detail.name}   {detail.status}   for the {detail.scope}   {detail.files} files, {detail.size} bytes")
    if detail.note:
        click.echo(f"note: {visible(detail.note)}")
    if detail.reason:
        click.echo(f"reason: {visible(detail.reason)}")
    click.echo(f"compared with: {detail.against or 'nothing, the skill is new'}")
    print_findings(detail.findings)
    for change in detail.changes:
        sizes = " → ".join("-" if size is None else f"{size} bytes" for size in (change.before, change.after))
        click.echo(f"\n{change.change} {visible(change.path)} ({sizes})")
        if change.diff is not None:
            print_diff(change.diff)


async def _target(weft: Weft, business: str, name: str, everywhere: bool) -> Target:
    if everywhere:
        return Target(None, name)
    if business == LOCAL:
        await LocalAuthentication.prepare(weft.database)
    async with as_operator(weft) as tx:
        found = [each.id for each in await AccountService(tx).businesses() if each.slug == business]
    if not found:
        raise NotFoundError(f"there is no business {business!r}", field="business")
    return Target(found[0], name)


@click.command()
@click.argument("name")
@for_business
@everywhere
@as_json
def history(name: str, business: str, everywhere: bool, as_json: bool) -> None:
    """List the versions of a skill that were ever live, the newest first."""

    async def work(weft: Weft) -> list[VersionView]:
        target = await _target(weft, business, name, everywhere)
        async with as_operator(weft) as tx:
            return await VersionService(tx, weft.skills.roots).history(target, None, 1000)

    found = run(work)
    if as_json:
        show_json(found)
        return
    rows = [(v.number, f"{v.created_at:%Y-%m-%d %H:%M}", _came_of(v), v.made_by, visible(v.reason[:60])) for v in found]
    show_table(("version", "made (UTC)", "came of", "by", "why"), rows, f"{name} was never changed through Weft.")


def _came_of(version: VersionView) -> str:
    gone = "" if version.digest else ", taken away"
    restored = f" to {version.restores}" if version.restores is not None else ""
    return f"{version.origin}{restored}{gone}"


@click.command()
@click.argument("name")
@click.option("--to", required=True, type=click.IntRange(0), help="The version; 0 takes the skill away.")
@click.option("--reason", default="", help="Why.")
@for_business
@everywhere
@as_json
def rollback(name: str, to: int, reason: str, business: str, everywhere: bool, as_json: bool) -> None:
    """Make an earlier version of a skill live again."""

    async def work(weft: Weft) -> VersionView:
        target = await _target(weft, business, name, everywhere)
        publishing = Publishing(weft.database, weft.skills, cli_actor())
        return await publishing.rollback(target, Rollback(to=to, reason=reason))

    made = run(work)
    if as_json:
        show_json(made)
        return
    click.echo(f"{name}: version {made.number} is live" + ("" if made.digest else "; the skill is taken away"))
