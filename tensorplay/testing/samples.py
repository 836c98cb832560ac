"""The samples that ops declare, turned into numbers: the same numbers in every run, on every machine.

for case in valid_cases():
    arrays = case.arrays(np.float64)
    out = case.op.forward(xp, *arrays, **case.params)
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ops.base import OPS, Arg, Op, Sample

__all__ = ["LAYOUTS", "Case", "cases", "invalid_cases", "materialise", "valid_cases"]

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Case:
    """One sample of one op; `number` is its place in the op's list."""

    op: type[Op]
    number: int
    sample: Sample

    def __str__(self) -> str:
        return f"{self.op.__name__}-{self.number}"

    @property
    def params(self) -> dict[str, Any]:
        """The keyword arguments of the op's `forward`."""
        return self.sample.params

    def arrays(self, dtype: Any = np.float64, layout: str = "contiguous") -> list[Any]:
        """The inputs: an array for each `Arg` (floats as `dtype`, laid out as asked), other values as they are."""
        made = (materialise(x, f"{self}-{i}", dtype) for i, x in enumerate(self.sample.inputs))
        return [LAYOUTS[layout](x) if isinstance(x, np.ndarray) and x.ndim else x for x in made]

    def differentiable(self) -> list[int]:
        """Numbers of the inputs that a gradient can be asked for: float arrays whose op has a rule for them."""
        names = self.op.inputs
        floats = [i for i, x in enumerate(self.sample.inputs) if isinstance(x, Arg) and x.kind == "float"]
        return [i for i in floats if self.op.joint is not None or names[i] in self.op.rules]


def cases() -> Iterator[Case]:
    """Every sample of every op, in the order of declaration."""
    for op in OPS.values():
        for number, sample in enumerate(op.samples):
            yield Case(op, number, sample)


def valid_cases() -> list[Case]:
    """The samples that must work."""
    return [case for case in cases() if case.sample.error is None]


def invalid_cases() -> list[Case]:
    """The samples that must raise the error they name."""
    return [case for case in cases() if case.sample.error is not None]


def materialise(value: Any, key: str, dtype: Any = np.float64) -> Any:
    """An array for an `Arg`, drawn from a generator seeded by `key`; any other value is returned as it is.

    >>> from tensorplay.ops.base import arg
    >>> materialise(arg(2, kind="int", low=0, high=5), "doc").dtype
    dtype('int64')
    """
    if not isinstance(value, Arg):
        return value
    dtype = {"int": np.int64, "bool": np.bool_}.get(value.kind, dtype)
    if value.values is not None:
        return np.array(value.values, dtype)
    rng = np.random.default_rng(zlib.crc32(key.encode()))
    if value.kind == "bool":
        return np.asarray(rng.random(value.shape) < 0.5)
    return np.asarray(rng.uniform(value.low, value.high, value.shape)).astype(dtype)


def _strided(array: Array) -> Array:
    """The same numbers in every other cell of a wider buffer."""
    wide = np.full((*array.shape[:-1], 2 * array.shape[-1]), 77, array.dtype)
    wide[..., ::2] = array
    return wide[..., ::2]


def _backwards(array: Array) -> Array:
    """The same numbers read through negative strides."""
    flipped = array[(slice(None, None, -1),) * array.ndim].copy()
    return flipped[(slice(None, None, -1),) * array.ndim]


LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "contiguous": lambda array: array,
    "columns": np.asfortranarray,
    "strided": _strided,
    "backwards": _backwards,
}
"""Ways to lay the same numbers out in memory, for arrays of one dimension and more."""
