"""What two libraries must agree on: values, flags, versions, gradients, what hooks saw, how a step ended."""

from __future__ import annotations

from typing import Any

import numpy as np

from .world import Outcome, World, array_of, dtype_of

__all__ = ["difference_of_endings", "difference_of_tensors", "difference_seen", "readable", "same_numbers"]


def same_numbers(ours: Any, theirs: Any, scale: float = 1.0) -> bool:
    """Equal up to the rounding of numbers that are at most about `scale` large; NaN equals NaN."""
    if ours.shape != theirs.shape:
        return False
    if ours.tobytes() == theirs.tobytes():
        return True
    return np.allclose(ours, theirs, rtol=1e-9, atol=1e-11 * min(scale, 1e200), equal_nan=True)  # NumPy warns of inf


def difference_of_endings(ours: Outcome, theirs: Outcome) -> str:
    """Why two endings are not the same: one raises and the other does not, or a class that no caller would expect."""
    if ours.error is None and theirs.error is None:
        return ""
    if ours.error is not None and theirs.error is not None and issubclass(ours.error, theirs.error):
        return ""
    return f"ended differently\n  ours:    {ours}\n  PyTorch: {theirs}"


def difference_of_tensors(name: str, a: Any, b: Any, scale: float, flags: bool, offset: int, loose: bool) -> str:
    """The first difference between one variable in both libraries, empty if there is none."""
    if a is None or b is None:
        return "" if a is b else f"{name} is {a} here and {b} in PyTorch"
    for what, ours, theirs in _looked_at(a, b, flags, offset, loose):
        if ours != theirs:
            return f"{name}.{what} is {ours}, in PyTorch {theirs}"
    if not same_numbers(array_of(a), array_of(b), scale):
        return f"{name} holds other numbers\n  ours:    {array_of(a).tolist()}\n  PyTorch: {array_of(b).tolist()}"
    return _difference_of_grads(name, a, b, scale)


def _looked_at(a: Any, b: Any, flags: bool, offset: int, loose: bool) -> list[tuple[str, Any, Any]]:
    """Attributes side by side. Reading `grad_fn` brings a view up to date, so that is done only when asked."""
    plain = [
        ("shape", tuple(a.shape), tuple(b.shape)),
        ("dtype", dtype_of(a), dtype_of(b)),
        ("requires_grad", a.requires_grad, b.requires_grad),
        ("is_leaf", a.is_leaf, b.is_leaf),
        ("is_inference()", a.is_inference(), b.is_inference()),
    ]
    if not a.is_inference():
        plain.append(("_version", a._version + offset, b._version))
    if flags:
        plain.append(("grad_fn is None", a.grad_fn is None, b.grad_fn is None))
        if not loose:
            plain.append(("_is_view()", a._is_view(), b._is_view()))
        if not b.is_leaf:  # detach_() leaves it on in PyTorch
            plain.append(("retains_grad", a.retains_grad, b.retains_grad))
    return plain


def readable(tensor: Any) -> bool:
    """Whether `.grad` can be read without a warning."""
    return tensor is not None and (tensor.is_leaf or tensor.retains_grad)


def _difference_of_grads(name: str, a: Any, b: Any, scale: float) -> str:
    if not (readable(a) and readable(b)):
        return ""
    ours, theirs = a.grad, b.grad
    if ours is None or theirs is None:
        return "" if ours is theirs else f"{name}.grad is {ours}, in PyTorch {theirs}"
    if ours.requires_grad != theirs.requires_grad:
        return f"{name}.grad.requires_grad is {ours.requires_grad}, in PyTorch {theirs.requires_grad}"
    if not same_numbers(array_of(ours), array_of(theirs), scale):
        return f"{name}.grad is {array_of(ours).tolist()}, in PyTorch {array_of(theirs).tolist()}"
    return ""


def difference_seen(ours: World, theirs: World, since: tuple[int, int], scale: float) -> str:
    """Difference between what each hook was given. Only calls of one hook are in a promised order."""
    a, b = by_hook(ours.seen[since[0] :]), by_hook(theirs.seen[since[1] :])
    for name in sorted(a.keys() | b.keys()):
        one, other = a.get(name, []), b.get(name, [])
        if len(one) != len(other):
            return f"hook {name!r} was called {len(one)} times, in PyTorch {len(other)} times"
        for (needs, x), (needed, y) in zip(one, other, strict=True):
            if needs != needed or not same_numbers(x, y, scale):
                return f"hook {name!r} was given {x.tolist()} ({needs}), in PyTorch {y.tolist()} ({needed})"
    return ""


def by_hook(seen: list[tuple[str, bool, Any]]) -> dict[str, list[tuple[bool, Any]]]:
    """What each hook was given, in order."""
    calls: dict[str, list[tuple[bool, Any]]] = {}
    for name, needs, value in seen:
        calls.setdefault(name, []).append((needs, array_of(value)))
    return calls
