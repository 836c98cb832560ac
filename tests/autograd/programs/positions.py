"""The rows of functions that pick, put and add elements at positions, and of those that look for positions."""

from __future__ import annotations

from collections.abc import Callable

from .tables import Row, Shape, along

__all__ = ["POSITIONS"]

OWN = "({x} * 1)"
"""PyTorch keeps the input of these, of which we need only the shape."""


def _whole(*forms: str) -> Callable[[Shape], list[str]]:
    """Forms for shapes with elements; {n} is the last position of the first dimension."""
    return lambda s: [f.replace("{n}", str(s[0] - 1)) for f in forms] if s and 0 not in s else []


def _sized(form: Callable[[Shape], list[str]]) -> Callable[[Shape], list[str]]:
    return lambda s: [] if 0 in s else form(s)


POSITIONS: dict[str, Row] = {
    "index_select": Row(_sized(along("lib.index_select({x}, {d}, lib.tensor([0, 0]))")), ("any",)),
    "take": Row(_whole("lib.take({x}, lib.tensor([[{n}, 0], [-1, 0]]))"), ("any",), OWN),
    "take_along_dim": Row(_whole("{x}.take_along_dim(lib.tensor([{n}, 0, 0]))"), ("any",), OWN),
    "index_fill": Row(_sized(along("{x}.index_fill({d}, lib.tensor([0, -1]), 2.0)")), ("any",)),
    "scatter": Row(
        _whole("{x}.scatter(-1, lib.zeros(({n} + 1,) + (1,) * ({x}.ndim - 1), dtype=lib.int64), 2.0)"), ("any",)
    ),
    "masked_fill": Row(
        _whole("{x}.masked_fill(lib.tensor(True), 2.0)", "lib.masked_fill({x} * 1, {x} > 0, -1.0)"), ("settled",)
    ),
    "masked_select": Row(_whole("{x}.masked_select({x} > -100.0)"), ("any",), OWN),
    "msort": Row(_whole("lib.msort({x})"), ("settled",)),
    "nonzero": Row(_whole("lib.nonzero({x})"), ("nonzero",)),
    "argwhere": Row(_whole("{x}.argwhere()"), ("nonzero",)),
    "searchsorted": Row(
        _whole("lib.searchsorted(lib.tensor([-0.5, 0.5], dtype=lib.float64), {x}.detach())"), ("settled",)
    ),
    "bucketize": Row(_whole("lib.bucketize({x}.detach(), lib.tensor([-0.5, 0.5], dtype=lib.float64))"), ("settled",)),
}
"""By the name of the public function, as `OPS`. Not those that put a second tensor at positions: PyTorch keeps it to
check its version, of which a rule needs only the shape; `tests/parity` compares them."""
