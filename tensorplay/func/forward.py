"""`jvp`: a function and its derivative along a direction, in one forward run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..arrays.levels import Frame, entered, next_level
from ..autograd.callables import check_function
from ..autograd.forward_ad import fitting_tangent
from ..autograd.functional_parts import zeros_like
from ..errors import TransformError
from ..lifting import dual, moment, parts
from ..tangents import DualSpace
from ..tensor import Tensor
from .arguments import outputs_of, split_aux
from .trees import Tree, flatten, tree_map

__all__ = ["jvp"]

NAME = "jvp(f, primals, tangents)"


def jvp(
    func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> tuple[Any, ...]:
    """(func(*primals), J t): the value, and its derivative along the tangents, of the value's form.

    Costs about as much as two evaluations, whatever the sizes: the derivative moves along with the value.
    With `has_aux`: (value, J t, aux). With `strict`, a value that does not depend on the primals is an error.

    An edit in place of an argument is seen inside alone: the caller's tensor stays as it is. The results require a
    gradient where a leaf that `func` made does.

    Raises:
        TransformError: primals are no tuple of tensors, or tangents are nested otherwise.
        InPlaceError: `func` edits a tensor from outside.
        ForwardADError: a tangent has another shape than its primal.
        ForwardADValueError: a primal or a tangent is of integer dtype.

    >>> import tensorplay as tp
    >>> tp.func.jvp(lambda x: x * x, (tp.tensor([1.0, 2.0]),), (tp.tensor([1.0, 0.0]),))
    (tensor([1., 4.]), tensor([2., 0.]))
    """
    check_function(func, NAME)
    pairs, tree = _pairs(primals, tangents)
    with _moving() as level:
        inside = tree.unflatten([dual(x, t, level) for x, t in pairs])
        result, aux = split_aux(func(*inside), has_aux, NAME)
        outs, shape = outputs_of(result, NAME)
        both = [parts(y, level) for y in outs]
        aux = tree_map(lambda x: parts(x, level)[0] if isinstance(x, Tensor) else x, aux)
    if strict and any(t is None for _, t in both):
        raise TransformError(
            f"{NAME[:-1]}, strict=True): The output of f is independent of the inputs. This is not allowed with "
            "strict=True."
        )
    value = shape.unflatten([x for x, _ in both])
    moved = shape.unflatten([zeros_like(x) if t is None else t for x, t in both])
    return (value, moved, aux) if has_aux else (value, moved)


@contextmanager
def _moving() -> Iterator[int]:
    level = next_level()
    with entered(Frame("jvp", level, DualSpace(level), born=moment())):
        yield level


def _pairs(primals: Any, tangents: Any) -> tuple[list[tuple[Tensor, Tensor]], Tree]:
    if not isinstance(primals, tuple):
        raise TransformError(
            f"{NAME}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals). "
            f"Got {type(primals).__name__}; write (x,) for one"
        )
    leaves, tree = flatten(primals)
    moves, other = flatten(tangents)
    if other != tree:
        raise TransformError(
            f"{NAME}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {tree} and tangents with "
            f"structure {other}"
        )
    if not leaves:
        raise TransformError(f"{NAME}: Expected primals to contain at least one Tensor.")
    return [_checked(x, t) for x, t in zip(leaves, moves, strict=True)], tree


def _checked(x: Any, t: Any) -> tuple[Tensor, Tensor]:
    if not isinstance(x, Tensor) or not isinstance(t, Tensor):
        raise TransformError(f"{NAME}: Expected primals and tangents to be Tensors, got {type(x)} and {type(t)}")
    return x, fitting_tangent(x, t)
