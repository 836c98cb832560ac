"""Finding the user's line: the nearest frame that is not the engine's own; and warning there."""

from __future__ import annotations

import linecache
import sys
import warnings
from types import FrameType

from .events import Source

__all__ = ["user_frame", "user_line", "warn"]


def user_frame(frame: FrameType | None) -> FrameType | None:
    """The nearest frame outside the package (and outside `contextlib`, which our `with` blocks put in between).

    A module of ours that plays the user says so with `__user_code__`.
    """
    while frame is not None:
        names = frame.f_globals
        module = names.get("__name__", "")
        ours = module in ("tensorplay", "contextlib") or module.startswith("tensorplay.")
        if not ours or "__user_code__" in names:
            return frame
        frame = frame.f_back
    return None


def user_line(frame: FrameType | None = None) -> Source | None:
    """The line the user wrote that led here, or None if only the engine is on the stack."""
    frame = user_frame(frame or sys._getframe(1))
    if frame is None:
        return None
    filename, lineno = frame.f_code.co_filename, frame.f_lineno
    return Source(filename, lineno, frame.f_code.co_name, linecache.getline(filename, lineno).strip())


def warn(message: str, category: type[Warning]) -> None:
    """A warning at the user's line, however deep the engine is, so that Python's once-a-line rule counts call sites."""
    frame = user_frame(sys._getframe(1)) or sys._getframe(1)
    names = frame.f_globals
    warnings.warn_explicit(
        message,
        category,
        frame.f_code.co_filename,
        frame.f_lineno,
        names.get("__name__") or "__main__",  # None would drop the warning
        names.setdefault("__warningregistry__", {}),
    )
