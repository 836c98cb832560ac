"""Differentiation: the tape, the backward pass, and the modes that switch recording.

Where to read: `node` is what gets recorded, `engine` the one backward loop, `passes` is backward() and
grad() around it, `roots` what was asked of them. `hooks` and `modes` are what their names say, `graph`
is the graph as the user may hold it, `bridge` the door up to Tensor. `loading` reads again what a node
saved, `saved` keeps it elsewhere, `lines` words what goes wrong, `anomaly` shows where. `function` and
`rule` are for operations of the user's own, `forward_ad` is forward mode by hand. `gradcheck` (with its
parts `gradcheck_…`) holds rules against `differences`, `functional` builds Jacobians and Hessians; both
only use what is above.
"""

from __future__ import annotations

from . import anomaly, forward_ad, function, functional, graph
from .anomaly import detect_anomaly, set_detect_anomaly
from .function import Function
from .functional import hessian, hvp, jacobian, jvp, vhp, vjp
from .gradcheck import gradcheck, gradgradcheck
from .modes import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    is_multithreading_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from .passes import backward, grad

__all__ = [
    "Function",
    "anomaly",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "forward_ad",
    "function",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "hessian",
    "hvp",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_multithreading_enabled",
    "jacobian",
    "jvp",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
    "vhp",
    "vjp",
]
