"""Which public functions are methods of `Tensor` too, and which have an in-place form: one line a function.

The method is the very function, attached by name, so `help(x.sum)` and `help(tp.sum)` show one text and nothing is
said twice. The in-place form, such as `sin_`, is made of the function, unless the line gives one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from . import functional as F
from . import indexing, inplace
from .tensor import Tensor

__all__ = ["METHODS", "Method", "forms"]

Function = Callable[..., Any]


class Method(NamedTuple):
    """A function as a method of its own name and of the names in `also`."""

    function: Function
    in_place: bool | Function = False
    """Whether there is an in-place form, or that form itself."""
    also: tuple[str, ...] = ()


METHODS = (
    # pointwise
    Method(F.abs, in_place=True),
    Method(F.add, in_place=inplace.add_),
    Method(F.clone),
    Method(F.div, in_place=inplace.div_),
    Method(F.maximum),
    Method(F.minimum),
    Method(F.mul, in_place=inplace.mul_),
    Method(F.neg, in_place=True),
    Method(F.pow, in_place=inplace.pow_),
    Method(F.sub, in_place=inplace.sub_),
    # elementary
    Method(F.atan2, in_place=True),
    Method(F.cos, in_place=True),
    Method(F.exp, in_place=True),
    Method(F.log, in_place=True),
    Method(F.log2, in_place=True),
    Method(F.sin, in_place=True),
    Method(F.sqrt, in_place=True),
    Method(F.tanh, in_place=True),
    # reduction
    Method(F.amax),
    Method(F.amin),
    Method(F.argmax),
    Method(F.argmin),
    Method(F.max),
    Method(F.mean),
    Method(F.min),
    Method(F.norm),
    Method(F.prod),
    Method(F.std),
    Method(F.sum),
    Method(F.var),
    # cumulative
    Method(F.cumprod),
    Method(F.cumsum),
    # sorting
    Method(F.argsort),
    Method(F.median),
    Method(F.sort),
    # shaping
    Method(F.expand),
    Method(F.flatten),
    Method(F.flip),
    Method(F.permute),
    Method(F.reshape),
    Method(F.squeeze),
    Method(F.transpose),
    Method(F.unsqueeze),
    Method(F.view),
    # joining
    Method(F.chunk),
    Method(F.split),
    Method(F.unbind),
    # indexing
    Method(F.gather),
    Method(F.index_put, in_place=indexing.index_put_),
    # contraction
    Method(F.matmul),
    # activation
    Method(F.log_softmax),
    Method(F.relu, in_place=True),
    Method(F.sigmoid, in_place=True),
    Method(F.softmax),
    # edits that have no other form
    Method(inplace.copy_),
    Method(inplace.fill_),
    Method(inplace.zero_),
)


def forms(method: Method) -> Iterator[tuple[str, Function]]:
    """Each name that a line attaches, and the function behind it."""
    for name in (method.function.__name__, *method.also):
        yield name, method.function
        if method.in_place:
            yield f"{name}_", inplace.twin(method.function, f"{name}_") if method.in_place is True else method.in_place


for _method in METHODS:
    for _name, _function in forms(_method):
        setattr(Tensor, _name, _function)
