"""A tensor that a module learns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import copying, events
from ..errors import TensorExpectedError
from ..leaves import flag
from ..tensor import Tensor, wrap

__all__ = ["Parameter", "clear_gradients"]


class Parameter(Tensor):
    """A tensor that requires a gradient, and that a module finds when it is assigned as an attribute.

    It shares the memory of `data`; it is a leaf whatever the history of `data`.

    >>> import tensorplay as tp
    >>> tp.nn.Parameter(tp.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    __slots__ = ()

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        """Make a parameter of a tensor; without one, an empty parameter. The flag is a bool, else ArgumentTypeError."""
        if data is None:
            data = wrap(np.empty(0, np.float32))
        if not isinstance(data, Tensor):
            raise TensorExpectedError(
                f"a Parameter is made from a tensor, got {type(data).__name__}: write Parameter(tp.tensor(...))"
            )
        parameter: Any = wrap(data._array, flag(requires_grad), cls)
        parameter._cell = data._cell  # one memory, so one version
        return parameter

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        """As for every leaf, but without `.grad`: the twin of a module starts with none, as in PyTorch."""
        twin: Any = copying.deepcopied(self, memo, grad=False)
        return twin

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


def clear_gradients(parameters: Iterable[Tensor], set_to_none: bool = True) -> None:
    """Drop the gradients of these parameters, or fill them with zeros."""
    cleared = tuple(parameters)
    for parameter in cleared:
        grad = parameter._grad
        if set_to_none or grad is None:
            parameter._grad = None
        else:
            # A new tensor: what the old gradient is still part of keeps its values.
            parameter._grad = wrap(np.zeros_like(grad._array))
    if events.listeners:
        events.emit(events.GradsZeroed(cleared))
