"""What functions of matrices share: what they accept, and steps that several of them take."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import ops
from .apply import apply, apply1
from .errors import DTypeError, LinAlgError, ShapeError
from .inplace import SPOKEN
from .ops.families import broadcast_shapes, normal_dim
from .tensor import Tensor, constant, rank, wrap

__all__ = [
    "adjoint", "best_order", "conjugate", "cross_along", "factor", "matrices", "mirrored", "pseudoinverse",
    "same_dtype", "same_matrix", "tolerance",
]  # fmt: skip


def same_dtype(name: str, *tensors: Tensor) -> None:
    """Raise DTypeError unless all are of one dtype: products convert nothing, as in PyTorch."""
    kinds = [t.dtype for t in tensors]
    if any(kind != kinds[0] for kind in kinds):
        spoken = " and ".join(SPOKEN.get(kind.name, kind.name) for kind in kinds)
        raise DTypeError(
            f"{name}: expected the operands to have the same dtype, but got {spoken}: "
            f"products convert nothing; convert one with .to(dtype)"
        )


def conjugate(x: Tensor) -> Tensor:
    """The complex conjugate; real tensors as they are."""
    return apply1(ops.Conj, x) if x.dtype.is_complex else x


def cross_along(input: Tensor, other: Tensor, dim: int) -> Tensor:
    """The cross product along a given dimension; the others broadcast."""
    if rank(input) != rank(other):
        raise ShapeError(
            f"linalg.cross: inputs must have the same number of dimensions, got {list(input.shape)} and "
            f"{list(other.shape)}: unsqueeze() one of them"
        )
    d = normal_dim(dim, rank(input))
    if rank(input) == 0 or input.shape[d] != 3 or other.shape[d] != 3:
        raise ShapeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {list(input.shape)} and {list(other.shape)}"
        )
    shape = broadcast_shapes(tuple(input.shape), tuple(other.shape))
    x, y = (apply1(ops.Expand, t, {"shape": shape}) for t in (input, other))

    def turned(t: Tensor, by: int) -> Tensor:
        return apply1(ops.Roll, t, {"shifts": (by,), "dims": (d,)})

    first, second = apply(ops.Mul, turned(x, -1), turned(y, -2)), apply(ops.Mul, turned(x, -2), turned(y, -1))
    return apply(ops.Sub, first, second)


def best_order(matrices: Any) -> Tensor:
    """The product of matrices by the cheapest bracketing: dynamic programming over where the last product splits."""
    sizes = [m.shape[0] for m in matrices] + [matrices[-1].shape[1]]
    cost: dict[tuple[int, int], tuple[int, int]] = {(i, i): (0, i) for i in range(len(matrices))}
    for length in range(1, len(matrices)):
        for i in range(len(matrices) - length):
            j = i + length
            cost[i, j] = min(
                (cost[i, k][0] + cost[k + 1, j][0] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            )

    def product(i: int, j: int) -> Tensor:
        split = cost[i, j][1]
        return matrices[i] if i == j else apply(ops.MatMul, product(i, split), product(split + 1, j))

    return product(0, len(matrices) - 1)


def matrices(name: str, x: Any, square: bool = False) -> Any:
    """Raise unless x has matrices of floating or complex numbers, of 32 bits or more, in its last two dimensions."""
    dtype, shape = x.dtype, tuple(x.shape)
    spoken = SPOKEN.get(dtype.name, dtype.name)
    if not (dtype.is_floating_point or dtype.is_complex):
        raise DTypeError(
            f"linalg.{name}: Expected a floating point or complex tensor as input. Got {spoken}: use x.float()"
        )
    if dtype.name in ("float16", "bfloat16"):
        raise DTypeError(f"linalg.{name}: Low precision dtypes not supported. Got {spoken}: use x.float()")
    if len(shape) < 2:
        raise ShapeError(
            f"linalg.{name}: The input tensor A must have at least 2 dimensions, got shape {list(shape)}: "
            f"unsqueeze() makes a row or a column of a vector"
        )
    if square and shape[-1] != shape[-2]:
        raise ShapeError(
            f"linalg.{name}: A must be batches of square matrices, but they are {shape[-2]} by {shape[-1]} matrices"
        )
    return x


def adjoint(x: Tensor) -> Tensor:
    """The conjugate transpose of matrices."""
    n = rank(x)
    return conjugate(apply1(ops.Permute, x, {"dims": (*range(n - 2), n - 1, n - 2)}))


def mirrored(x: Tensor, upper: bool) -> Tensor:
    """The Hermitian matrix of which one triangle is given; its gradient is Hermitian, as if all of x had been read.

    The other triangle's numbers are replaced by way of a constant, the difference, which is 0 for Hermitian x.
    """
    half = (x + adjoint(x)) / 2
    given, part = constant(x), ops.Triu if upper else ops.Tril
    kept, beyond = (apply1(part, given, {"diagonal": d}) for d in (0, 1 if upper else -1))
    return half + (kept + adjoint(beyond) - constant(half))


def same_matrix(a: Tensor) -> Tensor:
    """Identity matrices of the size, batch and dtype of a."""
    n = a.shape[-1]
    return apply1(ops.Expand, wrap(np.eye(n, dtype=a.dtype.numpy)), {"shape": (*a.shape[:-2], n, n)})


def tolerance(x: Tensor, atol: Any, rtol: Any) -> tuple[Any, Any]:
    """The absolute and the relative cutoff of singular values, with PyTorch's defaults."""
    if rtol is None:
        given = atol is not None and (isinstance(atol, Tensor) or atol > 0)
        rtol = 0.0 if given else np.finfo(x.dtype.numpy).eps.item() * max(x.shape[-2:])
    return 0.0 if atol is None else atol, rtol


def _plain(name: str, value: Any) -> float:
    """A cutoff as a number."""
    if isinstance(value, Tensor):
        if value.numel() != 1:
            raise LinAlgError(
                f"linalg.pinv: {name} of shape {list(value.shape)}: here one cutoff serves the whole batch, so give "
                f"one number, or go through the matrices in turn"
            )
        return float(value.item())
    return float(value)


def pseudoinverse(input: Tensor, atol: Any, rtol: Any) -> Tensor:
    """The pseudoinverse, singular values up to max(atol, rtol · the largest) taken for 0."""
    atol, rtol = tolerance(matrices("pinv", input), atol, rtol)
    return apply(ops.Pinv, input, atol=_plain("atol", atol), rtol=_plain("rtol", rtol))


def factor(name: str, input: Tensor, upper: bool) -> Tensor:
    """The Cholesky factor, read from one triangle."""
    matrices(name, input, square=True)
    out = apply1(ops.Cholesky, mirrored(input, upper))
    return adjoint(out) if upper else out
