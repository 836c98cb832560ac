"""An array as it was at one moment: copied whole or summarised, under a budget that is kept and told."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .summary import array_of, number_text, shape_text

__all__ = ["Keeper", "Number", "Value", "plain_numbers"]

_BYTES_A_NUMBER = 32
"""What a kept number costs: a Python float and its place in a tuple."""


Number = int | float | bool | str


@dataclass(frozen=True, slots=True)
class Value:
    """An array as it was at one moment: all of its numbers if there are few, else a summary.

    `total`, `low` and `high` are exact (`total` is summed in float64); `numbers` is the flat list, or
    None when it was left out; `head` holds the first few in any case.
    """

    shape: tuple[int, ...]
    dtype: str
    numbers: tuple[Number, ...] | None
    head: tuple[Number, ...]
    total: Number | None
    low: Number | None
    high: Number | None

    @classmethod
    def of(cls, array: Any, whole: int = 64, head: int = 4) -> Value:
        """Copy what is to be kept of `array`; up to `whole` elements keep every number."""
        a = np.asarray(array)
        flat = a.reshape(-1)
        kept = plain_numbers(flat) if flat.size <= whole else None
        total, low, high = _extent(flat)
        return cls(a.shape, str(a.dtype), kept, plain_numbers(flat[:head]), total, low, high)

    @property
    def text(self) -> str:
        """For a box in the picture: a few numbers whole, many by their mean."""
        whole = self._whole(18)
        return whole if whole is not None else self._short("mean")

    @property
    def gradient_text(self) -> str:
        """The same for a gradient, whose mean says little: its numbers lie within ± this."""
        whole = self._whole(18)
        return whole if whole is not None else self._short("±")

    @property
    def flow_text(self) -> str:
        """The same in the little room along an edge."""
        return next((t for t in (self._whole(10), self._whole(10, brief=True)) if t is not None), self._short("±"))

    @property
    def long(self) -> str:
        """For a card."""
        whole = self._whole(48)
        if whole is not None:
            return whole
        if self.low is None or self.high is None:
            return f"{shape_text(self.shape)} numbers"
        return f"{shape_text(self.shape)} numbers from {number_text(self.low)} to {number_text(self.high)}"

    @property
    def said(self) -> str:
        """For a sentence: the numbers if they are few, else how many there are."""
        whole = self._whole(40)
        return whole if whole is not None else f"{shape_text(self.shape)} numbers"

    def _whole(self, room: int, brief: bool = False) -> str | None:
        """All numbers as text, if they were kept, are few, and fit."""
        if self.numbers is None or self.size > 6:
            return None
        text = _nested_text(self.tolist(), _brief if brief else number_text)
        return text if len(text) <= room else None

    def _short(self, lead: str) -> str:
        if not isinstance(self.total, int | float) or self.low is None or self.high is None:
            return f"{shape_text(self.shape)} numbers"
        if lead == "mean":
            return f"mean {_rough(self.total / self.size)}"
        return f"{lead}{_rough(max(abs(float(self.low)), abs(float(self.high))))}"

    @property
    def size(self) -> int:
        """How many elements."""
        return math.prod(self.shape)

    def tolist(self) -> Any:
        """The numbers, nested as the shape is; None when they were left out."""
        if self.numbers is None:
            return None
        nested = np.empty(len(self.numbers), dtype=object)
        nested[:] = self.numbers
        return nested.reshape(self.shape).tolist()


def plain_numbers(flat: np.ndarray) -> tuple[Number, ...]:
    """Python numbers; a complex one becomes text, which JSON can hold."""
    if flat.dtype.kind in "fiub":
        return tuple(flat.tolist())
    return tuple(str(x) for x in flat.tolist())


def _brief(value: Any) -> str:
    """As rough as can be: 18 for 18.0."""
    return _rough(value).removesuffix(".0")


def _rough(number: Any) -> str:
    """Two digits: enough for a number that stands for many."""
    return number_text(float(f"{number:.2g}") if isinstance(number, float) else number)


def _nested_text(value: Any, write: Callable[[Any], str]) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_nested_text(item, write) for item in value) + "]"
    return write(value)


def _extent(flat: np.ndarray) -> tuple[Number | None, Number | None, Number | None]:
    if flat.dtype.kind not in "fiub" or flat.size == 0:
        return (None, None, None)
    wide = np.float64 if flat.dtype.kind == "f" else np.int64
    with np.errstate(all="ignore"):
        return (np.sum(flat, dtype=wide).item(), flat.min().item(), flat.max().item())


@dataclass(slots=True)
class Keeper:
    """Turns arrays into `Value`s while the budget lasts, and counts what it had to leave out."""

    whole: int
    budget: int
    used: int = 0
    values: int = 0
    elements: int = 0

    def value(self, array: Any) -> Value:
        """A copy of an array (or tensor, or number), or a summary of it."""
        array = array_of(array)
        size = int(getattr(array, "size", 1))
        fits = size <= self.whole and self.used + size * _BYTES_A_NUMBER <= self.budget
        kept = Value.of(array, whole=size if fits else 0)
        if fits:
            self.used += size * _BYTES_A_NUMBER
        else:
            self.values += 1
            self.elements += size - len(kept.head)
        return kept

    def maybe(self, array: Any) -> Value | None:
        """The same, where there may be no array."""
        return None if array is None else self.value(array)
