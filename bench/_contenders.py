"""Those whose turns are measured beside each other: the floor, Weft, and its peers in environments of their own."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench._clusters import Cluster
from bench._environments import interpreter
from bench._servers import Server, free_port, python_server, server, weft_server
from weft.kit.db.embedded import embedded_postgres

PEERS = Path(__file__).parent / "peers"
FLOOR, WEFT = "bare proxy", "Weft"


@dataclass(frozen=True)
class Contender:
    """One that runs; without a cluster it keeps nothing in PostgreSQL."""

    server: Server
    cluster: Cluster | None


@dataclass(frozen=True)
class Peer:
    """Another runtime: its script, and beside it what the script needs, with every version."""

    name: str
    kept: str  # what it is measured with
    package: str
    script: str
    postgres: bool = True

    @property
    def title(self) -> str:
        """Its name with the version that is measured."""
        found = re.search(rf"^{self.package}==(\S+)", self._requirements.read_text(encoding="utf-8"), re.MULTILINE)
        version = f" {found[1]}" if found else ""
        return f"{self.name}{version}, {self.kept}"

    @property
    def _requirements(self) -> Path:
        return PEERS / f"{self.script}.txt"

    @contextmanager
    def running(self, folder: Path, vendor: str) -> Iterator[Contender]:
        """Its server, with a database and a home of its own."""
        python = interpreter(self.script, ["--requirement", str(self._requirements)])
        port, home = free_port(), folder / self.script
        command = [str(python), str(PEERS / f"{self.script}.py"), str(port)]
        with embedded_postgres(home) as database:
            # A home of its own: nothing of this machine's settings, keys or stored runs.
            environment = {"VENDOR": vendor, "DATABASE": database, "HOME": str(home)}
            with server(command, port, "/readyz", environment) as running:
                yield Contender(running, Cluster(home / "postgres") if self.postgres else None)


ALL_PEERS = (
    Peer("CrewAI", "Crew, its own SQLite", "crewai", "crewai_crew", postgres=False),
    Peer("LangGraph", "PostgreSQL checkpointer", "langgraph", "langgraph_postgres"),
    Peer("Agno", "AG-UI, PostgreSQL", "agno", "agno_agui"),
    Peer("openai-agents", "SQL session in PostgreSQL", "openai-agents", "openai_agents_sql"),
    Peer("pydantic-ai", "AG-UI, runs kept in PostgreSQL", "pydantic-ai-slim", "pydantic_ai_agui"),
)


@contextmanager
def floor_running(vendor: str) -> Iterator[Contender]:
    """The proxy that keeps nothing."""
    with python_server("bench._floor", "/readyz", {"VENDOR": vendor}) as running:
        yield Contender(running, None)


@contextmanager
def weft_running(folder: Path, vendor: str) -> Iterator[Contender]:
    """Weft as it is started by everybody."""
    home = folder / "weft"
    os.environ.pop("WEFT_DATABASE_URL", None)  # its embedded server, as the peers have one
    with weft_server(home, vendor) as running:
        yield Contender(running, Cluster(home / "postgres"))
