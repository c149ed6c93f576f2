"""The database cluster behind a server that is measured: the processor time it uses, and how much it writes."""

import asyncio
from pathlib import Path

import asyncpg

from bench._processes import processor_seconds

_WRITTEN = "SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8"


class Cluster:
    """An embedded PostgreSQL, by its data folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pid = int((folder / "postmaster.pid").read_text(encoding="utf-8").split()[0])

    def processor_seconds(self) -> float:
        """Of all its processes, those of ended connections included."""
        return processor_seconds(self._pid)

    def written(self) -> float:
        """Bytes of its log since it was made: what its commits stand on."""
        return asyncio.run(self._read())

    async def _read(self) -> float:
        connection = await asyncpg.connect(f"postgresql://postgres:@/postgres?host={self._folder}")
        try:
            found: float = await connection.fetchval(_WRITTEN)
            return found
        finally:
            await connection.close()
