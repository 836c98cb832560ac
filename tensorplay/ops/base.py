"""The op protocol: an operation is declared once, as algebra, and everything else reads that.

    class Mul(Broadcasting):
        \"\"\"Element-wise product, x · y.\"\"\"
        def forward(xp, x, y): return x * y
        def d_x(xp, g, y): return g * y       # keeps y, and only if x needs a gradient
        def d_y(xp, g, x): return g * x

**A rule saves what it names.** Its parameter names, after the namespace `xp` and the incoming gradient
`g`, are the declaration of what backward needs: an input (`y`), an output (`out`), a shape (`x_shape`,
for which nothing is kept) or a parameter (`dim`). From them `Plan` derives what a node keeps, which
versions it checks, and how the rule is called, once per set of inputs that need a gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, ClassVar

from ..errors import UnsupportedDTypeError

__all__ = ["OPS", "Arg", "Op", "Plan", "Sample", "arg", "bad", "ok"]

OPS: dict[str, type[Op]] = {}
"""Every op by name, in the order of declaration: the table that tests, docs and pictures walk."""


# ------------------------------------------------------------------------------------------ samples


@dataclass(frozen=True)
class Arg:
    """A described tensor argument: numbers drawn from [low, high), or the given `values`."""

    shape: tuple[int, ...] = ()
    low: float = -2.0
    high: float = 2.0
    kind: str = "float"
    values: Any = None


@dataclass(frozen=True)
class Sample:
    """One call of an op: arguments (`Arg` or plain numbers), parameters, and the error it must raise, if any."""

    inputs: tuple[Any, ...]
    params: dict[str, Any] = field(default_factory=dict)
    error: str | None = None
    match: str = ""


def arg(*shape: int, low: float = -2.0, high: float = 2.0, kind: str = "float", values: Any = None) -> Arg:
    """An `Arg` with numbers in [low, high); kinds are "float", "int" and "bool"."""
    return Arg(shape, low, high, kind, values)


def ok(*inputs: Any, **params: Any) -> Sample:
    """A sample that must work."""
    return Sample(inputs, params)


def bad(error: str, match: str, *inputs: Any, **params: Any) -> Sample:
    """A sample that must raise the error class of this name, with `match` in its message."""
    return Sample(inputs, params, error, match)


# ---------------------------------------------------------------------------------------------- op


class Op:
    """An operation. Subclasses are never instantiated; their functions are static."""

    label: ClassVar[str] = ""
    """A sign or a short word for pictures."""
    infix: ClassVar[bool] = False
    """Whether the label is written between the two inputs, x + y, and not in front, exp(x)."""
    formula: ClassVar[str] = ""
    """The result in LaTeX, over the names of the inputs."""
    family: ClassVar[str] = ""
    samples: ClassVar[list[Sample]] = []
    """Calls that must work, and calls that must raise: what the tests run."""
    local: ClassVar[dict[str, str]] = {}
    """Input name -> text of its vector-Jacobian product, as shown on the card of a step."""

    outputs: ClassVar[tuple[str, ...]] = ("out",)
    """Their names; ("*",) for a list whose length depends on the input, as the rows of a matrix."""
    hidden: ClassVar[int] = 0
    """How many of the last outputs are for the rule alone and never seen by the user."""
    nondiff: ClassVar[tuple[str, ...]] = ()
    """Names of outputs that have no gradient, such as indices."""
    none_ok: ClassVar[bool] = False
    """Whether the rule is given None, and not zeros, for an output that no gradient reached."""
    view: ClassVar[bool] = False
    """The output may share memory with the first input."""
    promote: ClassVar[bool] = False
    """The inputs take PyTorch's common dtype first."""
    promote_from: ClassVar[int] = 0
    """The first input that takes part in promotion (a condition does not)."""
    floating: ClassVar[bool] = False
    """Integer inputs become the default float dtype first."""
    refuses: ClassVar[str] = ""
    """Kinds of the common dtype that it is not defined for, as NumPy's letters: "b" bool, "iu" whole, "c" complex."""
    fits: ClassVar[bool] = False
    """Gradients are summed back to the inputs' shapes at the engine's edge."""
    lasting: ClassVar[bool] = False
    """A pass does not free its node: it saves nothing, and what it stands for is used again and again."""
    linear: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Groups of inputs: the op is linear in each group while the others are held, and this is all that moves it."""

    # read from the declaration, once, when the class is made
    listed: ClassVar[bool] = False
    """Whether forward returns a list of any length."""
    several: ClassVar[bool] = False
    """Whether forward returns a tuple or a list and not one array."""
    inputs: ClassVar[tuple[str, ...]] = ()
    star: ClassVar[bool] = False
    """Whether the last input stands for any number of them (`*ix`)."""
    params: ClassVar[tuple[str, ...]] = ()
    rules: ClassVar[dict[str, Callable[..., Any]]] = {}
    joint: ClassVar[Callable[..., Any] | None] = None
    plans: ClassVar[Plans]

    forward: ClassVar[Callable[..., Any]]

    def __init_subclass__(cls, abstract: bool = False) -> None:
        for name, value in list(vars(cls).items()):
            if isinstance(value, FunctionType) and (name in ("forward", "backward") or name.startswith("d_")):
                setattr(cls, name, staticmethod(value))
        if abstract:
            return
        positional, cls.star, cls.params = _signature(cls.forward)
        cls.inputs = positional[1:]
        cls.rules = {name: getattr(cls, "d_" + name) for name in cls.inputs if hasattr(cls, "d_" + name)}
        cls.joint = getattr(cls, "backward", None)
        cls.listed = cls.outputs == ("*",)
        cls.several = cls.listed or len(cls.outputs) > 1
        cls.plans = Plans(cls)
        OPS[cls.__name__] = cls

    @classmethod
    def parts(cls, shape: tuple[int, ...], params: dict[str, Any]) -> list[tuple[Any, dict[str, Any]]]:
        """For a listed view op: the op and parameters that give each output alone."""
        raise NotImplementedError

    @classmethod
    def check(cls, arrays: tuple[Any, ...], dtype: Any) -> None:
        """Raise UnsupportedDTypeError for inputs of a kind it is not defined for; `dtype` is their common one."""
        if dtype.kind in cls.refuses:
            raise UnsupportedDTypeError(
                f"{cls.__name__.lower()} is not implemented for {dtype.name} numbers: convert the operands first, "
                "for example with x.float()"
            )

    @classmethod
    def explain(cls, arrays: tuple[Any, ...], params: dict[str, Any], error: Exception) -> Exception:
        """The error to show for one that `forward` raised; families word it for their inputs."""
        return error


def _signature(function: Callable[..., Any]) -> tuple[tuple[str, ...], bool, tuple[str, ...]]:
    """Positional names, whether the last of them is starred, and keyword-only names (read from the code object)."""
    code = function.__code__
    names = code.co_varnames
    end = code.co_argcount + code.co_kwonlyargcount
    star = bool(code.co_flags & 0x04)
    positional = names[: code.co_argcount] + ((names[end],) if star else ())
    return positional, star, names[code.co_argcount : end]


# -------------------------------------------------------------------------------------------- plan


class Plan:
    """How one op behaves when a given set of its inputs needs a gradient.

    `mask` has bit i set if input i needs one. `keep(out, params, *arrays, out_cell, *cells)` picks what
    the rules name, with the version of each: (saved, versions). `pull(xp, g, saved)` calls the rules: one
    gradient per input, None where none is needed. `sources` says for each saved item where it came from:
    ("in", i), ("ins", i) for starred inputs, ("out", k), ("shape", i), ("shapes", i) or ("param", name);
    `cells` says for each the places of its versions.
    """

    __slots__ = ("cells", "keep", "many", "mask", "op", "pull", "sources")

    def __init__(self, op: type[Op], mask: int, keep: Callable[..., Any], pull: Callable[..., Any],
                 sources: tuple[tuple[str, Any], ...], cells: tuple[tuple[int, ...], ...] = ()) -> None:  # fmt: skip
        self.op = op
        self.mask = mask
        self.keep = keep
        self.pull = pull
        self.sources = sources
        self.cells = cells
        self.many = op.listed or len(op.outputs) - op.hidden - len(op.nondiff) > 1
        """Whether several outputs are differentiable, so that edges must say which one they mean."""

    def __repr__(self) -> str:
        return f"<Plan of {self.op.__name__}, mask {self.mask:b}>"


class Plans(dict[Any, Plan]):
    """The plans of one op, made when first asked for. The key is the mask, or (mask, count) for starred inputs."""

    def __init__(self, op: type[Op]) -> None:
        self.op = op

    def __missing__(self, key: Any) -> Plan:
        mask, count = key if self.op.star else (key, len(self.op.inputs))
        plan = self[key] = _build(self.op, mask, count)
        return plan


def _active_rules(op: type[Op], mask: int) -> Iterator[tuple[int, Callable[..., Any]]]:
    """The rules that run: (input number, rule), or (-1, joint rule) when the op has one for all inputs."""
    if op.joint is not None:
        yield -1, op.joint
        return
    for i, name in enumerate(op.inputs):
        if mask >> i & 1 and name in op.rules:
            yield i, op.rules[name]


def _origin(op: type[Op], name: str, count: int) -> tuple[tuple[str, Any], str]:
    """Where the value a rule names comes from, and the expression that fetches it at record time."""
    first_star = len(op.inputs) - 1
    if name in op.inputs:
        i = op.inputs.index(name)
        if op.star and i == first_star:
            return ("ins", i), "(" + "".join(f"x{j}, " for j in range(i, count)) + ")"
        return ("in", i), f"x{i}"
    if name in op.outputs:
        k = op.outputs.index(name)
        return ("out", k), "out" if len(op.outputs) == 1 else f"out[{k}]"
    if name.endswith("_shape") and name[:-6] in op.inputs:
        i = op.inputs.index(name[:-6])
        return ("shape", i), f"x{i}.shape"
    if name.endswith("_shapes") and name[:-7] == op.inputs[first_star] and op.star:
        shapes = "".join(f"x{j}.shape, " for j in range(first_star, count))
        return ("shapes", first_star), f"({shapes})"
    if name in op.params:
        return ("param", name), f"p[{name!r}]"
    raise TypeError(f"{op.__name__}: a rule names {name!r}, which is no input, output, shape or parameter")


def _cells(op: type[Op], source: tuple[str, Any], count: int) -> list[str]:
    """The version cells to watch for a saved item, by the names they have in `keep`."""
    kind, which = source
    if kind == "out":
        return ["co" if len(op.outputs) == 1 else f"co[{which}]"]
    return [f"c{j}" for j in range(which, count if kind == "ins" else which + 1)] if kind in ("in", "ins") else []


def _build(op: type[Op], mask: int, count: int) -> Plan:
    """Generate `keep` and `pull`. (Looping over the rules at run time instead costs 656 ns an op, measured.)"""
    env: dict[str, Any] = {"__name__": __name__}  # so that its frames count as ours and not as the user's
    slots: dict[str, int] = {}
    sources: list[tuple[str, Any]] = []
    fetch: list[str] = []
    calls: dict[int, str] = {}
    for i, rule in _active_rules(op, mask):
        picks = []
        for name in _signature(rule)[0][2:]:
            if name not in slots:
                slots[name] = len(sources)
                source, expression = _origin(op, name, count)
                sources.append(source)
                fetch.append(expression)
            picks.append(f"s[{slots[name]}]")
        env[f"rule{i + 1}"] = rule
        calls[i] = f"rule{i + 1}({', '.join(['xp', 'g', *picks])})"
    watched = [_cells(op, source, count) for source in sources]
    cells = list(dict.fromkeys(cell for names in watched for cell in names))
    arguments = ["out", "p", *(f"x{j}" for j in range(count)), "co", *(f"c{j}" for j in range(count))]
    saved = "".join(e + ", " for e in fetch)
    versions = "".join(f"({c}, {c}[0]), " for c in cells)
    keep = eval(f"lambda {', '.join(arguments)}: (({saved}), ({versions}))", env)
    results = calls.get(-1) or "(" + "".join(calls.get(j, "None") + ", " for j in range(count)) + ")"
    places = tuple(tuple(map(cells.index, names)) for names in watched)
    return Plan(op, mask, keep, eval(f"lambda xp, g, s: {results}", env), tuple(sources), places)
