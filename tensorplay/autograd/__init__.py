"""Differentiation: the tape, the backward pass, and the modes that switch recording."""

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
from .run import backward, grad

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
