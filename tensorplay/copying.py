"""Copies of tensors: `copy.copy`, `copy.deepcopy`, and pickles.

A copy is a leaf. It takes along the values, the dtype and `requires_grad`; a history cannot be copied, and
hooks are not.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from .errors import CopyError, HooksDroppedWarning
from .source import warn
from .tensor import Tensor, wrap

__all__ = ["copied", "deepcopied", "rebuild", "reduced"]


def deepcopied(self: Tensor, memo: dict[int, Any], grad: bool = True) -> Tensor:
    """A leaf with memory of its own, and a copy of `.grad`. Tensors that share memory share it in the copy too.

    Raises CopyError for a tensor that is no leaf, or inside a transform.

    >>> import copy
    >>> import tensorplay as tp
    >>> x = tp.tensor([1.0, 2.0], requires_grad=True)
    >>> copy.deepcopy(x)
    tensor([1., 2.], requires_grad=True)
    """
    if not self.is_leaf:
        raise CopyError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment: "
            "copy x.detach() instead"
        )
    twin = wrap(_same_memory(_plain(self), memo), self._needs_grad, type(self))
    twin._cell = _same_cell(self, twin, memo)
    memo[id(self)] = twin
    if grad and self._grad is not None:
        twin._grad = deepcopied(self._grad, memo)
    for name, value in getattr(self, "__dict__", {}).items():  # what a subclass keeps
        setattr(twin, name, deepcopy(value, memo))
    return twin


def _plain(x: Tensor) -> np.ndarray[Any, Any]:
    """The array of x, if it is one."""
    if not isinstance(x._array, np.ndarray):
        raise CopyError("a tensor inside a transform (vmap, grad, jvp) cannot be copied or pickled: use x.clone()")
    return x._array


def _same_memory(array: np.ndarray[Any, Any], memo: dict[int, Any]) -> np.ndarray[Any, Any]:
    """A copy; arrays that show one memory show one memory in the copy.

    The whole memory is copied, once, and the copy of an array looks at the same place in it.
    """
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    copied = memo.get(id(owner))
    if copied is None:
        copied = memo[id(owner)] = owner.copy(order="K")
    if array is owner:
        return copied
    memory = copied.transpose(sorted(range(copied.ndim), key=lambda axis: -copied.strides[axis]))
    if copied.strides != owner.strides or not memory.flags.c_contiguous:  # memory with holes: not ours
        return array.copy(order="K")
    offset = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    return np.ndarray(array.shape, array.dtype, memory, offset, array.strides)


def _same_cell(old: Tensor, new: Tensor, memo: dict[int, Any]) -> list[int] | None:
    """One version counter for the copies of tensors that share theirs."""
    return new._cell if old._cell is None else memo.setdefault(id(old._cell), new._cell)


def copied(self: Tensor) -> Tensor:
    """A second leaf on the same memory (and versions), without `.grad` and hooks.

    Raises CopyError inside a transform; warns with HooksDroppedWarning of hooks that stay behind.

    >>> import copy
    >>> import tensorplay as tp
    >>> x = tp.ones(2)
    >>> y = copy.copy(x)
    >>> x[0] = 5.0
    >>> y
    tensor([5., 1.])
    """
    _warn_of_hooks(self)
    twin = wrap(_plain(self), self.requires_grad, type(self))
    twin._cell = self._cell
    for name, value in getattr(self, "__dict__", {}).items():
        setattr(twin, name, value)
    return twin


def reduced(self: Tensor, protocol: Any) -> tuple[Any, ...]:
    """What a pickle keeps: the class, the values, `requires_grad`, and what a subclass added.

    A tensor with history comes back as a leaf. Hooks stay behind, with a HooksDroppedWarning. Raises CopyError inside
    a transform.
    """
    _warn_of_hooks(self)
    return rebuild, (type(self), _plain(self), self.requires_grad), getattr(self, "__dict__", None) or None


def rebuild(cls: type[Tensor], array: Any, requires_grad: bool) -> Tensor:
    """A tensor from its pickle. Pickles know this function by name, so it keeps it."""
    return wrap(array, requires_grad, cls)


def _warn_of_hooks(x: Tensor) -> None:
    """One warning a hook: those of a leaf hang on the leaf, those of another tensor on its node."""
    node = x.grad_fn
    if node is None:
        hooks = [*x._hooks.gradient.values(), *x._hooks.accumulated.values()] if x._hooks is not None else []
    else:
        hooks = list(node.extra.tensor_hooks.get(x.output_nr, {}).values()) if node.extra is not None else []
    for hook in hooks:
        warn(
            f"backward hook {hook!r} on tensor will not be serialized: a copy or a pickle of a tensor has no hooks. "
            f"Register it again on the new tensor.",
            HooksDroppedWarning,
        )


# Attached from here, as the methods in `methods.py` are.
Tensor.__copy__ = copied  # type: ignore[attr-defined]  # a new attribute
Tensor.__deepcopy__ = deepcopied  # type: ignore[attr-defined]  # a new attribute
Tensor.__reduce_ex__ = reduced  # type: ignore[assignment, method-assign]  # replaces `object`'s, for any protocol
