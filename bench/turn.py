"""A streamed turn over HTTP with real commits: what it costs Weft, its peers, and a proxy that keeps nothing."""

import math
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import uvloop

from bench._client import post
from bench._contenders import ALL_PEERS, FLOOR, WEFT, Contender, floor_running, weft_running
from bench._environments import NotThereError
from bench._ground import table
from bench._load import Tally, load, turn
from bench._servers import Server, python_server
from weft.kit import log

AT_ONCE = ((1, 30), (50, 100), (200, 200))  # how many at once, how many in a round
ROUNDS = 2  # everybody takes part in each, so that a busy hour is everybody's
FIRST_TOKENS, WARM_TURNS = 40, 3
MIDDLE = 50
MOST_OF_FLOOR, MOST_OF_PEER = 2.5, 1 / 3

Tallies = dict[tuple[str, int], Tally]


def main() -> None:
    """Measure."""
    log.configure("WARNING", plain=True)
    missing: dict[str, str] = {}
    running: dict[str, Contender] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="weft-", ignore_cleanup_errors=True)))
        vendor = stack.enter_context(python_server("bench._vendor", "/v1/models", {}))
        base = f"{vendor.url}/v1"
        running[FLOOR] = stack.enter_context(floor_running(base))
        running[WEFT] = stack.enter_context(weft_running(folder, base))
        first_tokens(vendor, running[FLOOR].server, running[WEFT].server)
        for peer in ALL_PEERS:
            try:
                running[peer.title] = stack.enter_context(peer.running(folder, base))
            except NotThereError as error:
                missing[peer.title] = f"cannot be installed: {error}"
            except RuntimeError as error:
                missing[peer.title] = f"does not start: {error}"
        tallies = measured(running)
    told(tallies, missing)


def first_tokens(vendor: Server, floor: Server, weft: Server) -> None:
    """How much later a first token comes through, one turn at a time, everybody in turns."""
    body = {"model": "scripted", "stream": True, "messages": [{"role": "user", "content": "Tell me a story."}]}
    seconds: dict[str, list[float]] = defaultdict(list)

    async def each(rounds: int) -> None:
        for _ in range(rounds):
            heard = await post(f"{vendor.url}/v1/chat/completions", body, b"word0000")
            seconds["the vendor itself"].append(heard.first)
            seconds[FLOOR].append((await turn(floor.url))[0])
            seconds[WEFT].append((await turn(weft.url))[0])

    uvloop.run(each(WARM_TURNS))
    seconds.clear()
    uvloop.run(each(FIRST_TOKENS))
    bare = statistics.median(seconds["the vendor itself"])
    rows = []
    for name, found in seconds.items():
        middle = statistics.median(found)
        slow = statistics.quantiles(found, n=20)[-1]
        rows.append((name, middle * 1000, slow * 1000, (middle - bare) * 1000))
    table(["first token, 1 at once", "median ms", "95 % within ms", "more than the vendor, ms"], rows)
    print(flush=True)


def measured(running: Mapping[str, Contender]) -> Tallies:
    """Every contender under every load, round by round; who crashed in one stays out of the next."""
    tallies: Tallies = defaultdict(Tally)
    for at_once, turns in AT_ONCE:
        for _ in range(ROUNDS):
            for name, contender in running.items():
                if not contender.server.ended():
                    tallies[name, at_once] += load(contender.server, contender.cluster, at_once, turns)
    return tallies


def told(tallies: Tallies, missing: Mapping[str, str]) -> None:
    """The tables, and how far the aims are met."""
    rows: list[tuple[object, ...]] = []
    for (name, at_once), tally in tallies.items():
        floor, weft = tallies[FLOOR, at_once], tallies[WEFT, at_once]
        cost, per_second = tally.processor, tally.well / tally.wall
        ratios = (cost / floor.processor, cost / weft.processor)
        rows.append((name, at_once, cost, *ratios, per_second, tally.first, tally.failed))
    rows += [(name, "", *[""] * 5, reason) for name, reason in missing.items()]
    what = ["processor ms a turn", "times the floor", "times Weft", "turns/s", "first token ms", "failed"]
    table(["", "at once", *what], rows)
    print()
    behind = []
    for (name, at_once), tally in tallies.items():
        if at_once == MIDDLE and tally.firsts:
            stored = (tally.database, tally.written / tally.well / 1000) if tally.written else ("", "")
            behind.append((name, *stored, statistics.median(tally.events)))
    table([f"{MIDDLE} at once", "database's processor ms a turn", "kB written ahead a turn", "text events"], behind)
    print()
    for at_once, _turns in AT_ONCE:
        _aims(tallies, at_once)


def _aims(tallies: Tallies, at_once: int) -> None:
    weft, floor = tallies[WEFT, at_once].processor, tallies[FLOOR, at_once].processor
    costs = {name: tally.processor for (name, many), tally in tallies.items() if many == at_once}
    peers = {name: cost for name, cost in costs.items() if not math.isnan(cost)}
    best = min(peers.keys() - {FLOOR, WEFT}, key=peers.__getitem__, default=None)
    beside = f", {weft / peers[best]:.2f} of {best} (at most {MOST_OF_PEER:.2f})" if best else ""
    print(f"{at_once} at once: Weft costs {weft / floor:.2f} times the floor (at most {MOST_OF_FLOOR}){beside}.")


if __name__ == "__main__":
    main()
