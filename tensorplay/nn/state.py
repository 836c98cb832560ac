"""Loading a saved state into a module: what fits, what does not, and the copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np

from ..autograd.lines import bump_version
from ..errors import StateDictError, StateDictTypeError
from ..tensor import Tensor

__all__ = ["Loaded", "copy_into", "differences"]


class Loaded(NamedTuple):
    """What `load_state_dict` found: names the state lacked, and names it had too many."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"Loaded(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


def differences(owner: str, mine: Mapping[str, Tensor], given: Mapping[str, Any], strict: bool) -> Loaded:
    """Compare names and shapes; StateDictError names all that does not fit."""
    if not isinstance(given, Mapping):
        hint = "call its state_dict()" if hasattr(given, "state_dict") else "give what state_dict() of a model returned"
        raise StateDictTypeError(f"expected state_dict to be dict-like, got {type(given).__name__}: {hint}")
    loaded = Loaded([name for name in mine if name not in given], [name for name in given if name not in mine])
    problems = [*_names(loaded, mine, given)] if strict else []
    problems += _shapes(mine, given)
    if problems:
        raise StateDictError(f"Error(s) in loading state_dict for {owner}, nothing was loaded:\n" + "\n".join(problems))
    return loaded


def _names(loaded: Loaded, mine: Mapping[str, Tensor], given: Mapping[str, Any]) -> Iterator[str]:
    for name in loaded.missing_keys:
        yield f"  missing     {name} {list(mine[name].shape)}"
    for name in loaded.unexpected_keys:
        near = get_close_matches(str(name), loaded.missing_keys, 1)
        yield f"  unexpected  {name} {list(np.shape(_array(given[name])))}" + (f": meant {near[0]}?" if near else "")


def _shapes(mine: Mapping[str, Tensor], given: Mapping[str, Any]) -> Iterator[str]:
    for name, tensor in mine.items():
        if name not in given:
            continue
        value = _array(given[name])
        if value.dtype.kind not in ("biufc" if tensor._array.dtype.kind == "c" else "biuf"):
            got = type(given[name]).__name__
            yield f"  type        {name}: expected a tensor of numbers for {tensor.dtype}, got {got} ({value.dtype})"
        elif value.shape != tensor.shape:
            sizes = f"the state has {list(value.shape)}, the model {list(tensor.shape)}"
            yield f"  shape       {name}: size mismatch, {sizes}"


def copy_into(mine: Mapping[str, Tensor], given: Mapping[str, Any]) -> None:
    """Write the given values into the tensors of the same name."""
    for name, tensor in mine.items():
        if name in given:
            tensor._array[...] = _array(given[name])
            if tensor._cell is not None:
                bump_version(tensor._cell, "load_state_dict")


def _array(value: Any) -> np.ndarray:
    try:
        return value._array if isinstance(value, Tensor) else np.asarray(value)
    except ValueError:  # rows of different length
        return np.asarray(None)
