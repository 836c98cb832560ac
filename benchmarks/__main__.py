"""`python -m benchmarks [NAMES] [--peers torch] [--threads N] [--json]`."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
from typing import Any

HELD = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")  # where set, NumPy's BLAS is held to older kernels
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def main(argv: list[str]) -> int:
    """Show that the libraries compute the same, then measure them in turns."""
    args = parse(argv)
    start_again_if_needed(argv, args.threads)
    if args.threads == 1 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    report: dict[str, Any] = {"machine": machine(), "threads": args.threads, "rows": {}}
    if not args.json:
        print("\n".join(f"{key:<8} {value}" for key, value in report["machine"].items()), end="\n\n")
    libraries = load(args.peers, args.threads)
    run_rows(args, libraries, report["rows"])
    if "guard" in args.names:
        run_guard(args, report["rows"])
    if args.json:
        print(json.dumps(report, indent=2))
    return 0


def parse(argv: list[str]) -> argparse.Namespace:
    """The command line; without names all rows are run."""
    from benchmarks.rows import ROWS

    known = [*(row.name for row in ROWS), "guard"]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Our times beside a peer's.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"rows to run, of: {', '.join(known)} (default: all)")
    parser.add_argument("--peers", nargs="*", default=["torch"], help="libraries to run beside ours (default: torch)")
    parser.add_argument("--threads", type=int, default=1, help="threads for BLAS and kernels; 1 pins to one core")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    args = parser.parse_args(argv)
    args.names = args.names or known
    if unknown := set(args.names) - set(known):
        parser.error(f"no such row: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    return args


def start_again_if_needed(argv: list[str], threads: int) -> None:
    """Replace this process by one in a clean environment: libraries read these at import."""
    wanted = {name: value for name, value in os.environ.items() if name not in HELD}
    wanted |= dict.fromkeys(THREADS, str(threads))
    if wanted != dict(os.environ):
        sys.stdout.flush()
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks", *argv], wanted)


def machine() -> dict[str, str]:
    """What the numbers depend on: Python, NumPy, and the kernels its BLAS chose."""
    import numpy as np

    facts = {"python": platform.python_version(), "numpy": np.__version__}
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return facts | {"blas": "unknown (threadpoolctl is not installed)"}
    blas = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    return facts | {"blas": ", ".join(f"{p['internal_api']} {p['version']} {p.get('architecture', '')}" for p in blas)}


def load(peers: list[str], threads: int) -> dict[str, Any]:
    """Ours and those peers that are installed."""
    libraries = {"tensorplay": importlib.import_module("tensorplay")}
    for name in peers:
        try:
            libraries[name] = importlib.import_module(name)
        except ImportError:
            print(f"{name} is not installed: its column is left out", file=sys.stderr)
    if "torch" in libraries:
        libraries["torch"].set_num_threads(threads)
    return libraries


def run_rows(args: argparse.Namespace, libraries: dict[str, Any], report: dict[str, Any]) -> None:
    """Measure the timed rows, printing each as it is done."""
    from benchmarks.rows import ROWS
    from benchmarks.timing import check_same, measure

    rows = [row for row in ROWS if row.name in args.names]
    if rows and not args.json:
        print(_table_line("us a step", list(libraries), "ratio", "largest difference"))
    for row in rows:
        workloads = {name: row.build(library) for name, library in libraries.items()}
        difference = check_same(row, workloads)
        report[row.name] = measured = measure(workloads) | {"largest_difference": difference}
        if not args.json:
            ratio = f"{measured['ratio']:.2f}" if "ratio" in measured else "-"
            times = [f"{measured[name]:.2f}" for name in libraries]
            print(_table_line(row.what, times, ratio, f"{difference:.1e}"), flush=True)


def _table_line(what: str, times: list[str], ratio: str, difference: str) -> str:
    return f"{what:<44}{''.join(f'{time:>12}' for time in times)}{ratio:>8}  {difference}"


def run_guard(args: argparse.Namespace, report: dict[str, Any]) -> None:
    """Count what the test for listeners costs when nobody listens."""
    from benchmarks.guard import compare

    report["guard"] = result = compare()
    if args.json:
        return
    print("\ninstructions a step, nobody listening:  with the guard / without it")
    if "skipped" in result:
        print(f"  skipped: {result['skipped']}")
    for name, counts in result.get("counts", {}).items():
        with_guard, without = counts["with"], counts["without"]
        more = with_guard - without
        print(f"  {name:<10} {with_guard:>12,.0f} / {without:,.0f}   {more:+,.0f} ({more / without:+.2%})")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
