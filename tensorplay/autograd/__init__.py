"""Differentiation: the tape, the backward pass, and the modes that switch recording.

Where to read: `node` is what gets recorded, `engine` the one backward loop, `passes` is backward() and
grad() around it, `roots` what was asked of them. `hooks` and `modes` are what their names say, `graph`
is the graph as the user may hold it, `bridge` the door up to Tensor.
"""

from __future__ import annotations

from . import graph
from .modes import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .passes import backward, grad

__all__ = [
    "backward",
    "enable_grad",
    "grad",
    "graph",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_grad_enabled",
]
