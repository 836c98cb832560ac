"""Which signatures are compared, and where ours are others than PyTorch's."""

from __future__ import annotations

from functools import cache

from tests.parity import listed

NO_ARGUMENTS = ("dtype", "iinfo", "finfo", "Generator", "inf", "nan", "pi", "e")
"""Kinds of things that nobody calls with names, or that PyTorch tells no signature of."""

DEVIATIONS: dict[str, str] = {}
"""Path → reason."""


def compared() -> list[str]:
    """The paths of names.toml with arguments; special methods are called by Python."""
    return [p for p in listed.paths() if "__" not in p and p not in NO_ARGUMENTS]


@cache
def open_signatures() -> frozenset[str]:
    """Signatures that are faults, to be mended."""
    return frozenset(listed.lines("open_signatures.txt"))
