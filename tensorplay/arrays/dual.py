"""Dual values: a value and how fast it moves.

`Dual(x, t)` stands for x + ε t with ε² = 0: a function of it is f(x) + ε f'(x) t, the value together with the
derivative along t. Both parts are Tensors of the layers below; `tensorplay.tangents` says how each op moves.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Dual"]


class Dual:
    """A primal, and its tangent (None stands for zero)."""

    __slots__ = ("primal", "space", "tangent")
    __array_ufunc__ = None
    __hash__ = object.__hash__

    def __init__(self, primal: Any, tangent: Any, space: Any) -> None:
        self.primal = primal
        self.tangent = tangent
        self.space = space

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the primal."""
        return self.primal.shape

    @property
    def ndim(self) -> int:
        """The rank of the primal."""
        return len(self.primal.shape)

    @property
    def size(self) -> int:
        """How many elements the primal has."""
        return self.primal._array.size

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of the primal."""
        return self.primal._array.dtype

    @property
    def nbytes(self) -> int:
        """The bytes of both parts."""
        return sum(part._array.nbytes for part in (self.primal, self.tangent) if part is not None)

    def astype(self, dtype: Any) -> Dual:
        """Both parts cast."""
        return self.space.cast(self, dtype)

    # A value alone does not move: what leaves the tensors behind is the primal's.

    def item(self) -> Any:
        """The primal's number."""
        return self.primal.item()

    def tolist(self) -> Any:
        """The primal's numbers."""
        return self.primal.tolist()

    def __bool__(self) -> bool:
        return bool(self.primal)

    def __repr__(self) -> str:
        inner = repr(self.primal).removeprefix("tensor(").removesuffix(")")
        return inner if self.tangent is None else f"{inner}, tangent={self.tangent!r}"
