"""The rows of functions that arrange elements otherwise: copies, and views beyond those of the first tables."""

from __future__ import annotations

from collections.abc import Callable

from .tables import Row, Shape, along

__all__ = ["COPIES", "SHOWN"]


def _from(least: int, *forms: str) -> Callable[[Shape], list[str]]:
    """Forms for tensors of that many dimensions or more, with elements."""
    return lambda s: list(forms) if len(s) >= least and 0 not in s else []


def _joined(*forms: str) -> Callable[[Shape, Shape], list[str]]:
    """Forms for two tensors of one shape."""
    return lambda a, b: list(forms) if a == b and a and 0 not in a else []


COPIES: dict[str, Row] = {
    "tril": Row(_from(2, "{x}.tril()", "lib.tril({x}, 1)"), ("any",)),
    "triu": Row(_from(2, "{x}.triu()", "lib.triu({x}, -1)"), ("any",)),
    "diag": Row(lambda s: ["{x}.diag()", "lib.diag({x}, 1)"] if len(s) in (1, 2) and 0 not in s else [], ("any",)),
    "diag_embed": Row(_from(1, "{x}.diag_embed()", "lib.diag_embed({x}, -1)"), ("any",)),
    "diagflat": Row(_from(0, "{x}.diagflat()"), ("any",)),
    "roll": Row(along("{x}.roll(1)", "{x}.roll(1, {d})"), ("any",)),
    "rot90": Row(_from(2, "{x}.rot90()", "lib.rot90({x}, 2)", "{x}.rot90(-1)"), ("any",)),
    "fliplr": Row(_from(2, "{x}.fliplr()"), ("any",)),
    "flipud": Row(_from(1, "{x}.flipud()"), ("any",)),
    "repeat_interleave": Row(_from(1, "{x}.repeat_interleave(2)", "{x}.repeat_interleave(2, 0)"), ("any",)),
    "tile": Row(_from(0, "{x}.tile((2,))", "lib.tile({x}, (2, 1))"), ("any",)),
    "hstack": Row(_joined("lib.hstack([{x}, {y}])"), ("any", "any")),
    "vstack": Row(_joined("lib.vstack([{x}, {y}])"), ("any", "any")),
    "dstack": Row(_joined("lib.dstack([{x}, {y}])"), ("any", "any")),
    "concatenate": Row(_joined("lib.concatenate([{x}, {y}])"), ("any", "any")),
    "row_stack": Row(_joined("lib.row_stack([{x}, {y}])"), ("any", "any")),
    "broadcast_tensors": Row(_joined("lib.broadcast_tensors({x}, {y})[0] * 1"), ("any", "any")),
    "column_stack": Row(_joined("lib.column_stack([{x}, {y}])"), ("any", "any")),
}
"""By the name of the public function, as `OPS`."""

SHOWN: dict[str, Row] = {
    "diagonal": Row(_from(2, "{x}.diagonal()", "{x}.diagonal(1)", "lib.diagonal({x}, 0, -1, 0)"), ("any",)),
    "unfold": Row(_from(1, "{x}.unfold(0, 1, 1)", "{x}.unfold(-1, 1, 2)"), ("any",)),
    "select": Row(_from(1, "{x}.select(0, 0)", "{x}.select(-1, -1)"), ("any",)),
    "narrow": Row(_from(1, "{x}.narrow(0, 0, 1)", "{x}.narrow(-1, -1, 1)"), ("any",)),
    "movedim": Row(_from(2, "{x}.movedim(0, -1)"), ("any",)),
    "swapaxes": Row(_from(2, "{x}.swapaxes(0, 1)", "{x}.swapdims(0, -1)"), ("any",)),
    "t": Row(lambda s: ["{x}.t()"] if len(s) <= 2 else [], ("any",)),
    "adjoint": Row(_from(2, "{x}.adjoint()", "{x}.mH"), ("any",)),
    "unflatten": Row(_from(1, "{x}.unflatten(0, (1, -1))", "{x}.unflatten(-1, (-1, 1))"), ("any",)),
    "moveaxis": Row(_from(2, "{x}.moveaxis(0, -1)"), ("any",)),
    "swapdims": Row(_from(2, "{x}.swapdims(0, -1)"), ("any",)),
    "as_strided": Row(_from(1, "({x} * 1).as_strided((1,), (1,))"), ("any",)),
    "atleast_1d": Row(lambda s: ["lib.atleast_1d({x})"] * (not s), ("any",)),
    "atleast_2d": Row(lambda s: ["lib.atleast_2d({x})"] * (len(s) < 2), ("any",)),
    "atleast_3d": Row(lambda s: ["lib.atleast_3d({x})"] * (len(s) < 3), ("any",)),
    "tensor_split": Row(_from(1, "{x}.tensor_split(2)[0]", "{x}.tensor_split((1,), -1)[0]"), ("any",)),
    "hsplit": Row(_from(1, "{x}.hsplit(1)[0]"), ("any",)),
    "vsplit": Row(_from(2, "{x}.vsplit(1)[0]"), ("any",)),
    "dsplit": Row(_from(3, "{x}.dsplit(1)[0]"), ("any",)),
    "broadcast_to": Row(lambda s: [f"{{x}}.broadcast_to({(2, *s)})"], ("any",)),
}
"""Views, as `VIEWS`."""
