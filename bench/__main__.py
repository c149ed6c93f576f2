"""`make bench`: run every measurement, or those named: `python -m bench sessions`."""

import importlib
import sys
from pathlib import Path


def names() -> list[str]:
    """Every measurement there is."""
    return sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))


def main() -> None:
    """Run them one after the other."""
    for name in sys.argv[1:] or names():
        print(f"\n## {name}\n", flush=True)
        importlib.import_module(f"bench.{name}").main()


if __name__ == "__main__":
    main()
