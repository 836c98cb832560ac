"""One library running a program: its variables, and how each step ended."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any

import numpy as np

from .steps import HELPERS, IN_PLACE_HOOK

__all__ = ["Outcome", "World", "array_of", "dtype_of"]


@dataclass(frozen=True)
class Outcome:
    """How a step ended: with which error, and the warnings on the way."""

    error: type[BaseException] | None = None
    text: str = ""
    warned: tuple[type[Warning], ...] = ()

    def __str__(self) -> str:
        return "done" if self.error is None else f"{self.error.__name__}: {self.text.splitlines()[0][:200]}"


@lru_cache(maxsize=20_000)
def _compiled(code: str) -> CodeType:
    return compile(code, "<program>", "exec")


class World:
    """The variables of a program in one library."""

    def __init__(self, lib: Any, editing: str = IN_PLACE_HOOK) -> None:
        self.lib = lib
        self.names: dict[str, Any] = {"lib": lib, "__name__": "program"}
        exec(_compiled(HELPERS + editing), self.names)

    def __getitem__(self, name: str) -> Any:
        return self.names[name]

    @property
    def seen(self) -> list[tuple[str, bool, Any]]:
        """What the hooks were given so far."""
        return self.names["seen"]

    def run(self, code: str) -> Outcome:
        """Execute a step. Its error is kept without its frames, which would keep tensors alive."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(_compiled(code), self.names)
            except Exception as error:
                return Outcome(_builtin(type(error), self.lib), str(error) or type(error).__name__)
        return Outcome(warned=tuple(w.category for w in caught))

    def tensors(self) -> dict[str, Any]:
        """The variables of the program that are tensors (or the None that a gradient may be)."""
        return {name: value for name, value in self.names.items() if name[0] == "v" and name[1:].isdigit()}


def _builtin(kind: type[BaseException], lib: Any) -> type[BaseException]:
    """Ours as they are; PyTorch's own classes by the built-in one behind them."""
    if lib.__name__ != "torch":
        return kind
    return next(k for k in kind.__mro__ if k.__module__ == "builtins")


def array_of(tensor: Any) -> np.ndarray:
    """The numbers of a tensor of either library."""
    return tensor.numpy(force=True)  # PyTorch has zeros without memory


def dtype_of(tensor: Any) -> str:
    """The dtype's name, without the library's."""
    return str(tensor.dtype).rsplit(".", 1)[-1]
