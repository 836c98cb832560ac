"""Whole Jacobians: row by row backward (`jacrev`), column by column forward (`jacfwd`), all at once by `vmap`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import accumulate, pairwise
from math import prod
from typing import Any

from ..autograd.callables import check_function
from ..autograd.functional_parts import unit_tangents
from ..errors import VmapError
from ..functional.shaping import permute, reshape
from ..tensor import Tensor
from .arguments import Argnums, replaced, selected
from .forward import jvp
from .mapping import vmap
from .reverse import vjp
from .trees import flatten

__all__ = ["hessian", "jacfwd", "jacrev"]

Function = Callable[..., Any]


def jacrev(func: Function, argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: int | None = None) -> Function:
    """The function that computes the Jacobian of `func`, one backward pass for all rows at once.

    J has the shape of the output followed by that of the input: J[i, j] = ∂out[i]/∂x[j]. Nests of outputs and
    inputs give a nest of Jacobians. Cheaper than `jacfwd` where there are fewer outputs than inputs.
    `chunk_size` limits how many rows are computed at once. With `has_aux`: (J, aux).

    Raises TransformError where `argnums` does not fit the arguments or `func` returns something else than tensors,
    VmapError for a `chunk_size` below 1.

    >>> import tensorplay as tp
    >>> tp.func.jacrev(lambda x: x * x)(tp.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    check_function(func, "jacrev")
    if chunk_size is not None and chunk_size <= 0:
        raise VmapError(f"jacrev: `chunk_size` should be greater than 0, got {chunk_size}")

    @functools.wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        chosen = selected(args, argnums)

        def of_chosen(new: Any) -> Any:
            return func(*replaced(args, argnums, new), **kwargs)

        value, pull, *aux = vjp(of_chosen, chosen, has_aux=has_aux)
        outs, out_tree = flatten(value)
        inputs, in_tree = flatten(chosen)
        (rows,) = vmap(lambda *v: pull(out_tree.unflatten(v)), chunk_size=chunk_size)(*unit_tangents(outs))
        columns = [_split(block, outs) for block in flatten(rows)[0]]
        blocks = [
            in_tree.unflatten(
                [reshape(column[k], (*y.shape, *x.shape)) for column, x in zip(columns, inputs, strict=True)]
            )
            for k, y in enumerate(outs)
        ]
        found = out_tree.unflatten(blocks)
        return (found, aux[0]) if has_aux else found

    return jacobian


def jacfwd(func: Function, argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error") -> Function:
    """The function that computes the Jacobian of `func`, one forward run for all columns at once.

    The result is that of `jacrev`. Cheaper where there are fewer inputs than outputs. `randomness` is as in `vmap`.

    Raises TransformError as `jacrev` does, ForwardADValueError for inputs of integer dtype.

    >>> import tensorplay as tp
    >>> tp.func.jacfwd(lambda x: x * x)(tp.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    check_function(func, "jacfwd")

    @functools.wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        chosen = selected(args, argnums)
        inputs, in_tree = flatten(chosen)

        def of_chosen(new: Any) -> Any:
            return func(*replaced(args, argnums, new), **kwargs)

        def push(*tangents: Any) -> Any:
            _, *rest = jvp(of_chosen, (chosen,), (in_tree.unflatten(tangents),), has_aux=has_aux)
            return tuple(rest)

        out_dims = (0, None) if has_aux else (0,)
        moved, *aux = vmap(push, out_dims=out_dims, randomness=randomness)(*unit_tangents(inputs))
        columns, out_tree = flatten(moved)
        blocks = [in_tree.unflatten(_columns(column, inputs)) for column in columns]
        found = out_tree.unflatten(blocks)
        return (found, aux[0]) if has_aux else found

    return jacobian


def hessian(func: Function, argnums: Argnums = 0) -> Function:
    """The function that computes all second derivatives of `func`: forward over reverse, `jacfwd(jacrev(func))`.

    H has the shape of the output followed by twice that of the input: H[i, j] = ∂²func/∂x[i]∂x[j] for a single number.
    Raises as `jacrev` and `jacfwd` do.

    >>> import tensorplay as tp
    >>> tp.func.hessian(lambda x: (x**3).sum())(tp.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    check_function(func, "hessian")
    return jacfwd(jacrev(func, argnums), argnums)


# --------------------------------------------------------------------------------- rows and columns


def _spans(tensors: list[Tensor]) -> list[tuple[int, int]]:
    return list(pairwise(accumulate((prod(x.shape) for x in tensors), initial=0)))


def _split(block: Tensor, tensors: list[Tensor]) -> list[Tensor]:
    """A batch over all directions, cut into the parts that belong to each tensor."""
    return [block[start:stop] for start, stop in _spans(tensors)]


def _columns(block: Tensor, inputs: list[Tensor]) -> list[Tensor]:
    """The batch, which counts the inputs' elements, taken to the end, and there given the inputs' shapes."""
    order = (*range(1, block.ndim), 0)
    parts = zip(_split(block, inputs), inputs, strict=True)
    return [reshape(permute(part, *order), (*block.shape[1:], *x.shape)) for part, x in parts]
