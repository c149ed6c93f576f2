"""House rules that no linter knows: `make check` runs this over the tree and names each place that breaks one."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
MADE_ONLY_BY = {"UserAgentContext": "src/weft/profiles/service.py"}
FORBIDDEN_FILE_NAMES = {"utils.py", "helpers.py", "common.py", "manager.py", "base.py"}
MAX_FILE_LINES = 500
MACHINE_WORDS = ("/root/", "/home/", "pypi/simple")


def sources() -> Iterator[Path]:
    """Every Python file of ours."""
    for folder in ("src", "tests", "bench", "tools"):
        yield from sorted((ROOT / folder).rglob("*.py"))


def constructions(path: Path, tree: ast.AST) -> Iterator[str]:
    """Values that one place alone may make (PRO-5)."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
        home = MADE_ONLY_BY.get(str(name))
        if home is not None and path.relative_to(ROOT).as_posix() != home:
            yield f"{path.relative_to(ROOT)}:{node.lineno}: {name} is made in {home} alone; ask the service for it"


def shape(path: Path, text: str, tree: ast.Module) -> Iterator[str]:
    """Names and sizes."""
    where = path.relative_to(ROOT)
    if path.name in FORBIDDEN_FILE_NAMES:
        yield f"{where}: a file's name says its role; this one says none"
    if (lines := text.count("\n")) > MAX_FILE_LINES:
        yield f"{where}: {lines} lines; split it by role (at most {MAX_FILE_LINES})"
    if text.strip() and ast.get_docstring(tree) is None:
        yield f"{where}: a module opens with one sentence of purpose"


def locks() -> Iterator[str]:
    """Nothing of a machine or a registry stands in what is committed."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    for name in tracked:
        path = ROOT / name
        if path == Path(__file__) or not path.is_file() or path.suffix in {".png", ".woff2", ".ico"}:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        for word in MACHINE_WORDS:
            if word in text:
                yield f"{name}: contains {word!r}, which belongs to some machine"


def main() -> None:
    """Check everything; exit with 1 if anything is off."""
    found: list[str] = list(locks())
    for path in sources():
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        found += [*constructions(path, tree), *shape(path, text, tree)]
    for problem in found:
        sys.stderr.write(problem + "\n")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
