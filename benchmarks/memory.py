"""Twenty thousand training steps with the garbage collector off: does memory stay where it is?

    python -m benchmarks.memory [--steps 20000] [--settled 500] [--peers torch]

A cycle left behind by a step would show here, since nobody collects it. Each library runs in a process of
its own; printed is the resident memory after `settled` steps, at the end, and the ratio.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["measure", "resident"]


def resident() -> int:
    """Bytes of this process that are in memory."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize()
    except (ImportError, OSError):
        raise SystemExit("this measurement reads /proc/self/statm, which only Linux has") from None


def measure(library: str, steps: int, settled: int) -> dict[str, int]:
    """Resident bytes after each `settled` steps of training a 64-64-10 network, batch 32."""
    lib: Any = importlib.import_module(library)
    rng = np.random.default_rng(3)
    images = lib.tensor(rng.uniform(0, 1, (32, 64)).astype(np.float32))
    labels = lib.tensor(rng.integers(0, 10, 32))
    net = lib.nn.Sequential(lib.nn.Linear(64, 64), lib.nn.ReLU(), lib.nn.Linear(64, 10))
    optimizer = lib.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    found: dict[str, int] = {}
    for step in range(1, steps + 1):
        optimizer.zero_grad()
        hidden = net[0](images)
        hidden.register_hook(lambda g: g * 1.0)
        hidden.retain_grad()
        loss = lib.nn.functional.cross_entropy(net[2](net[1](hidden)), labels)
        loss.backward()
        optimizer.step()
        if step % settled == 0:
            found[str(step)] = resident()
    return found


def main() -> None:
    """Measure each library in a process of its own, and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--settled", type=int, default=500)
    parser.add_argument("--peers", nargs="*", default=["torch"])
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        gc.disable()
        print(json.dumps(measure(args.measure, args.steps, args.settled)))
        return
    print(f"{'resident, MB':<14}{'step ' + str(args.settled):>14}{'highest':>14}{'step ' + str(args.steps):>14}  ratio")
    for library in ("tensorplay", *args.peers):
        command = [sys.executable, "-m", "benchmarks.memory", "--measure", library, "--steps", str(args.steps)]
        answer = subprocess.run(
            [*command, "--settled", str(args.settled)], capture_output=True, text=True, check=True
        ).stdout
        values = list(json.loads(answer).values())
        first, last, most = (values[0] / 1e6, values[-1] / 1e6, max(values) / 1e6)
        print(f"{library:<14}{first:>14.2f}{most:>14.2f}{last:>14.2f}  {most / first:.4f}", flush=True)


if __name__ == "__main__":
    main()
