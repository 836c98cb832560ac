"""Instructions a step of two checkouts, side by side: what did a change cost, on a machine that is not quiet?

    git archive OLD | tar -x -C ../old
    python -m benchmarks.instructions ../old .

Counts a recorded addition, a chain of 400 operations with its backward, and a training step of a small network,
in user code, by `perf` or `valgrind`. Start-up cancels out: each loop runs with two lengths, and the difference
counts. The ratio is the second checkout over the first.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from benchmarks.guard import Counter, find_counter

__all__ = ["LOOPS", "per_step"]

PROGRAM = """
import sys
import tensorplay
sys.path.insert(0, sys.argv[3])
from benchmarks import rows
step = getattr(rows, sys.argv[1])(tensorplay).step
for _ in range(int(sys.argv[2])):
    step()
"""
LOOPS = {"add": (500, 5500), "chain": (2, 12), "mlp": (10, 110)}
"""By name of a row of `benchmarks/rows.py`: a short and a long run, in steps."""

WHAT = {"add": "recorded add, 2x3", "chain": "400-op chain, forward and backward", "mlp": "MLP 64-64-10 step, batch 32"}


THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def per_step(counter: Counter, tree: Path, loop: str) -> float:
    """Instructions a step of this loop with the package below `tree`; the loops are always those beside this file."""
    short, long = LOOPS[loop]
    here = str(Path(__file__).parents[1])
    totals = [counter([sys.executable, "-c", PROGRAM, loop, str(n), here], tree) for n in (short, long)]
    return (totals[1] - totals[0]) / (long - short)


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.instructions", description=__doc__.partition("\n")[0])
    parser.add_argument("old", type=Path, help="a folder that holds the package as it was")
    parser.add_argument("new", type=Path, nargs="?", default=Path(), help="the other one (default: this folder)")
    parser.add_argument("--loops", nargs="*", default=list(LOOPS), choices=LOOPS)
    args = parser.parse_args()
    trees = [args.old.resolve(), args.new.resolve()]
    for tree in trees:
        if not (tree / "tensorplay" / "__init__.py").is_file():
            parser.error(f"there is no package tensorplay below {tree}")
    counter = find_counter()
    if counter is None:
        parser.exit(1, "neither perf (with access to the instruction counter) nor valgrind works here\n")
    os.environ.update(dict.fromkeys(THREADS, "1"))  # waiting threads would be counted
    print(f"{'instructions a step, by ' + counter.__name__:<40}{'old':>14}{'new':>14}  ratio")
    for loop in args.loops:
        old, new = (per_step(counter, tree, loop) for tree in trees)
        print(f"{WHAT[loop]:<40}{old:>14,.0f}{new:>14,.0f}  {new / old:.4f}", flush=True)


if __name__ == "__main__":
    main()
