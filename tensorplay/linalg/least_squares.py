"""Overdetermined and rank-deficient matrices: the rank, and least squares."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import ops
from ..apply import apply
from ..errors import LinAlgError, ShapeError
from ..functional.contraction import matmul
from ..functional.extremes import amax
from ..functional.pointwise import abs, maximum, mul
from ..functional.reduction import sum
from ..functional.shaping import squeeze, unsqueeze
from ..matrices import matrices, mirrored, pseudoinverse, same_dtype, tolerance
from ..tensor import Tensor, constant, rank, wrap
from .norms import svdvals

__all__ = ["LstsqResult", "lstsq", "matrix_rank"]


class LstsqResult(NamedTuple):
    """The solution, the sums of squared residuals, the rank, and the singular values, where the driver has them."""

    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


def matrix_rank(A: Tensor, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Tensor:
    """How many singular values are above max(atol, rtol · the largest); by default rtol is eps · max(m, n).

    >>> import tensorplay as tp
    >>> tp.linalg.matrix_rank(tp.ones(3, 3))
    tensor(1)
    """
    matrices("matrix_rank", A, square=hermitian)
    low, share = tolerance(A, atol, rtol)
    values = constant(abs(apply(ops.Eigh, mirrored(constant(A), False))[0]) if hermitian else svdvals(constant(A)))
    if values.shape[-1] == 0:
        return sum(values, -1).long()
    cutoff = unsqueeze(amax(values, -1) * share, -1)
    low = unsqueeze(low, -1) if isinstance(low, Tensor) else low
    above: Any = maximum(cutoff, low) if isinstance(low, Tensor) else cutoff
    found: Any = values > above
    return sum(found if isinstance(low, Tensor) else found & (values > low), -1)


_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


def lstsq(A: Tensor, B: Tensor, rcond: Any = None, *, driver: str | None = None) -> LstsqResult:
    """The X of least |A · X - B|, and of those the shortest: pinv(A) · B.

    Singular values up to rcond · the largest are taken for 0 (by default eps · max(m, n)). The residuals are given
    where A has more rows than columns and full rank. Raises ShapeError, DTypeError, LinAlgError for other drivers.

    >>> import tensorplay as tp
    >>> tp.linalg.lstsq(tp.tensor([[1.0], [1.0]]), tp.tensor([[1.0], [3.0]])).rank
    tensor(1)
    """
    if driver is not None and driver not in _DRIVERS:
        raise LinAlgError(f"linalg.lstsq: parameter `driver` should be one of {_DRIVERS}, got {driver!r}")
    matrices("lstsq", A)
    same_dtype("linalg.lstsq", A, B)
    vector = rank(B) == 1 or rank(A) - 1 == rank(B)
    columns = unsqueeze(B, -1) if vector else B
    if A.shape[-2] != columns.shape[-2]:
        raise ShapeError(
            f"linalg.lstsq: input.size(-2) should match other.size(-2): A has {A.shape[-2]} rows, B {columns.shape[-2]}"
        )
    solution = matmul(pseudoinverse(A, None, rcond), columns)
    found = matrix_rank(A, rtol=rcond)
    none = wrap(np.zeros(0, columns.dtype.numpy if not A.dtype.is_complex else abs(constant(A)).dtype.numpy))
    residuals = none
    if (
        A.shape[-2] > A.shape[-1]
        and int(constant(found).numpy().min(initial=A.shape[-1])) == A.shape[-1]
        and driver != "gelsy"
    ):
        away = abs(matmul(A, solution) - columns)
        residuals = sum(mul(away, away), -2)
    values = constant(svdvals(A)) if driver in ("gelsd", "gelss") else none
    return LstsqResult(squeeze(solution, -1) if vector else solution, residuals, found, values)
