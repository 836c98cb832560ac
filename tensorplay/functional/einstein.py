"""Sums of products by the names of their indices: einsum, and tensordot.

Every product of two is one batched matrix product, between reshapes; so derivatives of all orders come from there.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

from ..arrays.dtypes import int64
from ..errors import EinsumError, ShapeError
from ..matrices import same_dtype
from ..ops.families import normal_dim
from ..tensor import Tensor, rank
from .contraction import matmul
from .pointwise import mul
from .reduction import sum
from .shaping import expand, permute, reshape
from .strided import diagonal

__all__ = ["einsum", "tensordot"]

Index = Any
"""A letter, a number of the sublist form, or ("…", k) for dimension k, from the right, of an ellipsis."""


class Term(NamedTuple):
    """A tensor and the index of each of its dimensions."""

    tensor: Tensor
    indices: tuple[Index, ...]


def einsum(*args: Any) -> Tensor:
    """Sum of products by the names of the dimensions: "ij,jk->ik" is a matrix product.

    Indices that are not in the output are summed over; one that repeats within an operand takes a diagonal; `...`
    stands for any dimensions, which broadcast. Without an arrow the output has the indices that stand once, in
    alphabetical order, behind those of the ellipsis. Also einsum(x, [0, 1], y, [1, 2], [0, 2]), with whole numbers
    for letters. Pairs are multiplied in the order that keeps intermediate results small.
    Raises EinsumError for an equation that does not fit its operands, DTypeError for two dtypes.

    >>> import tensorplay as tp
    >>> tp.einsum("ij,jk->ik", tp.ones(2, 3), tp.ones(3, 1))
    tensor([[3.],
            [3.]])
    >>> tp.einsum("ii", tp.eye(3))
    tensor(3.)
    """
    tensors, subscripts, output = _parsed(args)
    same_dtype("einsum", *tensors)
    terms = [_term(t, s, number) for number, (t, s) in enumerate(zip(tensors, subscripts, strict=True))]
    wanted = _output(output, terms)
    terms = _stretched(terms)
    return _result(_contracted([_diagonals(term) for term in terms], wanted), wanted)


# ------------------------------------------------------------------------------------------ reading it


def _parsed(args: tuple[Any, ...]) -> tuple[list[Tensor], list[list[Index]], list[Index] | None]:
    """The operands, the indices of each (Ellipsis included), and of the output, None if it is not given."""
    if len(args) < 2:
        raise EinsumError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list, such as einsum('ij->ji', x)"
        )
    if not isinstance(args[0], str):
        pairs = len(args) // 2
        output = list(args[-1]) if len(args) % 2 else None
        return list(args[: 2 * pairs : 2]), [list(s) for s in args[1 : 2 * pairs : 2]], output
    tensors = list(args[1] if len(args) == 2 and isinstance(args[1], (list, tuple)) else args[1:])
    left, arrow, right = args[0].replace(" ", "").partition("->")
    subscripts = [_letters(part, args[0]) for part in left.split(",")]
    if len(subscripts) != len(tensors):
        fewer = "fewer" if len(tensors) < len(subscripts) else "more"
        raise EinsumError(
            f"einsum(): {fewer} operands were provided than specified in the equation: {len(tensors)} for "
            f"{len(subscripts)} in '{args[0]}'"
        )
    return tensors, subscripts, _letters(right, args[0]) if arrow else None


def _letters(part: str, equation: str) -> list[Index]:
    letters: list[Index] = list(part.replace("...", "…"))
    for position, letter in enumerate(letters):
        if letter == "…":
            letters[position] = Ellipsis
        elif not (letter.isascii() and letter.isalpha()):
            raise EinsumError(
                f"einsum(): invalid subscript given at index {equation.find(letter)} in the equation string "
                f"'{equation}': {letter!r}, subscripts must be in [a-zA-Z]"
            )
    if letters.count(Ellipsis) > 1:
        raise EinsumError(f"einsum(): found '.' that is not part of any ellipsis, or two ellipses in '{part}'")
    return letters


def _term(tensor: Tensor, subscripts: list[Index], number: int) -> Term:
    """The ellipsis spelled out, numbered from the right, as dimensions broadcast."""
    free = rank(tensor) - (len(subscripts) - subscripts.count(Ellipsis))
    if free < 0 or (free and Ellipsis not in subscripts):
        more = "" if Ellipsis in subscripts else " and no ellipsis was given"
        raise EinsumError(
            f"einsum(): the number of subscripts in the equation ({len(subscripts) - subscripts.count(Ellipsis)}) "
            f"does not match the number of dimensions ({rank(tensor)}) for operand {number}{more}"
        )
    spelled: list[Index] = []
    for index in subscripts:
        spelled += [("…", k) for k in range(free, 0, -1)] if index is Ellipsis else [index]
    return Term(tensor, tuple(spelled))


def _output(output: list[Index] | None, terms: list[Term]) -> tuple[Index, ...]:
    every = [index for term in terms for index in term.indices]
    dots = sorted({index for index in every if isinstance(index, tuple)}, key=lambda index: -index[1])
    if output is None:
        named = {index for index in every if not isinstance(index, tuple)}
        return (*dots, *sorted(index for index in named if every.count(index) == 1))
    for index in output:
        if index is not Ellipsis and index not in every:
            raise EinsumError(
                f"einsum(): output subscript {index} does not appear in the equation for any input operand"
            )
        if output.count(index) > 1:
            raise EinsumError(f"einsum(): output subscript {index} appears more than once in the output")
    wanted: list[Index] = []
    for index in output:
        wanted += dots if index is Ellipsis else [index]
    return tuple(wanted)


# ------------------------------------------------------------------------------------- doing it


def _stretched(terms: list[Term]) -> list[Term]:
    """Without the dimensions of size 1 whose index is longer elsewhere. Raises EinsumError where sizes differ."""
    sizes: dict[Index, int] = {}
    for number, (tensor, indices) in enumerate(terms):
        for index, size in zip(indices, tensor.shape, strict=True):
            if size != 1 and sizes.setdefault(index, size) != size:
                raise EinsumError(
                    f"einsum(): subscript {'...' if isinstance(index, tuple) else index} has size {size} for operand "
                    f"{number} which does not broadcast with previously seen size {sizes[index]}"
                )
    return [_without_ones(term, sizes) for term in terms]


def _without_ones(term: Term, sizes: dict[Index, int]) -> Term:
    """What a term of size 1 adds to a longer dimension is a factor for all of it. Within a diagonal it is stretched."""
    tensor, indices = term
    shape = tuple(sizes.get(i, 1) for i in indices)
    if tuple(tensor.shape) == shape:
        return term
    gone = [i for i, n, m in zip(indices, tensor.shape, shape, strict=True) if n != m and indices.count(i) == 1]
    tensor = expand(tensor, tuple(1 if i in gone else m for i, m in zip(indices, shape, strict=True)))
    kept = tuple(i for i in indices if i not in gone)
    return Term(reshape(tensor, tuple(sizes.get(i, 1) for i in kept)), kept)


def _diagonals(term: Term) -> Term:
    """Each index once: where one repeats, the diagonal of its dimensions."""
    tensor, indices = term
    while (twice := next((i for i in indices if indices.count(i) > 1), None)) is not None:
        first = indices.index(twice)
        second = indices.index(twice, first + 1)
        tensor = diagonal(tensor, 0, first, second)
        indices = (*(i for d, i in enumerate(indices) if d not in (first, second)), twice)
    return Term(tensor, indices)


def _summed(term: Term, keep: set[Index]) -> Term:
    """Without the indices that nobody else has and nobody wants."""
    dims = tuple(d for d, index in enumerate(term.indices) if index not in keep)
    if not dims:
        return term
    return Term(sum(term.tensor, dims), tuple(i for i in term.indices if i in keep))


def _contracted(terms: list[Term], wanted: tuple[Index, ...]) -> Term:
    """The terms multiplied in pairs, those first whose product is smallest beside what it replaces."""
    while len(terms) > 1:
        i, j = min(((i, j) for j in range(len(terms)) for i in range(j)), key=lambda pair: _growth(terms, pair, wanted))
        left, right = terms[i], terms[j]
        rest = [term for k, term in enumerate(terms) if k not in (i, j)]
        needed = {index for term in rest for index in term.indices} | set(wanted)
        terms = [*rest, _product(left, right, needed)]
    return _summed(terms[0], set(wanted))


def _growth(terms: list[Term], pair: tuple[int, int], wanted: tuple[Index, ...]) -> int:
    """Elements of the product less those of its factors."""
    needed = {index for k, term in enumerate(terms) if k not in pair for index in term.indices} | set(wanted)
    factors = [terms[k] for k in pair]
    sizes = {i: n for term in factors for i, n in zip(term.indices, term.tensor.shape, strict=True)}
    return (
        prod(n for i, n in sizes.items() if i in needed) - prod(factors[0].tensor.shape) - prod(factors[1].tensor.shape)
    )


def _product(left: Term, right: Term, needed: set[Index]) -> Term:
    """Two terms as one batched matrix product: shared indices that are needed are the batch, the others are summed."""
    a = _summed(left, needed | set(right.indices))
    b = _summed(right, needed | set(left.indices))
    if a.tensor.dtype != b.tensor.dtype:  # whole numbers that were added up are int64
        a, b = (Term(term.tensor.to(int64), term.indices) for term in (a, b))
    shared = [i for i in a.indices if i in b.indices]
    batch, gone = [i for i in shared if i in needed], [i for i in shared if i not in needed]
    rows, columns = [i for i in a.indices if i not in shared], [i for i in b.indices if i not in shared]
    result = (*batch, *rows, *columns)
    sizes = {i: n for term in (a, b) for i, n in zip(term.indices, term.tensor.shape, strict=True)}
    if not gone:
        return Term(mul(_spread(a, result), _spread(b, result)), result)
    x, y = _matrices(a, batch, rows, gone, sizes), _matrices(b, batch, gone, columns, sizes)
    return Term(reshape(matmul(x, y), tuple(sizes[i] for i in result)), result)


def _spread(term: Term, indices: tuple[Index, ...]) -> Tensor:
    """The tensor with a dimension for each index, of size 1 where it has none."""
    sizes = dict(zip(term.indices, term.tensor.shape, strict=True))
    order = [term.indices.index(i) for i in indices if i in sizes]
    return reshape(permute(term.tensor, order), tuple(sizes.get(i, 1) for i in indices))


def _matrices(term: Term, batch: Any, first: Any, second: Any, sizes: dict[Index, int]) -> Tensor:
    tensor = permute(term.tensor, [term.indices.index(i) for i in (*batch, *first, *second)])
    ends = (prod(sizes[i] for i in first), prod(sizes[i] for i in second))
    return reshape(tensor, (*(sizes[i] for i in batch), *ends))


def _result(term: Term, wanted: tuple[Index, ...]) -> Tensor:
    return permute(term.tensor, [term.indices.index(i) for i in wanted]) if wanted != term.indices else term.tensor


# ----------------------------------------------------------------------------------------- tensordot


def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Sum of products over several dimensions: the last `dims` of `a` with the first of `b`, or two lists of them.

    Raises ShapeError where the sizes of a pair differ, DTypeError for two dtypes.

    >>> import tensorplay as tp
    >>> tp.tensordot(tp.ones(2, 3, 4), tp.ones(4, 3), dims=([2, 1], [0, 1]))
    tensor([12., 12.])
    """
    first, second = _pairs(a, b, dims)
    for i, j in zip(first, second, strict=True):
        if a.shape[i] != b.shape[j] and 1 not in (a.shape[i], b.shape[j]):
            raise ShapeError(
                f"contracted dimensions need to match, but first has size {a.shape[i]} in dim {i} and second has size "
                f"{b.shape[j]} in dim {j}"
            )
    same_dtype("tensordot", a, b)
    names = list(range(rank(a) + rank(b)))
    for i, j in zip(first, second, strict=True):
        names[rank(a) + j] = names[i]
    left, right = names[: rank(a)], names[rank(a) :]
    return einsum(
        a,
        left,
        b,
        right,
        [n for d, n in enumerate(left) if d not in first] + [n for d, n in enumerate(right) if d not in second],
    )


def _pairs(a: Tensor, b: Tensor, dims: Any) -> tuple[list[int], list[int]]:
    if isinstance(dims, Tensor):
        dims = dims.tolist() if dims.numel() > 1 else dims.item()
    if isinstance(dims, int):
        if dims < 0:
            raise ShapeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(rank(a), rank(b)):
            raise ShapeError(
                f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims} for {rank(a)} and {rank(b)} dimensions"
            )
        return list(range(rank(a) - dims, rank(a))), list(range(dims))
    one, two = ([d] if isinstance(d, int) else list(d) for d in dims)
    if len(one) != len(two):
        raise ShapeError(f"both dimension lists should have same length, got {one} and {two}")
    first, second = [normal_dim(d, rank(a)) for d in one], [normal_dim(d, rank(b)) for d in two]
    for found, given in ((first, one), (second, two)):
        if len(set(found)) != len(found):
            raise ShapeError(f"tensordot: a dim appears multiple times in the list of dims: {given}")
    return first, second
