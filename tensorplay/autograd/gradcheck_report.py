"""What gradcheck says when two Jacobians differ: both of them, the worst entry, and a likely reason."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ..errors import GradcheckError
from .differences import moved, unit_directions
from .gradcheck_point import Point, tensor

__all__ = ["Finding", "close", "fail"]

Array = np.ndarray[Any, Any]


class Finding:
    """Which Jacobian it is about: output k by input i, in forward or backward mode, and of which part if complex."""

    def __init__(self, k: int, i: int, part: str = "", forward: bool = False) -> None:
        self.k, self.i, self.part, self.forward = k, i, part, forward

    def title(self) -> str:
        """The first line of the message."""
        sides = "inputs" if self.forward else "outputs"
        prefix = f"While considering the {self.part} part of complex {sides} only, " if self.part else ""
        mode = "computed with forward mode " if self.forward else ""
        return f"{prefix}Jacobian {mode}mismatch for output {self.k} with respect to input {self.i},\n"


def close(analytical: Array, numerical: Array, rtol: float, atol: float) -> Array:
    """Entry by entry, |analytical − numerical| <= atol + rtol · |numerical|; nan is close to nothing."""
    assert analytical.shape == numerical.shape, "else entries would be compared with others, or none at all"
    return np.isclose(analytical, numerical, rtol, atol)


def fail(point: Point, finding: Finding, analytical: Array, numerical: Array, projected: Any = None) -> NoReturn:
    """Raise the GradcheckError of a whole Jacobian; `projected` holds the two numbers that differed in fast mode."""
    options = point.options
    good = close(analytical, numerical, options.rtol, options.atol)
    text = finding.title()
    if projected is not None:
        text += f"numerical:{projected[1]}\nanalytical:{projected[0]}\n"
        text += "These are v·J·u for random vectors u and v (fast mode). In full:\n"
    text += f"numerical:{tensor(numerical)!r}\nanalytical:{tensor(analytical)!r}\n"
    text += "A row belongs to an element of the output, a column to an element of the input.\n"
    if good.all():
        text += "Fast gradcheck failed but element-wise differences are small: fast_mode=False would pass.\n"
    else:
        row, column = _worst(analytical, numerical, good)
        text += f"{np.sum(~good)} of {good.size} entries differ. The worst is row {row}, column {column}: "
        text += _entry(point, finding, row, column, analytical[row, column], numerical[row, column])
        text += _reason(point, finding, row, column)
    raise GradcheckError(text + options.legend)


def _worst(analytical: Array, numerical: Array, good: Array) -> tuple[int, int]:
    with np.errstate(invalid="ignore"):
        error = np.where(good, -1.0, np.nan_to_num(np.abs(analytical - numerical), nan=np.inf))
    row, column = np.unravel_index(int(np.argmax(error)), error.shape)
    return int(row), int(column)


def _entry(point: Point, finding: Finding, row: int, column: int, analytical: Any, numerical: Any) -> str:
    out, x = point.outputs[finding.k], point.inputs[finding.i]
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.abs(analytical - numerical)
        relative = error / np.abs(numerical)
    allowed = point.options.atol + point.options.rtol * np.abs(numerical)
    return (
        f"∂ output {finding.k}{_place(row, out.shape)} / ∂ input {finding.i}{_place(column, x.shape)}.\n"
        f"  numerical {_number(numerical)}, analytical {_number(analytical)}, absolute error {error:.3g}, "
        f"relative error {relative:.3g}; allowed is atol + rtol·|numerical| = {allowed:.3g}\n"
    )


def _place(flat: int, shape: tuple[int, ...]) -> str:
    return str([int(i) for i in np.unravel_index(flat, shape)]) if shape else ""


def _number(value: Any) -> str:
    return f"{value:.9g}"


def _reason(point: Point, finding: Finding, row: int, column: int) -> str:
    """The likeliest cause, found by a few more calls."""
    here, again = point.values(), point.values()
    if not all(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc") for a, b in zip(here, again, strict=True)):
        return (
            "Two calls with the same inputs gave different results: the function is random (dropout, a random mask?). "
            "Set the seed inside the function.\n"
        )
    x = point.array(finding.i)
    if x.dtype.itemsize < (16 if x.dtype.kind == "c" else 8):
        return f"The input is {point.inputs[finding.i].dtype}: use float64, or a larger eps and wider tolerances.\n"
    left, right = _one_sided(point, finding, row, column, here)
    if abs(left - right) > point.options.atol + 0.01 * max(abs(left), abs(right)):
        return (
            f"To the left the slope is {left:.4g}, to the right {right:.4g}: a kink or a jump of the function, where "
            f"no derivative is defined. Check at another point.\n"
        )
    name = point.outputs[finding.k].grad_fn
    return (
        "The function is smooth there, so a backward rule between input and output is wrong"
        f"{f' (the last operation is {name.name()})' if name is not None else ''}.\n"
    )


def _one_sided(point: Point, finding: Finding, row: int, column: int, here: list[Array]) -> tuple[Any, Any]:
    """The slopes to the left and to the right of the point, for one element."""
    array, h = point.array(finding.i), point.options.eps
    direction = list(unit_directions(array))[column]
    if finding.part == "imaginary" and finding.forward:
        direction = 1j * direction
    k = point.kept.index(finding.k)
    found = []
    for step in (-h, h):
        with moved([(array, direction)], step):
            found.append((point.values()[k].reshape(-1)[row] - here[k].reshape(-1)[row]) / step + 0.0)
    return found[0], found[1]
