"""A real server in a process of its own, which can be killed in the middle of an answer and started again."""

import json
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.cli.conftest import environment, program
from weft.kit.ids import new_id


@dataclass
class Server:
    """`weft serve` over one database and one port."""

    home: Path
    log: Path
    variables: dict[str, str]
    url: str = ""
    _process: subprocess.Popen[str] | None = field(default=None, repr=False)

    def start(self) -> None:
        """Start it, on the port that it had before."""
        port = self.url.rpartition(":")[2] or "0"
        given = {"WEFT_HOME": str(self.home), "WEFT_PORT": port, "WEFT_LOG_LEVEL": "WARNING"} | self.variables
        with self.log.open("a", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                program("serve", "--json"),
                env=environment(**given),
                stdout=subprocess.PIPE,
                stderr=log,
                encoding="utf-8",
            )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._gone()
        assert line, self.log.read_text(encoding="utf-8")[-2000:]
        told: dict[str, Any] = json.loads(line)
        self.url = told["url"]
        self._wait()

    def first_turn(self) -> None:
        """Take a turn and forget it: the first one of a process waits for what it loads."""
        thread = str(new_id())
        said = [{"id": "u", "role": "user", "content": "hello"}]
        asked = {"threadId": thread, "runId": "first", "messages": said, "tools": [], "context": []}
        answer = httpx.post(f"{self.url}/agui", json=asked, timeout=60)
        assert "RUN_FINISHED" in answer.text, answer.text
        assert httpx.delete(f"{self.url}/api/sessions/{thread}").status_code == 204

    def _wait(self) -> None:
        """Wait until it can do its work."""
        until = time.monotonic() + 30
        while time.monotonic() < until:
            if httpx.get(f"{self.url}/readyz").status_code == 200:
                return
            time.sleep(0.1)
        raise TimeoutError("the server does not become ready")

    def kill(self) -> None:
        """As a machine does that loses its power."""
        assert self._process is not None
        self._process.kill()
        self._gone()

    def stop(self) -> None:
        """As an operator does."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._gone()

    def _gone(self) -> None:
        assert self._process is not None
        self._process.communicate(timeout=30)
        self._process = None
