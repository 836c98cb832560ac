"""Products of matrices and vectors by their names, and what is made of them."""

from __future__ import annotations

from math import prod
from typing import Any

from .. import ops
from ..apply import apply, apply2
from ..errors import ArgumentTypeError, DTypeError, ProductModeError, ShapeError
from ..matrices import best_order, conjugate, cross_along, same_dtype
from ..tensor import Tensor, rank
from .contraction import matmul
from .pointwise import abs, mul, sub
from .reduction import sum
from .shaping import expand, reshape, transpose, unsqueeze
from .strided import diagonal

__all__ = [
    "addbmm", "addmm", "addmv", "addr", "baddbmm", "bmm", "cdist", "chain_matmul", "cross", "dot", "ger", "inner",
    "kron", "mm", "mv", "outer", "trace", "vdot",
]  # fmt: skip


# ---------------------------------------------------------------------------------- what is accepted


def _of_rank(name: str, size: int, **tensors: Tensor) -> None:
    """Raise ShapeError for a tensor of another rank."""
    kind = {1: "1D tensors expected", 2: "must be a matrix", 3: "must be a 3D tensor"}[size]
    for what, tensor in tensors.items():
        if rank(tensor) != size:
            raise ShapeError(
                f"{name}: {kind}: {what} has shape {list(tensor.shape)}, of {rank(tensor)} dimensions, not {size}. "
                f"Use matmul for operands of other ranks"
            )


# ------------------------------------------------------------------------------------------ products


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """Product of two matrices, (n, m) · (m, p) -> (n, p); nothing is broadcast.

    Raises ShapeError for anything but matrices that fit, DTypeError for two dtypes.

    >>> import tensorplay as tp
    >>> tp.mm(tp.ones(1, 2), tp.eye(2))
    tensor([[1., 1.]])
    """
    _of_rank("mm", 2, input=input, mat2=mat2)
    return matmul(input, mat2)


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Products of the matrices of two batches, (b, n, m) · (b, m, p) -> (b, n, p); nothing is broadcast.

    Raises ShapeError for anything but batches of one size that fit, DTypeError for two dtypes.

    >>> import tensorplay as tp
    >>> tp.bmm(tp.ones(3, 1, 2), tp.ones(3, 2, 4)).shape
    (3, 1, 4)
    """
    _of_rank("bmm", 3, batch1=input, batch2=mat2)
    if input.shape[0] != mat2.shape[0]:
        raise ShapeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{input.shape[0]}, {input.shape[2]}] "
            f"but got: [{mat2.shape[0]}, {mat2.shape[1]}]. bmm pairs the matrices; matmul broadcasts"
        )
    return matmul(input, mat2)


def mv(input: Tensor, vec: Tensor) -> Tensor:
    """Product of a matrix and a vector, (n, m) · (m) -> (n).

    Raises ShapeError for other ranks or sizes, DTypeError for two dtypes.

    >>> import tensorplay as tp
    >>> tp.mv(tp.tensor([[1.0, 2.0], [3.0, 4.0]]), tp.tensor([1.0, 1.0]))
    tensor([3., 7.])
    """
    _of_rank("mv", 2, input=input)
    _of_rank("mv", 1, vec=vec)
    return matmul(input, vec)


def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """Σ input[i] · tensor[i] of two vectors of one length; neither is conjugated.

    Raises ShapeError for other ranks or lengths, DTypeError for two dtypes.

    >>> import tensorplay as tp
    >>> tp.dot(tp.tensor([2.0, 3.0]), tp.tensor([2.0, 1.0]))
    tensor(7.)
    """
    return _dot("dot", input, tensor)


def _dot(name: str, x: Tensor, y: Tensor) -> Tensor:
    if rank(x) != 1 or rank(y) != 1:
        raise ShapeError(f"{name}: 1D tensors expected, but got {rank(x)}D and {rank(y)}D tensors: use matmul or inner")
    if x.shape != y.shape:
        raise ShapeError(
            f"{name}: inconsistent tensor size, expected tensor [{x.shape[0]}] and src [{y.shape[0]}] to have the same "
            f"number of elements, but got {x.shape[0]} and {y.shape[0]} elements respectively"
        )
    return matmul(x, y)


def vdot(input: Tensor, other: Tensor) -> Tensor:
    """Σ conj(input[i]) · other[i] of two vectors: the product whose value for a vector with itself is its length².

    Raises ShapeError for other ranks or lengths, DTypeError for two dtypes.

    >>> import tensorplay as tp
    >>> tp.vdot(tp.tensor([1j, 2]), tp.tensor([1j, 2]))
    tensor(5.+0.j)
    """
    return _dot("vdot", conjugate(input), other)


def inner(input: Tensor, other: Tensor) -> Tensor:
    """Σ over the last dimensions, out[i…, j…] = Σₖ input[i…, k] · other[j…, k]; a single number is multiplied with.

    Raises ShapeError if the last sizes differ, DTypeError for two dtypes.

    >>> import tensorplay as tp
    >>> tp.inner(tp.ones(2, 3), tp.ones(4, 3)).shape
    (2, 4)
    """
    if rank(input) == 0 or rank(other) == 0:
        return mul(input, other)
    if input.shape[-1] != other.shape[-1]:
        raise ShapeError(
            f"inner() the last dimension must match on both input tensors but got shapes {list(input.shape)} and "
            f"{list(other.shape)}: one sums over it"
        )
    if rank(input) == 1 and rank(other) == 1:
        return matmul(input, other)
    left, right = (reshape(x, prod(x.shape[:-1]), x.shape[-1]) for x in (input, other))
    return reshape(matmul(left, transpose(right, 0, 1)), (*input.shape[:-1], *other.shape[:-1]))


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """All products of two vectors, out[i, j] = input[i] · vec2[j]. Raises ShapeError for other ranks.

    >>> import tensorplay as tp
    >>> tp.outer(tp.tensor([1, 2]), tp.tensor([3, 4]))
    tensor([[3, 4],
            [6, 8]])
    """
    for number, x in (("self", input), ("vec2", vec2)):
        if rank(x) != 1:
            raise ShapeError(f"outer: Expected 1-D argument {number}, but got {rank(x)}-D: flatten() it first")
    return mul(unsqueeze(input, 1), vec2)


def ger(input: Tensor, vec2: Tensor) -> Tensor:
    """`outer` by its BLAS name.

    >>> import tensorplay as tp
    >>> tp.ger(tp.tensor([1, 2]), tp.tensor([3]))
    tensor([[3],
            [6]])
    """
    return outer(input, vec2)


# ------------------------------------------------------------------------------------- product and sum


def _plus(name: str, input: Tensor, product: Tensor, beta: Any, alpha: Any) -> Tensor:
    """beta · input + alpha · product; with beta = 0 the numbers of input do not matter, be they NaN."""
    same_dtype(name, input, product)
    weak = product.dtype.is_floating_point or product.dtype.is_complex
    beta, alpha = (factor if weak else int(factor) for factor in (beta, alpha))
    base = expand(input, product.shape)
    scaled = product if alpha == 1 else mul(product, alpha)
    if beta == 0:
        return scaled
    out = apply2(ops.Add, base if beta == 1 else mul(base, beta), scaled)
    return out if out.dtype == product.dtype else out.to(product.dtype)


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta · input + alpha · (mat1 · mat2), input stretched to the product's shape; with beta = 0 input is ignored.

    Raises ShapeError for anything but matrices that fit, DTypeError for two dtypes.

    >>> import tensorplay as tp
    >>> tp.addmm(tp.ones(2), tp.eye(2), tp.eye(2), alpha=3)
    tensor([[4., 1.],
            [1., 4.]])
    """
    _of_rank("addmm", 2, mat1=mat1, mat2=mat2)
    return _plus("addmm", input, matmul(mat1, mat2), beta, alpha)


def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta · input + alpha · (mat · vec), input stretched to the product's shape; with beta = 0 input is ignored.

    Raises ShapeError for other ranks or sizes, DTypeError for two dtypes.

    >>> import tensorplay as tp
    >>> tp.addmv(tp.tensor([1.0, 2.0]), tp.eye(2), tp.tensor([5.0, 5.0]))
    tensor([6., 7.])
    """
    return _plus("addmv", input, mv(mat, vec), beta, alpha)


def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta · input + alpha · outer(vec1, vec2), input stretched to that shape; with beta = 0 input is ignored.

    Raises ShapeError for anything but vectors, DTypeError for two dtypes.

    >>> import tensorplay as tp
    >>> tp.addr(tp.zeros(1), tp.tensor([1.0, 2.0]), tp.tensor([3.0, 4.0]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    _of_rank("addr", 1, vec1=vec1, vec2=vec2)
    return _plus("addr", input, outer(vec1, vec2), beta, alpha)


def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta · input + alpha · Σ over the batch of batch1 · batch2; with beta = 0 input is ignored.

    Raises ShapeError for anything but batches that fit, DTypeError for two dtypes.

    >>> import tensorplay as tp
    >>> tp.addbmm(tp.zeros(1), tp.ones(3, 2, 2), tp.ones(3, 2, 1))
    tensor([[6.],
            [6.]])
    """
    return _plus("addbmm", input, sum(bmm(batch1, batch2), 0, dtype=batch1.dtype), beta, alpha)


def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta · input + alpha · (batch1 · batch2), pairwise; with beta = 0 input is ignored.

    Raises ShapeError for anything but batches that fit, DTypeError for two dtypes.

    >>> import tensorplay as tp
    >>> tp.baddbmm(tp.ones(1), tp.ones(3, 2, 2), tp.ones(3, 2, 1)).shape
    (3, 2, 1)
    """
    return _plus("baddbmm", input, bmm(batch1, batch2), beta, alpha)


# -------------------------------------------------------------------------------------------- others


def kron(input: Tensor, other: Tensor) -> Tensor:
    """Kronecker product: every element of `input` times all of `other`, in blocks.

    >>> import tensorplay as tp
    >>> tp.kron(tp.eye(2), tp.tensor([[1.0, 2.0]]))
    tensor([[1., 2., 0., 0.],
            [0., 0., 1., 2.]])
    """
    size = max(rank(input), rank(other))
    a, b = ((1,) * (size - rank(x)) + tuple(x.shape) for x in (input, other))
    wide, tall = ([n for pair in pairs for n in pair] for pairs in ([(n, 1) for n in a], [(1, n) for n in b]))
    return reshape(mul(reshape(input, wide), reshape(other, tall)), [m * n for m, n in zip(a, b, strict=True)])


def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """Cross product of vectors of three numbers along `dim`: by default the first dimension of size 3.

    Raises ShapeError for other sizes, and for operands of different rank.

    >>> import tensorplay as tp
    >>> tp.cross(tp.tensor([1.0, 0.0, 0.0]), tp.tensor([0.0, 1.0, 0.0]))
    tensor([0., 0., 1.])
    """
    if dim is None:
        dim = next((d for d, n in enumerate(input.shape) if n == 3), None)
        if dim is None:
            raise ShapeError(f"no dimension of size 3 in input: its shape is {list(input.shape)}")
    return cross_along(input, other, dim)


def trace(input: Tensor) -> Tensor:
    """Sum of the diagonal of a matrix. Raises ShapeError for another rank.

    >>> import tensorplay as tp
    >>> tp.trace(tp.tensor([[1, 2], [3, 4]]))
    tensor(5)
    """
    if rank(input) != 2:
        raise ShapeError(f"trace: expected a matrix, but got tensor with dim {rank(input)}: use diagonal().sum(-1)")
    return sum(diagonal(input))


_MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = _MODES[0]) -> Tensor:
    """Distances between all rows, (…, n, k) and (…, m, k) -> (…, n, m): the p-norm of the differences.

    Where two rows are equal the gradient is 0. The differences are formed whatever `compute_mode` says: it is exact.
    Raises ShapeError for rows of different length, DTypeError for whole or complex numbers, ProductModeError.

    >>> import tensorplay as tp
    >>> tp.cdist(tp.tensor([[0.0, 0.0]]), tp.tensor([[3.0, 4.0], [0.0, 1.0]]))
    tensor([[5., 1.]])
    """
    if compute_mode not in _MODES:
        raise ProductModeError(f"{compute_mode} is not a valid value for compute_mode: expected one of {list(_MODES)}")
    for name, x in (("X1", x1), ("X2", x2)):
        if not x.dtype.is_floating_point:
            raise DTypeError(f"cdist only supports floating-point dtypes, {name} got: {x.dtype}. Use x.float()")
        if rank(x) < 2:
            raise ShapeError(
                f"cdist only supports at least 2D tensors, {name} got: {rank(x)}D. unsqueeze(0) makes a row"
            )
    same_dtype("cdist", x1, x2)
    if x1.shape[-1] != x2.shape[-1]:
        raise ShapeError(f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}")
    if p < 0:
        raise ShapeError(f"cdist only supports non-negative p values, got {p}")
    apart = sub(unsqueeze(x1, -2), unsqueeze(x2, -3))
    if apart.shape[-1] == 0:
        return sum(abs(apart), -1)
    return apply(ops.Norm, apart, p=p, dim=(rank(apart) - 1,), keepdim=False)


def chain_matmul(*matrices: Tensor) -> Tensor:
    """Product of matrices in the order of brackets that needs the fewest multiplications. See `linalg.multi_dot`.

    >>> import tensorplay as tp
    >>> tp.chain_matmul(tp.ones(1, 2), tp.ones(2, 3), tp.ones(3, 1))
    tensor([[6.]])
    """
    if not matrices:
        raise ArgumentTypeError("chain_matmul(): expected one or more matrices, got none")
    for number, matrix in enumerate(matrices):
        _of_rank("chain_matmul", 2, **{f"matrix {number}": matrix})
    return best_order(matrices)
