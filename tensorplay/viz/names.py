"""Which tensors a picture is asked for, and what they are called."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

from ..tensor import Tensor

__all__ = ["Pairs", "caller", "caller_names", "named", "roots_of"]

Pairs = list[tuple[str, Tensor]]

_PACKAGE = str(Path(__file__).resolve().parent.parent)


def roots_of(x: Any) -> Pairs:
    """The tensors in `x`, with the names that a dictionary or a module gives them ("" where there is none).

    Raises TypeError for anything else than a tensor, a module, or lists, tuples and dictionaries of tensors.

    >>> import tensorplay as tp
    >>> [name for name, _ in roots_of({"loss": tp.ones(()), "parts": [tp.ones(2), tp.ones(3)]})]
    ['loss', 'parts[0]', 'parts[1]']
    """
    found: Pairs = []
    waiting: list[tuple[str, Any]] = [("", x)]
    while waiting:
        name, item = waiting.pop()
        if isinstance(item, Tensor):
            found.append((name, item))
        elif is_module(item):
            found += item.named_parameters()
        elif isinstance(item, Mapping):
            waiting += reversed([(f"{name}[{k!r}]" if name else str(k), value) for k, value in item.items()])
        elif isinstance(item, list | tuple):
            waiting += reversed([(f"{name}[{i}]" if name else "", value) for i, value in enumerate(item)])
        else:
            raise TypeError(
                f"only tensors have a graph, got {type(item).__name__}. Give a tensor, a module, or a list, tuple "
                "or dictionary of tensors, for example show(loss) or show({'loss': loss})."
            )
    return found


def named(source: Any) -> Pairs:
    """Names out of a dictionary, a module, or pairs (name, tensor); a dictionary tensor -> name is also understood."""
    if source is None:
        return []
    if is_module(source):
        pairs: Iterable[Any] = source.named_parameters()
    elif isinstance(source, Mapping):
        pairs = source.items()
    elif isinstance(source, Iterable) and not isinstance(source, str):
        pairs = source
    else:
        raise TypeError(f"names come from a dictionary name -> tensor, a module, or pairs; got {type(source).__name__}")
    return [_pair(*pair) for pair in pairs if any(isinstance(part, Tensor) for part in pair)]


def _pair(first: Any, second: Any) -> tuple[str, Tensor]:
    return (str(second), first) if isinstance(first, Tensor) else (str(first), second)


def is_module(item: Any) -> bool:
    """Whether this is a module: asked of its class, so that no attribute of a user's object is run."""
    return not isinstance(item, type) and callable(getattr(type(item), "named_parameters", None))


def caller() -> FrameType | None:
    """The innermost frame that is not ours."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def caller_names(frame: FrameType | None) -> tuple[Pairs, Pairs]:
    """Names that the caller's variables give: of tensors, and of the parameters of modules."""
    tensors: Pairs = []
    parameters: Pairs = []
    for name, value in _variables(frame):
        if isinstance(value, Tensor):
            tensors.append((name, value))
        elif is_module(value):
            parameters += value.named_parameters()
    return tensors, parameters


def _variables(frame: FrameType | None) -> Iterator[tuple[str, Any]]:
    if frame is None:
        return
    local, everywhere = _locals(frame), frame.f_globals
    for name, value in local.items():
        if name[:1].isalpha():  # not _, nor what a tool puts there, such as @py_assert1
            yield name, value
    for name, value in list(everywhere.items()):
        if name[:1].isalpha() and name not in local:
            yield name, value


def _locals(frame: FrameType) -> dict[str, Any]:
    """A copy of the local variables."""
    local = frame.f_locals
    copy = dict(local)
    if isinstance(local, dict) and frame.f_code.co_flags & inspect.CO_OPTIMIZED and sys.getrefcount(local) <= 3:
        # Before Python 3.13 a function's frame keeps this snapshot, and with it every tensor the user deletes later.
        # Three references are the frame's, ours and the call's: one more would be a user's own locals().
        local.clear()
    return copy
