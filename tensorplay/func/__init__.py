"""Functions of functions: the derivatives and the mapped version of a function, as functions.

`grad`, `vjp`, `jacrev` run a backward pass, `jvp`, `jacfwd` go forward, `vmap` runs a function written for one
example on a whole batch. They nest freely: `vmap(grad(loss))` gives a gradient for each example, `jacfwd(jacrev(f))`
is `hessian(f)`.
"""

from __future__ import annotations

from .forward import jvp
from .jacobians import hessian, jacfwd, jacrev
from .mapping import vmap
from .reverse import grad, grad_and_value, linearize, vjp
from .stateless import functional_call, stack_module_state

__all__ = [
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "stack_module_state",
    "vjp",
    "vmap",
]
