"""Anomaly mode: when a backward goes wrong, show the line of the forward that is behind it.

It is a listener like any other: it notes where each operation was made, looks at what each rule returned, and
raises when that is NaN. The engine only tells it which rule is running (`visiting`).
"""

from __future__ import annotations

import sys
import traceback
from typing import Any

import numpy as np

from .. import events
from ..errors import AnomalyWarning, ModeTypeError, NanGradientError
from ..source import user_frame, warn
from . import lines
from .engine import visiting
from .node import Node

__all__ = ["detect_anomaly", "is_anomaly_check_nan_enabled", "is_anomaly_enabled", "set_detect_anomaly"]


class _Mode:
    """The one mode of the process."""

    def __init__(self) -> None:
        self.listening: events.Subscription | None = None
        self.check_nan = True

    def state(self) -> tuple[bool, bool]:
        """(whether it is on, whether it looks for NaN): what `set` takes."""
        return self.listening is not None, self.check_nan

    def set(self, mode: bool, check_nan: bool) -> None:
        """Begin or end listening."""
        _check("set_detect_anomaly", mode=mode, check_nan=check_nan)
        self.check_nan = check_nan
        if mode and self.listening is None:
            self.listening = events.subscribe(_heard, *_ANSWERS, source=True)
        elif not mode and self.listening is not None:
            self.listening.remove()
            self.listening = None


_mode = _Mode()


def _check(function: str, **switches: Any) -> None:
    """Raise ModeTypeError for a switch that is no bool."""
    for name, value in switches.items():
        if not isinstance(value, bool):
            raise ModeTypeError(
                f"{function}(): argument '{name}' must be bool, not {type(value).__name__}: "
                f"got {value!r}, write True or False"
            )


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on.

    >>> import tensorplay as tp
    >>> tp.is_anomaly_enabled()
    False
    """
    return _mode.state()[0]


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode, when it is on, looks for NaN.

    >>> import tensorplay as tp
    >>> with tp.autograd.set_detect_anomaly(True, check_nan=False):
    ...     tp.is_anomaly_check_nan_enabled()
    False
    """
    return _mode.check_nan


class set_detect_anomaly:
    """Switch anomaly mode on or off, at once; in a `with` block, until its end. See `detect_anomaly`.

    Raises ModeTypeError for a switch that is no bool.

    >>> import tensorplay as tp
    >>> with tp.autograd.set_detect_anomaly(True):
    ...     tp.is_anomaly_enabled()
    True
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = _mode.state()
        _mode.set(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        _mode.set(*self._before)


class detect_anomaly:
    """Inside the block each operation remembers its line, and NaN in a backward raises a NanGradientError.

    The error names the operation; a warning shows the traceback of the forward call that recorded it, and of those
    that led to it where a derivative was differentiated. It covers what is recorded inside the block, so the
    forward belongs into it too. With `check_nan=False` only the lines are kept, which errors about freed graphs and
    edited tensors then show. It makes everything slower: it is for finding a mistake. Raises ModeTypeError if
    `check_nan` is no bool.

    >>> import warnings
    >>> import tensorplay as tp
    >>> with warnings.catch_warnings(action="ignore"):
    ...     with tp.autograd.detect_anomaly():
    ...         x = tp.tensor(-1.0, requires_grad=True)
    ...         x.sqrt().backward()
    Traceback (most recent call last):
    tensorplay.errors.NanGradientError: Function 'SqrtBackward' returned nan values in its 0th output...
    """

    def __init__(self, check_nan: bool = True) -> None:
        _check("detect_anomaly", check_nan=check_nan)
        warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled "
            "for debugging.",
            AnomalyWarning,
        )
        self._check_nan = check_nan
        self._before: list[tuple[bool, bool]] = []

    def __enter__(self) -> None:
        before = _mode.state()
        _mode.set(True, self._check_nan)
        self._before.append(before)

    def __exit__(self, *exception: object) -> None:
        _mode.set(*self._before.pop())


# ---------------------------------------------------------------------------------- what it listens to


def _heard(event: Any) -> None:
    _ANSWERS[type(event)](event)


def _executed(event: events.OpExecuted) -> None:
    """A node was recorded: note the lines that led to it, and the node whose rule recorded it."""
    node, frame = event.node, user_frame(sys._getframe())
    if node is None or frame is None:
        return
    node.metadata["traceback_"] = traceback.format_list(traceback.extract_stack(frame))
    parent = visiting.get()
    if parent is not None:
        node.metadata["parent_"] = parent


def _visited(event: events.NodeVisited) -> None:
    """A rule has run: is what it returned a number?"""
    if not _mode.check_nan:
        return
    for i, g in enumerate(event.grads_out):
        if g is not None and _has_nan(g):
            node = event.node
            raise NanGradientError(
                f"Function {node.name()!r} returned nan values in its {i}th output. Node {node.number} was made"
                f"{lines.at(node.place) or ' while anomaly mode was off'}: look at the values that went into it. 0/0, "
                f"inf - inf, 0 * inf, the square root and the logarithm of a negative number have no value."
            )


def _failed(event: events.BackwardFailed) -> None:
    """A pass stopped: show where its node comes from."""
    node = event.node
    if node is None:
        return
    place = _traceback(node)
    if place is None:
        warn(
            f"Error detected in {node.name()}. No forward pass information available. Enable detect anomaly during "
            f"forward pass for more information.",
            AnomalyWarning,
        )
        return
    warn(f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n{place}", AnomalyWarning)
    parent = node.metadata.get("parent_")
    while parent is not None:
        warn(
            f"Previous calculation was induced by {parent.name()}. Traceback of forward call that induced the previous "
            f"calculation:\n{_traceback(parent) or 'it is not known'}",
            AnomalyWarning,
        )
        parent = parent.metadata.get("parent_")


_ANSWERS: dict[type[events.Event], Any] = {
    events.OpExecuted: _executed,
    events.NodeVisited: _visited,
    events.BackwardFailed: _failed,
}


def _traceback(node: Node) -> str | None:
    text = node.metadata.get("traceback_")
    return None if text is None else "".join(text)


def _has_nan(g: Any) -> bool:
    """Whether there is a NaN in an array, or in the array behind a Tensor, a batch, …"""
    while not isinstance(g, np.ndarray | np.generic):
        g = next(getattr(g, name) for name in ("_array", "data", "primal") if hasattr(g, name))
    return g.dtype.kind in "fc" and bool(np.isnan(g).any())
