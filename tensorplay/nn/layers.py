"""Layers: modules around the functions of `tensorplay.nn.functional`."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Mapping
from typing import Any, overload

from .. import creation
from ..creation import DTypeLike
from ..errors import HyperparameterError, IndexingError, ModuleTypeError
from ..tensor import Tensor
from . import functional, init
from .module import Module
from .parameter import Parameter

__all__ = ["Bilinear", "Linear", "ReLU", "Sequential", "Sigmoid", "Tanh"]


class Linear(Module):
    """y = x Wᵀ + b, with W of shape (out_features, in_features).

    W and b start evenly spread between ±1/√in_features.

    >>> import tensorplay as tp
    >>> layer = tp.nn.Linear(3, 2)
    >>> layer
    Linear(in_features=3, out_features=2, bias=True)
    >>> layer(tp.zeros(5, 3)).shape
    (5, 2)
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: object = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(creation.empty(out_features, in_features, dtype=dtype, device=device))
        self.bias = Parameter(creation.empty(out_features, dtype=dtype, device=device)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new starting values."""
        bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0.0
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """Shape (…, in_features) to (…, out_features)."""
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Bilinear(Module):
    """y = x₁ᵀ W x₂ + b, with W of shape (out_features, in1_features, in2_features).

    W and b start evenly spread between ±1/√in1_features.

    >>> import tensorplay as tp
    >>> layer = tp.nn.Bilinear(2, 3, 4)
    >>> layer
    Bilinear(in1_features=2, in2_features=3, out_features=4, bias=True)
    >>> layer(tp.zeros(5, 2), tp.zeros(5, 3)).shape
    (5, 4)
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: object = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise HyperparameterError(f"in1_features must be > 0, but got {in1_features}")
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        shape = (out_features, in1_features, in2_features)
        self.weight = Parameter(creation.empty(shape, dtype=dtype, device=device))
        self.bias = Parameter(creation.empty(out_features, dtype=dtype, device=device)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new starting values."""
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """Shapes (…, in1_features) and (…, in2_features) to (…, out_features)."""
        return functional.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        sizes = f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}"
        return f"{sizes}, bias={self.bias is not None}"


class ReLU(Module):
    """max(0, x), element by element.

    >>> import tensorplay as tp
    >>> tp.nn.ReLU()(tp.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Same shape as `input`."""
        return functional.relu(input)


class Tanh(Module):
    """The hyperbolic tangent, element by element.

    >>> import tensorplay as tp
    >>> tp.nn.Tanh()(tp.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Same shape as `input`."""
        return functional.tanh(input)


class Sigmoid(Module):
    """1 / (1 + e⁻ˣ), element by element.

    >>> import tensorplay as tp
    >>> tp.nn.Sigmoid()(tp.tensor([0.0, 2.0]))
    tensor([0.5000, 0.8808])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Same shape as `input`."""
        return functional.sigmoid(input)


class Sequential(Module):
    """Modules one after another; they are found by number, or by name if given as one dict.

    >>> import tensorplay as tp
    >>> model = tp.nn.Sequential(tp.nn.Linear(2, 3), tp.nn.ReLU())
    >>> model
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
    )
    >>> model[-1]
    ReLU()
    """

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        named = modules[0] if len(modules) == 1 and isinstance(modules[0], Mapping) else None
        for name, module in named.items() if named is not None else enumerate(modules):
            if module is None:
                raise ModuleTypeError(
                    f"NoneType is not a Module subclass: Sequential takes modules, got None as number {name}"
                )
            self.add_module(str(name), module)

    def forward(self, input: Any) -> Any:
        """Each module's output is the next one's input."""
        for module in vars(self).values():
            if isinstance(module, Module):
                input = module(input)
        return input

    def append(self, module: Module) -> Sequential:
        """Add a module at the end; returns the Sequential."""
        self.add_module(str(len(self)), module)
        return self

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[Module]:
        return (module for _, module in self._all_children())

    @overload
    def __getitem__(self, index: int) -> Module: ...
    @overload
    def __getitem__(self, index: slice) -> Sequential: ...
    def __getitem__(self, index: int | slice) -> Module:
        if isinstance(index, slice):
            return Sequential(dict(list(self._all_children())[index]))
        return getattr(self, self._name_of(index))

    def __setitem__(self, index: int, module: Module) -> None:
        self.add_module(self._name_of(index), module)

    def _name_of(self, index: int) -> str:
        names = [name for name, _ in self._all_children()]
        try:
            number = operator.index(index)
        except TypeError:
            raise ModuleTypeError(
                f"'{type(index).__name__}' object cannot be interpreted as an integer: a Sequential's modules have "
                f"numbers, 0 to {len(names) - 1}, got {index!r}. get_submodule(name) finds one by name"
            ) from None
        if not -len(names) <= number < len(names):
            raise IndexingError(
                f"index {number} is out of range: this Sequential has {len(names)} modules, numbered from 0"
            )
        return names[number]
