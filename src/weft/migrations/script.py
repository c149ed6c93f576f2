"""Runs SQL of several statements, which the driver cannot prepare as one."""

from typing import Any

from alembic import op


def run(sql: str) -> None:
    """Run the script inside the migration's transaction."""

    async def execute(connection: Any) -> None:
        await connection.execute(sql)

    adapted: Any = op.get_bind().connection.dbapi_connection
    adapted.run_async(execute)
