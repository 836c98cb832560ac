"""What is given to a transform and what its function returns: chosen, replaced, checked."""

from __future__ import annotations

from typing import Any

from ..errors import TransformError
from ..tensor import Tensor
from .trees import Tree, flatten

__all__ = ["Argnums", "outputs_of", "replaced", "selected", "split_aux"]

Argnums = int | tuple[int, ...]


def selected(args: tuple[Any, ...], argnums: Any) -> Any:
    """The arguments to differentiate by: one, or a tuple of them. Raises TransformError for numbers that misfit."""
    if not isinstance(argnums, (int, tuple)) or isinstance(argnums, bool):
        raise TransformError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    numbers = argnums if isinstance(argnums, tuple) else (argnums,)
    if not numbers:
        raise TransformError("argnums must be non-empty: name at least one argument to differentiate by, such as 0")
    for number in numbers:
        if not isinstance(number, int):
            raise TransformError(f"argnums must be int or Tuple[int, ...], got: {argnums}")
        if not -len(args) <= number < len(args):
            raise TransformError(
                f"Got argnum={number}, but only {len(args)} positional inputs: they are counted from 0"
            )
    if len({number % len(args) for number in numbers}) != len(numbers):
        raise TransformError(f"argnums elements must be unique, got {argnums}")
    return tuple(args[n] for n in numbers) if isinstance(argnums, tuple) else args[argnums]


def replaced(args: tuple[Any, ...], argnums: Any, new: Any) -> tuple[Any, ...]:
    """The arguments with those that were selected replaced."""
    pairs = zip(argnums, new, strict=True) if isinstance(argnums, tuple) else ((argnums, new),)
    changed = list(args)
    for number, value in pairs:
        changed[number] = value
    return tuple(changed)


def split_aux(result: Any, has_aux: bool, name: str) -> tuple[Any, Any]:
    """(output, aux) of what a function returned; aux is None unless `has_aux`."""
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        got = f"a tuple of {len(result)}" if isinstance(result, tuple) else type(result).__name__
        raise TransformError(
            f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True, got {got}"
        )
    return result


def outputs_of(result: Any, name: str) -> tuple[list[Tensor], Tree]:
    """The tensors a function returned, and their nest."""
    outs, tree = flatten(result)
    if not outs:
        raise TransformError(
            f"{name}: Expected f to be a function that has non-empty output (got output = {result}): there is nothing "
            "to differentiate"
        )
    for y in outs:
        if not isinstance(y, Tensor):
            raise TransformError(
                f"{name}: expected f(*primals) to return only tensors, got unsupported type {type(y)}: "
                "return other things as aux, with has_aux=True"
            )
    return outs, tree
