"""Tensors cut at positions, or into pieces as equal as possible: views, each of which may be edited."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

from .. import ops
from ..apply import apply1
from ..errors import ShapeError
from ..ops.families import normal_dim
from ..tensor import Tensor, rank
from .common import either

__all__ = ["dsplit", "hsplit", "tensor_split", "vsplit"]


NAMES = "indices", "sections", "tensor_indices_or_sections"
"""What PyTorch calls the argument, depending on what is given."""


def tensor_split(input: Tensor, indices_or_sections: Any = None, dim: int = 0, **named: Any) -> tuple[Tensor, ...]:
    """Views of pieces along a dimension: that many, as equal as possible, or cut at the positions listed.

    A position beyond the end gives an empty piece. Raises ShapeError for less than one piece.

    >>> import tensorplay as tp
    >>> tp.tensor_split(tp.arange(5), 2), tp.tensor_split(tp.arange(3), (1,))
    ((tensor([0, 1, 2]), tensor([3, 4])), (tensor([0]), tensor([1, 2])))
    """
    at = normal_dim(dim, rank(input))
    if not input.shape:
        raise ShapeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    cuts = _cuts(input.shape[at], _listed(either(indices_or_sections, named, *NAMES)))
    lead = (slice(None),) * at
    return tuple(apply1(ops.GetItem, input, {"index": (*lead, slice(a, b))}) for a, b in cuts)


def _listed(given: Any) -> Any:
    """A number, or positions, also where they stand in a tensor."""
    if isinstance(given, Tensor):
        if given._array.dtype != "int64" or given.ndim > 1:
            raise ShapeError(
                "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional int64 "
                f"tensor, but got shape {list(given.shape)} of {given.dtype}"
            )
        return given.tolist()
    return given if isinstance(given, (tuple, list)) else operator.index(given)


def _cuts(size: int, given: int | Sequence[int]) -> list[tuple[int | None, int | None]]:
    """The ends of each piece."""
    if not isinstance(given, int):
        return list(pairwise((0, *given, None)))
    if given <= 0:
        raise ShapeError(f"number of sections must be larger than 0, got {given}")
    small, larger = divmod(size, given)
    return list(pairwise(accumulate((small + (k < larger) for k in range(given)), initial=0)))


def _split_along(input: Tensor, given: Any, dim: int, least: int, name: str) -> tuple[Tensor, ...]:
    if rank(input) < least:
        raise ShapeError(
            f"{name} requires a tensor with at least {least} dimension, but got a tensor with {rank(input)} dimensions!"
        )
    sections = _listed(given)
    if isinstance(sections, int) and (sections == 0 or input.shape[dim] % sections):
        raise ShapeError(
            f"{name} attempted to split along dimension {dim}, but the size of the dimension {input.shape[dim]} is not "
            f"divisible by the split_size {sections}! tensor_split() makes pieces of different sizes"
        )
    return tensor_split(input, sections, dim)


def hsplit(input: Tensor, indices_or_sections: Any = None, **named: Any) -> tuple[Tensor, ...]:
    """Views of pieces side by side, along the second dimension, or that of a vector: equal ones, or cut as listed.

    Raises ShapeError if equal pieces are not possible.

    >>> import tensorplay as tp
    >>> tp.hsplit(tp.arange(4), 2)
    (tensor([0, 1]), tensor([2, 3]))
    """
    return _split_along(input, either(indices_or_sections, named, *NAMES), 0 if rank(input) == 1 else 1, 1, "hsplit")


def vsplit(input: Tensor, indices_or_sections: Any = None, **named: Any) -> tuple[Tensor, ...]:
    """Views of pieces below each other, along the first dimension: equal ones, or cut as listed.

    Raises ShapeError if equal pieces are not possible, or for a vector.

    >>> import tensorplay as tp
    >>> tp.vsplit(tp.tensor([[1, 2], [3, 4]]), 2)
    (tensor([[1, 2]]), tensor([[3, 4]]))
    """
    return _split_along(input, either(indices_or_sections, named, *NAMES), 0, 2, "vsplit")


def dsplit(input: Tensor, indices_or_sections: Any = None, **named: Any) -> tuple[Tensor, ...]:
    """Views of pieces behind each other, along the third dimension: equal ones, or cut as listed.

    Raises ShapeError if equal pieces are not possible, or for fewer than three dimensions.

    >>> import tensorplay as tp
    >>> [piece.shape for piece in tp.dsplit(tp.ones(1, 2, 4), (1, 3))]
    [(1, 2, 1), (1, 2, 2), (1, 2, 1)]
    """
    return _split_along(input, either(indices_or_sections, named, *NAMES), 2, 3, "dsplit")
