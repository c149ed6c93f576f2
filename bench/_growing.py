"""Makes one conversation as long as if it had been held: its last turn copied, all that it left in every table."""

from collections.abc import Mapping
from uuid import UUID

import asyncpg

# Ids of ours begin with their time: a copy's does so too, so that what comes next is newer than all of them.
_ID = "(left({0}::text, 13) || '-7' || substr(md5({0}::text || n), 1, 3) || '-8' || substr(md5({0}::text || n), 4, 15))"
_COPY = """
    INSERT INTO {table} SELECT made.* FROM {table} AS old, generate_series(1, $2::int) AS n,
      LATERAL jsonb_populate_record(old, jsonb_build_object({changes})) AS made
    WHERE {which}
"""


def _id(column: str) -> str:
    written = _ID.format(f"old.{column}")
    # a UUID's text: 8-4-4-4-12
    return f"regexp_replace({written}, '^(.{{13}})-(.{{4}})-(.{{4}})(.{{12}}).*$', '\\1-\\2-\\3-\\4')::uuid"


def _plus(column: str, step: str) -> str:
    return f"old.{column} + n * {step}"


_RUN, _TURN = {"run_id": _id("run_id")}, "old.run_id = $1"
_SNAPSHOT = "jsonb_set(jsonb_set(old.state, '{turn}', to_jsonb((old.state ->> 'turn')::int + n)), '{last_action}',"
TABLES: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    ("agent_runs", "old.id = $1", {"id": _id("id"), "turn": "old.turn + n"}),
    ("agent_run_requests", _TURN, {**_RUN, "client_run_id": "old.client_run_id || '-' || n"}),
    ("agent_actions", _TURN, {**_RUN, "id": _plus("id", "(SELECT count(*) FROM agent_actions WHERE run_id = $1)")}),
    ("agent_run_events", _TURN, _RUN),
    (
        "agent_turn_snapshots",
        _TURN,
        {
            **_RUN,
            "turn": "old.turn + n",
            "state": f"{_SNAPSHOT} to_jsonb((old.state ->> 'last_action')::int"
            " + n * (SELECT count(*)::int FROM agent_actions WHERE run_id = $1)))",
        },
    ),
    ("ai_calls", "old.turn_id = $1", {"id": _id("id"), "turn_id": _id("turn_id")}),
    (
        "ai_call_contexts",
        "old.call_id IN (SELECT id FROM ai_calls WHERE turn_id = $1)",
        {"call_id": _id("call_id")},
    ),
    (
        "agent_chat_messages",
        "old.turn_id = $1",
        {
            "id": _id("id"),
            "turn_id": _id("turn_id"),
            "call_id": f"CASE WHEN old.call_id IS NOT NULL THEN {_id('call_id')} END",
            "seq": "old.seq + sign(old.seq)::int * n * (SELECT count(*) FROM agent_chat_messages AS own"
            " WHERE own.turn_id = $1 AND sign(own.seq) = sign(old.seq))",
            "text_number": "old.text_number + n * (SELECT count(text_number) FROM agent_chat_messages"
            " WHERE turn_id = $1)",
        },
    ),
)


async def grow(url: str, run_id: UUID, turns: int) -> None:
    """Put so many turns behind this one, which must be the last of its conversation."""
    connection = await asyncpg.connect(url)  # as the database's owner: nobody else may write other people's rows
    try:
        async with connection.transaction():
            await connection.execute("SET LOCAL session_replication_role = replica")  # no trigger, no foreign key
            for table, which, changes in TABLES:
                spelled = ", ".join(f"'{column}', {value}" for column, value in changes.items())
                await connection.execute(_COPY.format(table=table, which=which, changes=spelled), run_id, turns)
    finally:
        await connection.close()


async def analyze(url: str) -> None:
    """Let the planner know how much there is now."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("ANALYZE")
    finally:
        await connection.close()
