"""`weft context`: what a call was sent, two calls side by side, and the sweep."""

from datetime import timedelta
from uuid import UUID, uuid4

from sqlalchemy import text

from tests.calls.conftest import compiled, recorder_of
from tests.cli.conftest import Weft
from tests.context.blocks import conversation, data, says, usual
from tests.people import People
from weft.context.blocks import Scope
from weft.kit import clock
from weft.kit.db import Database


async def two_calls(url: str) -> list[UUID]:
    """Two turns of a conversation, the second with another guideline; a file that had to be cut."""
    database = Database(url)
    try:
        recorder = await recorder_of(database, await People(database).user())
        file = data("file/AGENTS.md", Scope.USER, text="word " * 3_000, shrinks="text")
        first = compiled([says("guidelines", "One.\nTwo."), *usual(file)], conversation(1))
        second = compiled([says("guidelines", "One.\nThree."), *usual(file)], conversation(2), after=first)
        return [await recorder.call(made) for made in (first, second)]
    finally:
        await database.close()


async def test_a_call_is_shown_and_compared(weft: Weft, cli_database: str) -> None:
    """SKILL-11: blocks with what was cut and what was expected; the block to blame."""
    first, second = map(str, await two_calls(cli_database))
    shown = weft("context", "show", second, "--json").json()
    assert shown["call"]["id"] == second
    assert shown["cache"]["compared_with"] == first
    table = weft("context", "show", second).out
    assert "! the prefix collapsed because of block guidelines" in table
    assert "shortened" in table
    assert "user_context/profile" in table
    assert "first call of its conversation" in weft("context", "show", first).out
    assert weft("context", "show", second, "--block", "guidelines").out == "One.\nThree.\n"
    assert weft("context", "show", second, "--block", "guidelines", "--json").json()["tokens"] > 0
    differing = weft("context", "diff", second, first)
    assert differing == weft("context", "diff", first, second), "the later is compared with the earlier"
    assert "ends with guidelines" in differing.out
    assert "-Two." in differing.out
    assert "+Three." in differing.out
    assert weft("context", "diff", first, second, "--json").json()["broke"] == "guidelines"


async def test_what_is_not_there_is_told(weft: Weft, cli_database: str) -> None:
    """DESIGN 4: in one line, exit code 1."""
    call, _ = map(str, await two_calls(cli_database))
    missing = str(uuid4())
    assert missing in weft("context", "show", missing).refused()
    assert missing in weft("context", "diff", call, missing).refused()
    assert "persona" in weft("context", "show", call, "--block", "nonsense").refused()
    assert weft("context", "show", "x").code == 2


async def test_the_sweep_keeps_to_the_setting(weft: Weft, cli_database: str) -> None:
    """SKILL-11: WEFT_CONTEXT_RETENTION_DAYS."""
    call, _ = map(str, await two_calls(cli_database))
    database = Database(cli_database)
    async with database.system() as tx:
        at = clock.now() - timedelta(days=8)
        await tx.connection.execute(
            text("UPDATE ai_call_contexts SET created_at = :at WHERE call_id = :id"), {"at": at, "id": call}
        )
    await database.close()
    assert weft("context", "sweep").out.startswith("Deleted what 0 calls")
    assert weft("context", "sweep", "--json", WEFT_CONTEXT_RETENTION_DAYS="7").json()["contexts"] == 1
    assert "WEFT_CONTEXT_RETENTION_DAYS" in weft("context", "show", call).refused()
    assert weft("context", "sweep", WEFT_CONTEXT_RETENTION_DAYS="-1").refused(78)
