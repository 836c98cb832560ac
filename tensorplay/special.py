"""Why an operation must take the general path.

The short paths of `apply.py` test one module-level tuple and nothing else. Whoever needs to see
operations (listeners), or changes what they record (inference mode), puts a reason here.
"""

from __future__ import annotations

import threading

__all__ = ["add", "reasons", "remove"]

reasons: tuple[object, ...] = ()
"""Replaced, never edited, so it may be tested without a lock."""

_lock = threading.Lock()


def add(reason: object) -> None:
    """Send every operation through the general path from now on."""
    global reasons
    with _lock:
        reasons = (*reasons, reason)


def remove(reason: object) -> None:
    """Take back one reason; removing one that is not there is harmless."""
    global reasons
    with _lock:
        place = next((i for i, other in enumerate(reasons) if other is reason), None)
        if place is not None:
            reasons = (*reasons[:place], *reasons[place + 1 :])
