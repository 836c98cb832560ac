"""`vmap`: a function written for one example, run on a whole batch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from ..autograd.bridge import bridge
from ..autograd.callables import check_function
from ..errors import DimensionError, RandomnessError, VmapError
from ..functional.joining import cat
from ..functional.shaping import permute
from ..lifting import batched, level_of, lift, mapped, unbatched
from ..tensor import Tensor
from .trees import Tree, flatten, prefixed

__all__ = ["vmap"]

Function = Callable[..., Any]


def vmap(
    func: Function,
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Function:
    """The function that runs `func` for every example of a batch, without a loop.

    `vmap(f)(x)[i]` equals `f(x[i])`. Inside, tensors look as they would for one example. An edit in place of an
    argument is seen inside alone: the caller's tensor stays as it is. A tensor kept from inside cannot be used after
    the call.

    Args:
        func: takes and returns tensors, or nested tuples, lists and dicts of them.
        in_dims: the dimension that counts the examples: one for all arguments, or a nest that matches them;
            None where an argument is the same for all examples, as keyword arguments always are.
        out_dims: where that dimension goes in the results; None for one that does not depend on the examples,
            which may then be anything.
        randomness: what a random function inside is to do: "error", "different" for each example, or the "same".
        chunk_size: run at most so many examples at once, which takes less memory.

    Raises:
        VmapError: there is nothing to map over, sizes differ, or `func` returns something that is no tensor.
        VmapReadError: `func` asks for a Python number or a truth value of a mapped tensor.
        RandomnessError: a random function is called and `randomness` is "error".

    >>> import tensorplay as tp
    >>> tp.vmap(lambda row: row / row.sum())(tp.tensor([[1.0, 3.0], [2.0, 2.0]]))
    tensor([[0.2500, 0.7500],
            [0.5000, 0.5000]])
    """
    check_function(func, "vmap")
    if randomness not in ("error", "different", "same"):
        raise RandomnessError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
        )
    if chunk_size is not None and chunk_size <= 0:
        raise VmapError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def mapped_function(*args: Any, **kwargs: Any) -> Any:
        name = getattr(func, "__name__", type(func).__name__)
        call = _Call(func, name, args, kwargs, in_dims)
        if chunk_size is None or call.size <= chunk_size:
            return call.run(call.leaves, call.size, out_dims, randomness)
        return call.in_chunks(chunk_size, out_dims, randomness)

    return mapped_function


class _Call:
    """One call of a mapped function: its arguments with the dimension to map over in front."""

    def __init__(self, func: Function, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], in_dims: Any) -> None:
        self.func, self.name = func, name
        leaves, self.tree, dims = _arguments(name, args, kwargs, in_dims)
        dims = [_checked_dim(name, in_dims, x, d) for x, d in zip(leaves, dims, strict=True)]
        self.mapped = [d is not None for d in dims]
        self.leaves = [x if d is None else _moved(x, d, 0) for x, d in zip(leaves, dims, strict=True)]
        self.size = self._batch_size()

    def _batch_size(self) -> int:
        sizes = [x.shape[0] for x, m in zip(self.leaves, self.mapped, strict=True) if m]
        if not sizes:
            raise VmapError(
                f"vmap: Expected at least one Tensor to vmap over, but every in_dims of {self.name} is None: "
                "give the dimension that counts the examples, or call the function itself"
            )
        if len(set(sizes)) > 1:
            raise VmapError(
                "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                f"{sizes} for the mapped dimension of {self.name}: there must be one entry for each example"
            )
        return sizes[0]

    def run(self, leaves: list[Any], size: int, out_dims: Any, randomness: str) -> Any:
        """The function on all of these examples at once."""
        outs, shape, dims = self._outputs(leaves, size, out_dims, randomness)
        return shape.unflatten(_placed(x, d) for x, d in zip(outs, dims, strict=True))

    def _outputs(self, leaves: list[Any], size: int, out_dims: Any, randomness: str) -> tuple[list[Any], Tree, Any]:
        """Results with the examples in front (unless their out_dim is None), their nest and their out_dims."""
        with mapped(size, randomness) as level:
            inside = [batched(x, level) if m else x for x, m in zip(leaves, self.mapped, strict=True)]
            args, kwargs = self.tree.unflatten(inside)
            outs, shape = flatten(self.func(*args, **kwargs))
            dims = prefixed(out_dims, shape)
            if dims is None:
                raise VmapError(
                    f"vmap({self.name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the "
                    f"structure of `outputs`. out_dims has structure {flatten(out_dims)[1]} but outputs has "
                    f"structure {shape}. Give one number for all, or a nest of the same form"
                )
            _check_out_dims(self.name, out_dims, dims)
            return [self._out(x, d, level) for x, d in zip(outs, dims, strict=True)], shape, dims

    def _out(self, x: Any, dim: int | None, level: int) -> Any:
        if not isinstance(x, Tensor):
            if dim is None:  # the same for all examples, whatever it is
                return x
            raise VmapError(
                f"vmap({self.name}, ...): `{self.name}` must only return Tensors, got type {type(x)}: "
                "return numbers and other things from outside the mapped function, or with None as their out_dims"
            )
        if dim is not None:
            return unbatched(lift(x, level), level)[0]
        if level_of(x) == level:
            raise VmapError(
                f"vmap({self.name}, ...): `{self.name}` can not return a BatchedTensor when out_dim is None: this "
                "result differs between the examples, so say which dimension of the result is to count them"
            )
        return x

    def in_chunks(self, chunk: int, out_dims: Any, randomness: str) -> Any:
        """The examples in several runs, the results joined."""
        runs = [
            self._outputs(leaves, size, out_dims, randomness)
            for leaves, size in _chunks(self.leaves, self.mapped, self.size, chunk)
        ]
        _, shape, dims = runs[0]
        columns = zip(*(outs for outs, _, _ in runs), strict=True)
        joined = (xs[0] if d is None else _placed(cat(xs), d) for xs, d in zip(columns, dims, strict=True))
        return shape.unflatten(joined)


def _chunks(leaves: list[Any], is_mapped: list[bool], size: int, chunk: int) -> Iterator[tuple[list[Any], int]]:
    for start in range(0, size, chunk):
        part = slice(start, min(start + chunk, size))
        yield [x[part] if m else x for x, m in zip(leaves, is_mapped, strict=True)], part.stop - part.start


# ------------------------------------------------------------------------------------------- arguments


def _arguments(name: str, args: Any, kwargs: Any, in_dims: Any) -> tuple[list[Any], Tree, list[Any]]:
    """The leaves of all arguments, their nest, and an in_dim for each."""
    if not isinstance(in_dims, (int, tuple)) and in_dims is not None:
        raise VmapError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a (potentially nested) "
            f"tuple matching the structure of inputs, got: {type(in_dims)}."
        )
    if not args:
        raise VmapError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over "
            "a function with no inputs. The latter is unsupported."
        )
    leaves, tree = flatten((args, kwargs))
    dims = prefixed(in_dims, tree.branches[0])
    if dims is None:
        raise VmapError(
            f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the structure of "
            f"`inputs`. in_dims has structure {flatten(in_dims)[1]} but inputs has structure {tree.branches[0]}."
        )
    return leaves, tree, dims + [None] * (len(leaves) - len(dims))


def _checked_dim(name: str, in_dims: Any, x: Any, dim: Any) -> int | None:
    """The dimension counted from the front; None where the argument is not mapped over."""
    if dim is None:
        return None
    start = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={dim} for "
    if not isinstance(dim, int):
        raise VmapError(f"{start}an input: expected int or None, got {type(dim)}")
    if not isinstance(x, Tensor):
        raise VmapError(
            f"{start}an input but the input is of type {type(x)}. We cannot vmap over non-Tensor arguments, "
            "please use None as the respective in_dim"
        )
    if not -x.ndim <= dim < x.ndim:
        raise VmapError(
            f"{start}some input, but that input is a Tensor of dimensionality {x.ndim} so expected in_dim to satisfy "
            f"-{x.ndim} <= in_dim < {x.ndim}."
        )
    return dim % x.ndim


# ---------------------------------------------------------------------------------------------- axes


def _moved(x: Tensor, source: int, target: int) -> Tensor:
    """One dimension taken to another place, the others in order."""
    if source == target:
        return x
    order = [d for d in range(x.ndim) if d != source]
    order.insert(target, source)
    return permute(x, *order)


def _check_out_dims(name: str, out_dims: Any, dims: list[Any]) -> None:
    for dim in dims:
        if dim is not None and not isinstance(dim, int):
            raise VmapError(
                f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of "
                f"ints that says where the mapped dimension goes in the outputs, got {dim!r}"
            )


def _placed(x: Tensor, dim: int | None) -> Tensor:
    """The examples' dimension, which is in front, taken to where it is wanted."""
    if dim is None:
        return x
    if not -x.ndim <= dim < x.ndim:
        raise DimensionError(
            f"Dimension out of range (expected to be in range of [{-x.ndim}, {x.ndim - 1}], but got {dim}): "
            "it is the out_dims of a result, which has one dimension more than it had inside vmap"
        )
    return _moved(x, 0, dim % x.ndim)


bridge.vmap = vmap
