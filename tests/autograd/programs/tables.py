"""What programs are made of: operations, views, indices and edits, as forms with places for variables.

A row gives, for the shapes of its operands, the forms that fit; and for each operand what its values must be
(`DOMAINS` in `lockstep.py`), so that both libraries compute the same numbers and not two sides of a kink.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from math import prod
from typing import Any

__all__ = ["EDITS", "INDICES", "NUMBER_EDITS", "OPS", "PARTS", "POINTWISE_EDITS", "SHAPES", "VIEWS", "Row"]

Shape = tuple[int, ...]

SHAPES: list[Shape] = [(2,), (), (3,), (2, 3), (1,), (3, 2), (2, 2), (1, 3), (2, 1), (2, 1, 3)]
"""Shapes of leaves, the simplest first: that is where shrinking goes."""


@dataclass(frozen=True)
class Row:
    """One operation: the forms that fit the shapes of its operands, and the domain of each operand."""

    forms: Callable[..., list[str]]
    domains: tuple[str, ...] = ("tame",)
    otherwise: str = ""
    """Where PyTorch keeps other values for the backward than we do: what is said there in place of {x}, or the whole
    form. Then a saved value that is overwritten is one to both."""

    def translated(self, form: str) -> str:
        """The form for PyTorch, empty if it is the same."""
        if not self.otherwise or "lib." in self.otherwise:
            return self.otherwise
        return form.replace("{x}", self.otherwise)


def broadcast(*shapes: Shape) -> Shape | None:
    """The common shape, None if there is none."""
    width = max(map(len, shapes))
    columns = zip(*((1,) * (width - len(s)) + s for s in shapes), strict=True)
    out = []
    for sizes in columns:
        found = {n for n in sizes if n != 1}
        if len(found) > 1:
            return None
        out.append(found.pop() if found else 1)
    return tuple(out)


def fixed(*forms: str) -> Callable[..., list[str]]:
    """The same forms for any shapes that broadcast together."""
    return lambda *shapes: list(forms) if broadcast(*shapes) is not None else []


def along(*forms: str) -> Callable[[Shape], list[str]]:
    """Forms with {d} for each dimension, forms without it as they are."""

    def fitting(s: Shape) -> list[str]:
        dims = [*range(len(s)), *([-1] if s else [])]
        return [f.replace("{d}", str(d)) for f in forms for d in (dims if "{d}" in f else [0])]

    return fitting


def same(*forms: str) -> Callable[..., list[str]]:
    """Forms for operands of one shape."""
    return lambda a, b: list(forms) if a == b else []


# -------------------------------------------------------------------------------------- operations


def _matmul(a: Shape, b: Shape) -> list[str]:
    if not a or not b or a[-1] != b[-2 if len(b) > 1 else -1]:
        return []
    if max(len(a), len(b)) > 2 and len(a) != len(b):
        return []  # PyTorch folds the batch into the rows, and may save a copy: an edit of the operand is then no error
    return ["{x} @ {y}", "lib.matmul({x}, {y})"]


def _gather(s: Shape) -> list[str]:
    if 0 in s:
        return []
    if len(s) == 1:
        return [f"lib.gather({{x}}, 0, lib.tensor([{s[0] - 1}, 0, 0]))"]
    if len(s) != 2:
        return []
    return ["{x}.gather(1, lib.tensor([[0]]))", f"{{x}}.gather(0, lib.tensor([[{s[0] - 1}], [0]]))"]


def _index_put(*openings: str) -> Callable[..., list[str]]:
    """Values of one row, and of the first row twice, added."""

    def fitting(x: Shape, y: Shape) -> list[str]:
        if not x or not x[0] or broadcast((1, *x[1:]), y) != (1, *x[1:]):
            return []
        first = [f"{opening}(lib.tensor([0]),), {{y}} * 1)" for opening in openings]
        return first + [f"{opening}(lib.tensor([0, 0]),), {{y}} * 1, accumulate=True)" for opening in openings]

    return fitting


def _cat(a: Shape, b: Shape) -> list[str]:
    if not a or len(a) != len(b) or 0 in (*a, *b):
        return []
    dims = [d for d in range(len(a)) if a[:d] + a[d + 1 :] == b[:d] + b[d + 1 :]]
    return [
        form for d in dims for form in (f"lib.cat([{{x}}, {{y}}], {d})", f"lib.concat([{{y}}, {{x}}, {{x}}], dim={d})")
    ]


CROSS_ENTROPY = "lib.nn.functional.cross_entropy({x}, "


def _classes(s: Shape) -> str:
    return f"lib.tensor({[i % s[1] for i in range(s[0])]})"


def _cross_entropy(s: Shape) -> list[str]:
    if len(s) == 1:
        return [f"{CROSS_ENTROPY}lib.tensor({s[0] - 1}))"] * (s[0] > 0)
    if len(s) != 2 or 0 in s:
        return []
    return [f"{CROSS_ENTROPY}{_classes(s)}{how})" for how in ("", ", reduction='sum'", ", reduction='none'")]


def _cross_entropy_composed(s: Shape) -> list[str]:
    if len(s) not in (1, 2) or 0 in s:
        return []
    smooth = [f"{CROSS_ENTROPY}{_classes(s)}, label_smoothing=0.25)"] if len(s) == 2 else []
    return [*smooth, CROSS_ENTROPY + f"{{x}}.detach().softmax({len(s) - 1}))"]


OPS: dict[str, Row] = {
    "add": Row(fixed("{x} + {y}", "lib.add({x}, {y}, alpha=2)"), ("any", "any")),
    "add number": Row(fixed("{x} + 2", "0.5 + {x}"), ("any",)),
    "sub": Row(fixed("{x} - {y}", "lib.sub({x}, {y}, alpha=2)"), ("any", "any")),
    "sub number": Row(fixed("{x} - 1", "3 - {x}"), ("any",)),
    "mul": Row(fixed("{x} * {y}", "lib.mul({x}, {y})"), ("tame", "tame")),
    "mul number": Row(fixed("{x} * 3", "-0.5 * {x}")),
    "div": Row(fixed("{x} / {y}", "lib.div({x}, {y})"), ("tame", "nonzero")),
    "div number": Row(fixed("{x} / 4")),
    "number div": Row(fixed("2 / {x}"), ("nonzero",), "lib.full_like({x}.detach(), 2.0) / {x}"),
    "pow": Row(fixed("{x} ** {y}", "lib.pow({x}, {y})"), ("positive", "small")),
    "pow number": Row(fixed("{x} ** 2", "{x} ** 3")),
    "number pow": Row(fixed("2.0 ** {x}"), ("small",)),
    "maximum": Row(fixed("lib.maximum({x}, {y})"), ("settled", "settled")),
    "minimum": Row(fixed("lib.minimum({x}, {y})"), ("settled", "settled")),
    "where": Row(fixed("lib.where({x} > 0, {y}, 2.0)", "lib.where({x} > 0, {y}, {x})"), ("settled", "any")),
    "matmul": Row(_matmul, ("tame", "tame")),
    "linear": Row(
        lambda x, w: ["lib.nn.functional.linear({x}, {y})"] if x and len(w) == 2 and x[-1] == w[1] else [],
        ("tame", "tame"),
    ),
    "mse_loss": Row(
        same("lib.nn.functional.mse_loss({x}, {y})"),
        ("tame", "tame"),
        "lib.nn.functional.mse_loss({x} * 1, {y} * 1)",
    ),
    "mse_loss, each": Row(
        same("lib.nn.functional.mse_loss({x}, {y}, reduction='none')"),
        ("tame", "tame"),
        "lib.nn.functional.mse_loss({x} * 1, {y} * 1, reduction='none')",
    ),
    "atan2": Row(fixed("lib.atan2({x}, {y})", "{x}.atan2({y})"), ("nonzero", "nonzero")),
    "neg": Row(fixed("-{x}", "lib.neg({x})"), ("any",)),
    "abs": Row(fixed("{x}.abs()", "abs({x})"), ("settled",)),
    "exp": Row(fixed("{x}.exp()", "lib.exp({x})"), ("small",)),
    "log": Row(fixed("{x}.log()"), ("positive",)),
    "log2": Row(fixed("{x}.log2()"), ("positive",)),
    "sin": Row(fixed("{x}.sin()", "lib.sin({x})")),
    "cos": Row(fixed("{x}.cos()", "lib.cos({x})")),
    "sqrt": Row(fixed("{x}.sqrt()"), ("positive",)),
    "tanh": Row(fixed("{x}.tanh()")),
    "sigmoid": Row(fixed("{x}.sigmoid()")),
    "relu": Row(fixed("{x}.relu()", "lib.relu({x})"), ("settled",)),
    "clone": Row(fixed("{x}.clone()"), ("any",)),
    "sum": Row(along("{x}.sum()", "{x}.sum({d})", "{x}.sum({d}, keepdim=True)"), ("any",)),
    "mean": Row(along("{x}.mean()", "{x}.mean({d})", "lib.mean({x}, {d}, keepdim=True)"), ("any",)),
    "amax": Row(along("lib.amax({x}, {d})", "{x}.amax({d}, keepdim=True)"), ("settled",)),
    "amin": Row(along("lib.amin({x}, {d})", "{x}.amin({d}, keepdim=True)"), ("settled",)),
    "max": Row(along("{x}.max()", "{x}.max({d}).values", "{x}.max({d}, keepdim=True)[0]"), ("settled",)),
    "min": Row(along("{x}.min()", "{x}.min({d}).values"), ("settled",)),
    "argmax": Row(along("{x}.argmax()", "{x}.argmax({d})"), ("settled",)),
    "argmin": Row(along("{x}.argmin()", "{x}.argmin({d})"), ("settled",)),
    "prod": Row(along("{x}.prod() * 1", "{x}.prod({d}) * 1", "lib.prod({x}, {d}, keepdim=True) * 1"), ("small",)),
    "norm": Row(along("{x}.norm()", "{x}.norm(dim={d})", "lib.norm({x}, 3, {d}, keepdim=True)"), ("nonzero",)),
    "var": Row(along("{x}.var(correction=0)", "{x}.var({d}, False)", "lib.var({x}, {d}, correction=0, keepdim=True)")),
    "std": Row(along("{x}.exp().std(unbiased=False)"), ("small spread",)),
    "median": Row(  # of expanded memory PyTorch's gives numbers that are not there
        along("{x}.median()", "({x} * 1).median({d})[0]", "lib.median({x} * 1, {d}, True).values"), ("settled",)
    ),
    "sort": Row(  # of more than 16 equal numbers PyTorch keeps the order only if asked to
        along("{x}.sort(stable=True)[0]", "lib.sort({x}, dim={d}, stable=True, descending=True).values"), ("settled",)
    ),
    "argsort": Row(
        along("{x}.argsort(stable=True)", "lib.argsort({x}, dim={d}, stable=True, descending=True)"), ("settled",)
    ),
    "cumsum": Row(along("{x}.cumsum({d})"), ("any",)),
    "cumprod": Row(along("{x}.cumprod({d}) * 1"), ("small",)),
    "flip": Row(along("{x}.flip({d})", "lib.flip({x}, ({d},))"), ("any",)),
    "softmax": Row(along("{x}.softmax({d})", "lib.softmax({x}, {d})")),
    "log_softmax": Row(along("{x}.log_softmax({d})")),
    "cross_entropy": Row(_cross_entropy, otherwise="({x} + 0 * ({x} * {x}))"),
    "cross_entropy, composed": Row(_cross_entropy_composed),
    "cat": Row(_cat, ("any", "any")),
    "stack": Row(same("lib.stack([{x}, {y}])", "lib.stack([{x}, {y}, {x}], -1)"), ("any", "any")),
    "gather": Row(_gather, ("any",), "({x} * 1)"),
    "index_put": Row(_index_put("lib.index_put({x}, ", "{x}.index_put("), ("any", "any")),
}
"""The operations that make a new array, by the name of the public function."""


# --------------------------------------------------------------------------- views, parts, indices


def _reshapes(s: Shape) -> list[Shape]:
    n = prod(s)
    shapes = [(n,), (1, n), (n, 1), tuple(reversed(s)), (*s, 1)]
    return [t for t in dict.fromkeys(shapes) if t != s]


def _permutes(s: Shape) -> list[str]:
    return [f"{{x}}.permute{p}" for p in permutations(range(len(s)))][1:] if len(s) > 1 else []


def _transposes(s: Shape) -> list[str]:
    return ["{x}.transpose(0, 1)", "{x}.transpose(0, -1)"] + ["{x}.T"] * (len(s) == 2) if len(s) > 1 else []


def _expands(s: Shape) -> list[str]:
    grown = [tuple(2 if n == 1 else -1 for n in s)] if 1 in s else []
    return [f"{{x}}.expand({', '.join(map(str, t))})" for t in (*grown, (2, *(-1 for _ in s)))]


def _items(s: Shape) -> list[str]:
    if not s:
        return ["{x}[...]", "{x}[None]"]
    one = ["{x}[0]", "{x}[-1:]", "{x}[None]", "{x}[:]", "{x}[::2]"]
    return one + ["{x}[:, 0]", "{x}[:, 1:]", "{x}[0, -1]", "{x}[..., None, 0]"] * (len(s) > 1)


VIEWS: dict[str, Row] = {
    "getitem": Row(_items, ("any",)),
    "reshape": Row(lambda s: [f"{{x}}.reshape({t})" for t in _reshapes(s)], ("any",)),
    "view": Row(lambda s: [f"{{x}}.view({t})" for t in _reshapes(s)], ("owned",)),
    "flatten": Row(lambda s: ["{x}.flatten()"] * (len(s) != 1), ("any",)),  # of one dimension: the tensor itself
    "transpose": Row(_transposes, ("any",)),
    "permute": Row(_permutes, ("any",)),
    "expand": Row(_expands, ("any",)),
    "squeeze": Row(lambda s: ["{x}.squeeze()", "{x}.squeeze(0)"][: 1 + bool(s)] if 1 in s else [], ("any",)),
    "unsqueeze": Row(along("{x}.unsqueeze(0)", "{x}.unsqueeze({d})"), ("any",)),
}
"""Views, and copies where memory does not allow one."""

PARTS: dict[str, Row] = {
    "unbind": Row(along("{x}.unbind({d})"), ("any",)),
    "split": Row(along("{x}.split(1, {d})", "{x}.split(2, {d})"), ("any",)),
    "chunk": Row(along("{x}.chunk(2, {d})"), ("any",)),
}
"""Operations that give several views at once."""


def _picked(s: Shape) -> list[str]:
    if not s:
        return []
    last = s[0] - 1
    one = [f"{{x}}[[0, {last}, 0]]", f"{{x}}[lib.tensor([{last}, 0])]", f"{{x}}[lib.tensor([[0], [{last}]])]"]
    return one + ["{x}[:, [0, 0]]", f"{{x}}[[0, {last}], [0, 0]]", "{x}[None, :, [0]]"] * (len(s) > 1)


INDICES: dict[str, Row] = {
    "index arrays": Row(_picked, ("any",)),
    "mask": Row(lambda s: ["{x}[{x} > 0]", "{x}[{x} <= 1]"] * bool(s), ("settled",)),
}
"""Indices that copy."""


# ------------------------------------------------------------------------------------------- edits


def _into(*forms: str) -> Callable[..., list[str]]:
    """Forms for an operand that broadcasts to the target."""
    return lambda x, y: list(forms) if broadcast(x, y) == x else []


def _assigned(x: Shape, y: Shape) -> list[str]:
    fits = [("{x}[...] = {y}", x)]
    if x:
        fits += [("{x}[0] = {y}", x[1:]), ("{x}[-1:] = {y}", (1, *x[1:])), ("{x}[[0]] = {y}", (1, *x[1:]))]
    if len(x) > 1:
        fits += [("{x}[:, 0] = {y}", (x[0], *x[2:])), ("{x}[[0, 1], [0, 0]] = {y}", (2, *x[2:]))][: 1 + (x[0] > 1)]
    return [form for form, part in fits if broadcast(part, y) == part]


EDITS: dict[str, Row] = {
    "add_": Row(_into("{x}.add_({y})", "{x} += {y}"), ("owned", "any")),
    "sub_": Row(_into("{x}.sub_({y})", "{x} -= {y}"), ("owned", "any")),
    "mul_": Row(_into("{x}.mul_({y})", "{x} *= {y}"), ("owned", "tame")),
    "div_": Row(_into("{x}.div_({y})", "{x} /= {y}"), ("owned", "nonzero")),
    "copy_": Row(_into("{x}.copy_({y})"), ("owned", "any")),
    "atan2_": Row(_into("{x}.atan2_({y})"), ("owned nonzero", "nonzero")),
    "index_put_": Row(_index_put("{x}.index_put_("), ("owned", "any")),
    "setitem": Row(_assigned, ("owned", "any")),
}
"""Edits by another tensor."""


def _set_number(s: Shape) -> list[str]:
    return ["{x}[...] = 2.0", *(["{x}[0] = 3.0", "{x}[-1:] = -1.0", "{x}[[0]] = 2.0"] if s else [])]


NUMBER_EDITS: dict[str, Row] = {
    "add_ number": Row(fixed("{x}.add_(1)", "{x} += 2"), ("owned",)),
    "sub_ number": Row(fixed("{x}.sub_(1)"), ("owned",)),
    "mul_ number": Row(fixed("{x}.mul_(2)", "{x} *= 0.5"), ("owned",)),
    "div_ number": Row(fixed("{x}.div_(2)"), ("owned",)),
    "zero_": Row(fixed("{x}.zero_()"), ("owned",)),
    "fill_": Row(fixed("{x}.fill_(2)"), ("owned",)),
    "setitem number": Row(_set_number, ("owned",)),
    "setitem mask": Row(lambda s: ["{x}[{x} > 0] = 1.0"] * bool(s), ("owned settled",)),
}
"""Edits by a number."""


def _pointwise() -> dict[str, Row]:
    plain = {"neg_": "", "tanh_": "tame", "sigmoid_": "tame", "exp_": "small", "log_": "positive", "sqrt_": "positive"}
    plain |= {"sin_": "tame", "cos_": "tame", "log2_": "positive"}
    kinked = {"abs_": "settled", "relu_": "settled"}
    return {name: Row(fixed(f"{{x}}.{name}()"), (f"owned {d}",)) for name, d in (plain | kinked).items()}


POINTWISE_EDITS: dict[str, Row] = {**_pointwise(), "pow_": Row(fixed("{x}.pow_(2)"), ("owned tame",))}
"""Edits by a function of each element."""


def rows(*tables: dict[str, Any]) -> dict[str, Row]:
    """Several tables as one."""
    return {name: row for table in tables for name, row in table.items()}
