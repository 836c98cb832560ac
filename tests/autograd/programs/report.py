"""What the random programs have covered, as numbers and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from .lockstep import Lockstep
from .machine import HOOKS, MODES, NODE_HOOKS, TABLES

__all__ = ["Coverage"]

HOOK_KINDS = [
    *(("tensor hook", name) for name in (*HOOKS, "remove")),
    ("leaf hook", "post-accumulate"),
    *(("node hook", name) for name in NODE_HOOKS),
    *(("multi hook", name) for name in MODES),
]


class Coverage:
    """Sums over the programs that were run."""

    def __init__(self) -> None:
        self.programs = self.clean = self.passes = self.lines = 0
        self.counts: Counter[tuple[str, str]] = Counter()
        self.hits: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()

    def add(self, both: Lockstep) -> None:
        """Count a program that has ended. It is not kept: 20,000 of them would fill the memory."""
        self.programs += 1
        self.clean += both.clean > 0
        self.passes += both.clean
        self.lines += len(both.steps)
        self.counts += both.counts
        self.hits += both.hits
        self.errors += both.errors

    def missing(self) -> list[tuple[str, str]]:
        """Operations, views, edits and hooks that no program got to."""
        wanted = [*((kind, name) for kind, table in TABLES.items() for name in table), *HOOK_KINDS]
        return [pair for pair in wanted if not self.counts[pair]]

    def undecided(self, rows: Iterable[str]) -> list[str]:
        """The decisions that no program came to."""
        return [row for row in rows if not self.hits[row]]

    def __str__(self) -> str:
        kinds = sorted({kind for kind, _ in self.counts})
        lines = [
            f"{self.programs} programs, {self.lines} lines; {self.clean} programs reached a clean backward "
            f"({self.clean / max(self.programs, 1):.0%}), {self.passes} clean passes in all",
            *(f"{kind}: {_listed(self.counts, kind)}" for kind in kinds),
            "errors that both raised: " + _pairs(self.errors),
            "decisions of ours: " + _pairs(self.hits),
        ]
        return "\n".join(lines)


def _listed(counts: Counter[tuple[str, str]], kind: str) -> str:
    return _pairs(Counter({name: n for (k, name), n in counts.items() if k == kind}))


def _pairs(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {n}" for name, n in sorted(counts.items())) or "none"
