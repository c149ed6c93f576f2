"""What the documents say runs, and their two languages say the same."""

import importlib
import os
import pkgutil
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import weft
from weft.accounts.authentication import KeyAuthentication
from weft.app import create_app
from weft.compose import Weft as WeftAtWork
from weft.context.stages import load_stages
from weft.http.problems import _CODES, _STATUS
from weft.kit.db import Database
from weft.kit.errors import WeftError
from weft.settings import Auth, Settings

BLOCK = re.compile(r"^```bash\n(.*?)^```", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
YAML = re.compile(r"^```yaml\n# (\w+\.yaml)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)")
READMES = ("README.md", "README.zh-CN.md")
NOT_HERE = ("make run", "make test", "make check", "make bench")  # the suite itself, or without an end


def _commands(path: Path) -> str:
    return "\n".join(BLOCK.findall(path.read_text(encoding="utf-8")))


def _documents(root: Path) -> list[Path]:
    return [root / name for name in (*READMES, "AGENTS.md", "CHANGELOG.md")] + sorted((root / "docs").rglob("*.md"))


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
    return port


@contextmanager
def _served(folder: Path, auth: str, **more: str) -> Iterator[dict[str, str]]:
    """A server of its own, as `make run` would start it, in a folder where the documents' paths exist."""
    binaries = Path(sys.executable).parent
    (folder / ".venv").mkdir()
    (folder / ".venv" / "bin").symlink_to(binaries)
    environment = {
        "PATH": f"{binaries}:{os.environ['PATH']}",
        "HOME": str(folder),
        "WEFT_HOME": str(folder / "weft"),
        "WEFT_PORT": str(_free_port()),
        "WEFT_AUTH": auth,
        "FOLDER": str(folder),
        **more,
    }
    with subprocess.Popen(
        [binaries / "weft", "serve"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        try:
            assert server.stdout.readline().startswith("Weft is ready")
            yield environment
        finally:
            server.terminate()
            assert server.wait(timeout=30) == 0


def _run(commands: str, environment: dict[str, str]) -> str:
    for command in NOT_HERE:
        commands = commands.replace(command, ":")
    commands = commands.replace("127.0.0.1:8700", f"127.0.0.1:{environment['WEFT_PORT']}")
    commands = commands.replace("curl -s", "curl -s --fail-with-body")
    bash = shutil.which("bash")
    assert bash is not None
    ran = subprocess.run(
        [bash, "-euo", "pipefail", "-c", commands],
        env=environment,
        cwd=environment["FOLDER"],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_the_commands_of_the_readme_run(root: Path, tmp_path: Path) -> None:
    """House: README commands are executed."""
    with _served(tmp_path, "local") as environment:
        printed = _run(_commands(root / "README.md"), environment)
    assert '"username":"小雨"' in printed
    assert "weft_bk_" in printed


def test_the_commands_of_the_how_to_run(root: Path, tmp_path: Path) -> None:
    """House: examples in documents are executed."""
    with _served(tmp_path, "keys") as environment:
        printed = _run(_commands(root / "docs/howto/several-businesses.md"), environment)
        called = _run(_commands(root / "docs/howto/models.md"), environment)
        skilled = _run(_commands(root / "docs/howto/skills.md"), environment)
    assert "weft_op_" in printed
    assert '"user_id":' in printed
    assert "84" in called
    assert '"name":"tea-master","level":"business","state":"available"' in skilled


def test_the_commands_of_looking_at_a_prompt_run(root: Path, tmp_path: Path) -> None:
    """House: examples in documents are executed; SKILL-11."""
    with _served(tmp_path, "local") as environment:
        printed = _run(_commands(root / "docs/howto/inspect-a-prompt.md"), environment)
    assert "user_context/profile" in printed
    assert "Deleted what 0 calls were sent" in printed


def test_the_commands_of_chatting_over_http_run(root: Path, tmp_path: Path) -> None:
    """House: examples in documents are executed; SURF-1, SURF-2, TOOL-3."""
    with _served(tmp_path, "local", WEFT_TOOL_APPROVALS="write_file=always") as environment:
        chatted = _run(_commands(root / "docs/howto/chat-over-http.md"), environment)
        told = _run(_commands(root / "docs/howto/ag-ui.md"), environment)
        _run(_commands(root / "docs/howto/chat-in-the-terminal.md"), environment)
    assert "12*7 = 84" in chatted
    assert "event: done" in chatted
    assert "\ncompleted\n" in chatted, "what was approved went on"
    assert '"status":"denied"' in chatted
    assert '"status":"cancelled"' in chatted
    assert '"object":"chat.completion"' in chatted
    assert '"type":"RUN_FINISHED"' in told
    assert '"type":"MESSAGES_SNAPSHOT"' in told
    assert told.endswith("\n1\n"), "the approved call came to its result"
    assert (tmp_path / "answer.txt").read_text(encoding="utf-8") == "[offline model] 12*7 = 84\n"
    assert '"type":"run_finished"' in (tmp_path / "events.jsonl").read_text(encoding="utf-8")
    files = {path.name for path in (tmp_path / "weft" / "workspaces").rglob("*.md")}
    assert files == {"tea.md"}


def test_the_python_of_the_how_tos_runs(root: Path, tmp_path: Path) -> None:
    """House: examples in documents are executed."""
    examples = [code for path in _documents(root) for code in PYTHON.findall(path.read_text(encoding="utf-8"))]
    assert examples
    for code in examples:
        ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr


def test_the_yaml_of_changing_the_prompts_is_taken(root: Path, tmp_path: Path) -> None:
    """FLOW-1; House: examples in documents are used as they stand."""
    examples = YAML.findall((root / "docs/howto/change-the-prompts.md").read_text(encoding="utf-8"))
    for name, text in examples:
        (tmp_path / name).write_text(text, encoding="utf-8")
    texts = load_stages(tmp_path)
    assert [name for name, _ in examples] == ["agents.yaml", "tasks.yaml"]
    assert "fits on a phone" in texts.text("organization")
    assert "three sentences at most" in texts.text("organization")


def test_both_languages_show_the_same_commands(root: Path) -> None:
    english, chinese = (_commands(root / name) for name in READMES)
    assert english == chinese


def test_every_room_is_on_the_page_to_read_first(root: Path) -> None:
    """House: a newcomer finds every room where the way through them is told."""
    page = (root / "AGENTS.md").read_text(encoding="utf-8")
    rooms = {path.parent.name for path in (root / "src/weft").glob("*/__init__.py")} - {"migrations"}
    assert {room for room in rooms if f"{room}/" not in page} == set()
    assert 60 <= page.count("\n") <= 100


def test_every_link_leads_somewhere(root: Path) -> None:
    for path in _documents(root):
        for target in LINK.findall(path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_the_reference_names_every_setting(root: Path) -> None:
    page = (root / "docs/reference/settings.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `(WEFT_\w+)`", page, re.MULTILINE))
    assert named == {f"WEFT_{name.upper()}" for name in Settings.model_fields}


def test_the_reference_names_every_address(root: Path) -> None:
    """DESIGN 7: everything that people call has its name in the reference."""
    page = (root / "docs/reference/http.md").read_text(encoding="utf-8")
    unused = Database("postgresql://127.0.0.1/unused")
    described = create_app(WeftAtWork(Settings(auth=Auth.KEYS), unused), KeyAuthentication(unused)).openapi()
    steps = {step for path in described["paths"] for step in path.split("/") if step and not step.startswith("{")}
    assert {step for step in steps if f"/{step}" not in page} == set()


def _codes(kind: type[WeftError]) -> set[str]:
    return {kind.code}.union(*(_codes(inner) for inner in kind.__subclasses__()))


def test_the_reference_names_every_error_under_its_status(root: Path) -> None:
    _import_everything()

    page = (root / "docs/reference/errors.md").read_text(encoding="utf-8")
    named = {
        (int(status), code)
        for status, codes in re.findall(r"^\| (\d{3}) \|[^|]*\| ([^|]*) \|$", page, re.MULTILINE)
        for code in re.findall(r"`(\w+)`", codes)
    }
    told: set[tuple[int, str]] = set()
    for kind in _kinds(WeftError):
        if kind.__module__.startswith("weft."):
            told.add((next(status for parent, status in _STATUS if issubclass(kind, parent)), kind.code))
    assert told - {(401, "unauthenticated")} <= named
    assert {code for _, code in named} <= _codes(WeftError) | set(_CODES.values())
    assert {(status, code) for status, code in _CODES.items()} <= named


def _import_everything() -> None:
    """So that every error there is, is known, whichever tests run beside this one."""
    for module in pkgutil.walk_packages(weft.__path__, "weft."):
        if module.name != "weft.__main__" and not module.name.startswith("weft.migrations"):  # these run when imported
            importlib.import_module(module.name)


def _kinds(kind: type[WeftError]) -> set[type[WeftError]]:
    return {kind}.union(*(_kinds(inner) for inner in kind.__subclasses__()))
