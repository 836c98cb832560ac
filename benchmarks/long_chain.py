"""A chain of a million operations: is time linear in length, how much memory does an operation take?

    python -m benchmarks.long_chain [--short 100000] [--long 1000000] [--peers torch]

Each measurement is a process of its own, with a recursion limit of 200: nothing here may recurse. It records
the chain, runs backward, drops the graph, and drops a second one that never ran. Times are processor times.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import subprocess
import sys
from time import process_time
from typing import Any

from benchmarks.memory import resident

__all__ = ["measure", "take"]


def measure(library: str, length: int) -> dict[str, float]:
    """Seconds of each part, and resident bytes an operation, of a chain of additions."""
    lib: Any = importlib.import_module(library)
    x = lib.tensor([1.0], requires_grad=True)
    _chain(x, 1000).backward()  # warm
    x.grad = None
    sys.setrecursionlimit(200)
    taken: dict[str, float] = {}
    before, start = resident(), process_time()
    y = _chain(x, length)
    taken["forward"] = process_time() - start
    taken["bytes"] = (resident() - before) / length
    start = process_time()
    y.backward()
    taken["backward"] = process_time() - start
    assert y.item() == length + 1 and x.grad.item() == 1.0
    start = process_time()
    del y
    taken["drop after"] = process_time() - start
    y = _chain(x, length)
    start = process_time()
    del y
    taken["drop before"] = process_time() - start
    return taken


def _chain(x: Any, length: int) -> Any:
    for _ in range(length):
        x = x + 1.0
    return x


def take(library: str, length: int, collector: bool = True) -> dict[str, float]:
    """`measure` in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.long_chain", "--measure", library, str(length)]
    command += [] if collector else ["--no-collector"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.long_chain", description=__doc__.partition("\n")[0])
    parser.add_argument("--short", type=int, default=100_000)
    parser.add_argument("--long", type=int, default=1_000_000)
    parser.add_argument("--peers", nargs="*", default=["torch"])
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--no-collector", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        if args.no_collector:
            gc.disable()
        print(json.dumps(measure(args.measure[0], int(args.measure[1]))))
        return
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    _print(args)


def _print(args: argparse.Namespace) -> None:
    parts = ("forward", "backward", "drop after", "drop before")
    head = f"{'us an operation':<34}{'length':>10}" + "".join(f"{part:>13}" for part in parts) + f"{'bytes':>9}"
    print(head, end="\n\n")
    for library in ("tensorplay", *args.peers):
        for collector in (True, False):
            name = library + ("" if collector else ", collector off")
            runs = [(length, take(library, length, collector)) for length in (args.short, args.long)]
            for length, taken in runs:
                times = "".join(f"{taken[part] / length * 1e6:>13.3f}" for part in parts)
                print(f"{name:<34}{length:>10}{times}{taken['bytes']:>9.0f}", flush=True)
            short, long = ((taken["forward"] + taken["backward"]) / length for length, taken in runs)
            print(f"{'':<34}forward and backward, an operation of the long chain over one of the short: ", end="")
            print(f"{long / short:.2f}", end="\n\n", flush=True)


if __name__ == "__main__":
    main()
