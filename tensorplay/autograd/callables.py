"""Where a function is expected: the error for anything else, raised at the call and not deep inside."""

from __future__ import annotations

from typing import Any

from ..errors import NotCallableError

__all__ = ["check_function"]


def check_function(function: Any, name: str) -> None:
    """Raise NotCallableError unless this can be called; `name` is what it was given to.

    >>> check_function(abs, "jacobian")
    """
    if not callable(function):
        raise NotCallableError(
            f"{name}: '{type(function).__name__}' object is not callable, but a function was expected, got "
            f"{_shown(function)}. Give the function itself, f or lambda x: x * x, and not what it returns"
        )


def _shown(thing: Any) -> str:
    text = repr(thing)
    return text if len(text) <= 60 and "\n" not in text else type(thing).__name__
