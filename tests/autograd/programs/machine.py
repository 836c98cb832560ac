"""The state machine: it chooses the steps, of which a program is built.

Every choice is a small whole number that is read modulo what is possible, the newest variable first, so that
Hypothesis can shrink a failing program step by step and the rest of it keeps its meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from .bounds import out_of_bounds
from .lockstep import Lockstep
from .steps import Step, asked, called, filled, silenced
from .tables import EDITS, INDICES, NUMBER_EDITS, OPS, PARTS, POINTWISE_EDITS, SHAPES, VIEWS, Row, rows

__all__ = ["Programs"]


PICK = st.integers(0, 7)
FORM = st.integers(0, 23)
HALF = st.booleans()
QUARTER = st.integers(0, 3).map(lambda n: n == 3)
EDITED = rows(NUMBER_EDITS, POINTWISE_EDITS)
TABLES = {"op": OPS, "view": VIEWS, "index": INDICES, "parts": PARTS, "in-place": rows(EDITS, EDITED)}
ALL = [(kind, name) for kind, table in TABLES.items() for name in table]
LEAVES = st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3)
FIRST = st.lists(st.tuples(st.sampled_from(ALL), st.tuples(PICK, PICK), FORM), min_size=6, max_size=16)
FLAGS = ["", "retain_graph=True", "retain_graph=True", "create_graph=True", "create_graph=True, retain_graph=False"]
"""Simplest first, and as often as they keep a program going."""
HOOKS = ["look", "scale", "edit"]
MODES = ["all", "any"]
NODE_HOOKS = ["node_look", "node_scale", "pre_look", "pre_scale"]


class Programs(RuleBasedStateMachine):
    """Programs over a few variables, run in lock-step."""

    torch: Any = None
    ended: Callable[[Lockstep], None]
    """Told of each program that ran to its end."""

    def __init__(self) -> None:
        super().__init__()
        self.both = Lockstep(self.torch)
        self.names = 0
        self.handles: list[str] = []

    # ------------------------------------------------------------------------------------- choosing

    def do(
        self, kind: str, name: str, code: str, makes: Sequence[str] = (), reads: Sequence[str] = (), **more: Any
    ) -> bool:
        """Run a step, unless the program is over; whether it ended well."""
        step = Step(kind, name, code, tuple(makes), tuple(reads), **more)
        if self.both.over or out_of_bounds(self.both, step):
            return False
        return self.both.do(step).error is None

    def new(self) -> str:
        """The name of the next variable."""
        self.names += 1
        return f"v{self.names - 1}"

    def one(self, names: Sequence[str], pick: int) -> str | None:
        """The pick-th newest of these variables."""
        return names[-1 - pick % len(names)] if names else None

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a variable."""
        return tuple(self.both.ours[name].shape)

    def tracked(self) -> list[str]:
        """Variables that require a gradient."""
        return [n for n in self.both.floats() if self.both.ours[n].requires_grad]

    def inner(self) -> list[str]:
        """Variables that an operation has made."""
        return [n for n in self.tracked() if not self.both.ours[n].is_leaf]

    def fitting(self, row: Row, picks: Sequence[int], never: Sequence[str] = ()) -> tuple[list[str], list[str]]:
        """Operands for a row, the first none of `never`, and the forms that fit them; empty lists where none fit."""
        chosen: list[str] = []
        for domain, pick in zip(row.domains, picks, strict=False):
            names = [n for n in self.both.floats() if self.both.within(n, domain) and self.leads_on(row, chosen, n)]
            names = [n for n in names if chosen or n not in never]
            name = self.one(names, pick)
            if name is None:
                return [], []
            chosen.append(name)
        return chosen, row.forms(*(self.shape(n) for n in chosen))

    def leads_on(self, row: Row, chosen: list[str], name: str) -> bool:
        """Whether this operand can still become a full set; the last one must give a form."""
        if len(chosen) + 1 < len(row.domains):
            return True
        return bool(row.forms(*(self.shape(n) for n in (*chosen, name))))

    def apply(self, kind: str, name: str, picks: Sequence[int], form: int, quiet: bool = False) -> None:
        """A step that makes one variable."""
        row = TABLES[kind][name]
        operands, forms = self.fitting(row, picks)
        if forms and not self.both.over:
            made = self.new()
            text = forms[form % len(forms)]
            texts = text, row.translated(text)
            code, otherwise = (silenced(f"{made} = {filled(t, operands)}", quiet) if t else "" for t in texts)
            self.do(kind, name, code, [made], operands, otherwise=otherwise)

    # ----------------------------------------------------------------------------- making variables

    @initialize(attentive=HALF, shapes=LEAVES, seed=FORM, first=FIRST)
    def begin(self, attentive: bool, shapes: list[tuple[int, ...]], seed: int, first: list[Any]) -> None:
        """The leaves a program starts with, and its first lines, from all tables alike."""
        self.both.attentive = attentive
        for i, shape in enumerate(shapes):
            self.leaf(shape, seed + i, True)
        for (kind, name), picks, form in first:
            if kind == "in-place":
                self.edited(name, picks, form, False)
            elif kind == "parts":
                self.taken_apart(name, picks[0], form)
            else:
                self.apply(kind, name, picks, form)

    @rule(shape=st.sampled_from(SHAPES), seed=FORM, needs=HALF)
    def leaf(self, shape: tuple[int, ...], seed: int, needs: bool) -> None:
        made = self.new()
        numbers = ((np.arange(np.prod(shape, dtype=int)) * (seed % 5 + 1) + seed) % 7 - 2) / (2 - seed % 2) + 0.0
        flag = ", requires_grad=True" if needs else ""
        code = f"{made} = lib.tensor({numbers.reshape(shape).tolist()}, dtype=lib.float64{flag})"
        self.do("leaf", "leaf" if needs else "constant", code, [made])

    @rule(name=st.sampled_from([n for n in OPS if len(OPS[n].domains) == 1]), pick=PICK, form=FORM)
    def unary(self, name: str, pick: int, form: int) -> None:
        self.apply("op", name, [pick], form)

    @rule(name=st.sampled_from([n for n in OPS if len(OPS[n].domains) == 2]), pick=PICK, other=PICK, form=FORM)
    def binary(self, name: str, pick: int, other: int, form: int) -> None:
        self.apply("op", name, [pick, other], form)

    @rule(name=st.sampled_from(["mul", "add", "sub", "mul number", "tanh", "sum"]), pick=PICK, other=PICK)
    def usual(self, name: str, pick: int, other: int) -> None:
        self.apply("op", name, [pick, other], 0)

    @rule(name=st.sampled_from(list(VIEWS)), pick=PICK, form=FORM)
    def view(self, name: str, pick: int, form: int) -> None:
        self.apply("view", name, [pick], form)

    @rule(name=st.sampled_from(list(INDICES)), pick=PICK, form=FORM)
    def index(self, name: str, pick: int, form: int) -> None:
        self.apply("index", name, [pick], form)

    @rule(name=st.sampled_from(list(OPS)), pick=PICK, other=PICK, form=FORM)
    def without_recording(self, name: str, pick: int, other: int, form: int) -> None:
        self.apply("op", name, [pick, other], form, quiet=True)

    @rule(name=st.sampled_from(list(VIEWS)), pick=PICK, form=FORM)
    def quiet_view(self, name: str, pick: int, form: int) -> None:
        operands, forms = self.fitting(VIEWS[name], [pick])
        if not forms or operands[0] not in self.tracked() or self.both.over:
            return
        made = self.new()
        code, otherwise = (
            silenced(f"{made} = {filled(forms[form % len(forms)], [x])}", True)
            for x in (operands[0], f"{operands[0]}.detach()")
        )
        self.do("view", "under no_grad", code, [made], operands, otherwise=otherwise)

    @rule(name=st.sampled_from(list(PARTS)), pick=PICK, form=FORM)
    def take_apart(self, name: str, pick: int, form: int) -> None:
        self.taken_apart(name, pick, form)

    def taken_apart(self, name: str, pick: int, form: int) -> None:
        operands, forms = self.fitting(PARTS[name], [pick])
        if not forms or self.both.over:
            return
        code = filled(forms[form % len(forms)], operands)
        count = len(eval(code, dict(self.both.theirs.names)))
        makes = [self.new() for _ in range(count)]
        if makes:  # none of a tensor of size 0
            self.do("parts", name, f"{', '.join(makes)}, = {code}", makes, operands)

    @rule(pick=PICK)
    def detach(self, pick: int) -> None:
        name = self.one(self.both.floats(), pick)
        if name:
            made = self.new()
            self.do("detach", "detach", f"{made} = {name}.detach()", [made], [name])

    @rule(pick=PICK, kept=HALF)
    def delete(self, pick: int, kept: bool) -> None:
        names = self.both.floats()
        name = self.one(names, pick)
        if name and len(names) > 3 and not kept:
            self.do("delete", "del", f"del {name}")

    # ----------------------------------------------------------------------------------- in place

    @rule(name=st.sampled_from(list(EDITS)), pick=PICK, other=PICK, form=FORM, quiet=QUARTER)
    def edit(self, name: str, pick: int, other: int, form: int, quiet: bool) -> None:
        self.edited(name, [pick, other], form, quiet)

    @rule(name=st.sampled_from(list(EDITED)), pick=PICK, form=FORM, quiet=QUARTER)
    def edit_by_number(self, name: str, pick: int, form: int, quiet: bool) -> None:
        self.edited(name, [pick], form, quiet)

    def edited(self, name: str, picks: Sequence[int], form: int, quiet: bool) -> None:
        leaves = [
            n for n in self.tracked() if self.both.ours[n].is_leaf and not quiet and picks[0] < 7
        ]  # refused there
        operands, forms = self.fitting(TABLES["in-place"][name], picks, leaves)
        if forms:
            form_ = forms[form % len(forms)]
            copies = [*operands[:1], *(f"{n}.clone()" for n in operands[1:])]
            code, otherwise = (silenced(filled(form_, names), quiet) for names in (operands, copies))
            self.do("in-place", name, code, (), operands, otherwise=otherwise)

    # ------------------------------------------------------------------------------- flags, hooks

    @rule(pick=PICK, value=st.sampled_from([True, False]))
    def requires_grad_(self, pick: int, value: bool) -> None:
        name = self.one(self.both.floats(), pick)
        if name:
            self.do("flag", f"requires_grad_({value})", f"{name}.requires_grad_({value})", (), [name])

    @rule(pick=PICK)
    def retain_grad(self, pick: int) -> None:
        name = self.one(self.inner() or self.both.floats(), pick)
        if name:
            self.do("flag", "retain_grad", f"{name}.retain_grad()", (), [name])

    @rule(pick=PICK)
    def detach_(self, pick: int) -> None:
        name = self.one(self.both.floats(), 2 * pick + 1)
        if name:
            otherwise = f"kept = {name}.grad; {name} = {name}.detach(); {name}.grad = kept"
            self.do("detach", "detach_", f"{name}.detach_()", (), [name], otherwise=otherwise)

    @rule(pick=PICK, hook=st.sampled_from(HOOKS))
    def tensor_hook(self, pick: int, hook: str) -> None:
        name = self.one(self.tracked() or self.both.floats(), pick)
        if name:
            self.hooked("tensor hook", hook, f"{name}.register_hook({hook}({{}}))", name)

    @rule(pick=PICK)
    def post_accumulate_hook(self, pick: int) -> None:
        # an edit of a leaf is an error, so seldom tried
        leaves = [n for n in self.tracked() if self.both.ours[n].is_leaf]
        name = self.one(leaves or self.both.floats(), pick)
        if name:
            code = f"{name}.register_post_accumulate_grad_hook(after({{}}))"
            self.hooked("leaf hook", "post-accumulate", code, name)

    @rule(pick=PICK, hook=st.sampled_from(NODE_HOOKS))
    def node_hook(self, pick: int, hook: str) -> None:
        name = self.one([n for n in self.inner() if n not in self.both.parts], pick)
        if name:
            register = "register_prehook" if hook.startswith("pre") else "register_hook"
            self.hooked("node hook", hook, f"{name}.grad_fn.{register}({hook}({{}}))", name)

    @rule(pick=PICK, other=PICK, mode=st.sampled_from(MODES))
    def multi_hook(self, pick: int, other: int, mode: str) -> None:
        names = dict.fromkeys(filter(None, (self.one(self.tracked(), p) for p in (pick, other))))
        if names:
            listed = ", ".join(names)
            code = f"lib.autograd.graph.register_multi_grad_hook([{listed}], together({{}}), mode='{mode}')"
            self.hooked("multi hook", mode, code, *names)

    def hooked(self, kind: str, name: str, code: str, *variables: str) -> None:
        handle = f"h{len(self.handles)}"
        if self.do(kind, name, f"{handle} = " + code.format(f"'{handle}'"), (), variables):
            self.handles.append(handle)

    @rule(pick=PICK)
    def remove_hook(self, pick: int) -> None:
        if self.handles:
            self.do("tensor hook", "remove", f"{self.one(self.handles, pick)}.remove()")

    # ----------------------------------------------------------------------------------- backward

    @rule(pick=PICK, flags=st.sampled_from(FLAGS), seed=PICK, inputs=st.lists(PICK, max_size=2))
    def backward(self, pick: int, flags: str, seed: int, inputs: list[int]) -> None:
        root = self.one(self.inner() or self.tracked(), pick)
        if root:
            wanted = tuple(dict.fromkeys(self.one(self.tracked(), i) or root for i in inputs))
            self.pass_from([root], flags, seed, wanted)

    @rule(picks=st.lists(PICK, min_size=2, max_size=3), flags=st.sampled_from(FLAGS[1:]), seed=PICK)
    def several_roots(self, picks: list[int], flags: str, seed: int) -> None:
        names = self.both.floats() if picks[0] > 4 else self.tracked()
        if names:
            self.pass_from([self.one(names, p) or "" for p in picks], flags, seed, ())

    def vector(self, root: str, seed: int, flags: str) -> str:
        """A root's vector: none for one element, ones, or the numbers of a variable of its shape.

        Not the variable itself: PyTorch may keep it as `.grad`, and shows it to hooks as it is.
        """
        fitting = [n for n in self.both.floats() if self.shape(n) == self.shape(root) and self.both.within(n, "tame")]
        if seed > 3 and fitting:
            return f"{self.one(fitting, seed)}{' * 1' if 'create_graph=True' in flags else '.detach().clone()'}"
        return f"lib.ones_like({root})" if seed or self.shape(root) else "None"

    def pass_from(self, roots: list[str], flags: str, seed: int, inputs: tuple[str, ...]) -> bool:
        """`backward` from some roots, each with a vector."""
        vectors = [self.vector(r, seed, flags) for r in roots]
        alive = [(r, v) for r, v in zip(roots, vectors, strict=True) if self.both.ours[r].requires_grad]
        more = ", ".join(filter(None, [flags, f"inputs=[{', '.join(inputs)}]" if inputs else ""]))
        kind = "several roots" if len(roots) > 1 else "backward(inputs=)" if inputs else f"backward({flags})"
        code, otherwise = (called(r, more) for r in (list(zip(roots, vectors, strict=True)), alive))
        request = asked(tuple(roots), inputs or None, flags)
        read = (v.split(".")[0].split(" ")[0] for v in vectors)
        reads = [*roots, *inputs, *(v for v in read if v in self.both.ours.tensors())]
        return self.do("backward", kind, code, (), reads, request=request, otherwise=otherwise)

    @rule(pick=PICK)
    def backward_without_vector(self, pick: int) -> None:
        """Fine for one element; an error before the pass for more, or where nothing requires a gradient."""
        names = [n for n in self.both.floats() if pick == 7 or self.both.ours[n].numel() == 1]
        name = self.one(names, pick)
        if name:
            code = f"{name}.backward(retain_graph=True)"
            one = self.both.ours[name].requires_grad and self.both.ours[name].numel() == 1
            request = asked((name,), None, code) if one else None
            self.do("backward", "without a vector", code, (), [name], request=request)

    @rule(pick=PICK, inputs=st.lists(PICK, min_size=1, max_size=2), flags=st.sampled_from(FLAGS), strict=QUARTER)
    def grad(self, pick: int, inputs: list[int], flags: str, strict: bool) -> None:
        root = self.one(self.inner() or self.tracked(), pick)
        if not root or self.both.over:
            return
        wanted = tuple(dict.fromkeys(self.one(self.tracked(), i + 1) or root for i in inputs))
        made = [self.new() for _ in wanted]
        more = "".join(f", {f}" for f in (flags, "" if strict else "allow_unused=True") if f)
        vector = f", lib.ones_like({root})" if self.shape(root) else ""
        code = f"{', '.join(made)}, = lib.autograd.grad({root}, [{', '.join(wanted)}]{vector}{more})"
        request = asked((root,), wanted, flags, writes=False)
        self.do("grad", f"grad({flags})", code, made, [root, *wanted], request=request)

    @rule(pick=PICK)
    def take_gradient(self, pick: int) -> None:
        names = [n for n in self.both.floats() if self.with_gradient(n)]
        name = self.one(names, pick)
        if name and not self.both.over:
            made = self.new()
            copy = "" if self.both.ours[name].is_leaf else ".clone()"  # we add in place there, PyTorch to a new tensor
            self.do("gradient", "taken", f"{made} = {name}.grad{copy}", [made], [name])

    @rule(pick=PICK, zero=HALF)
    def clear_gradient(self, pick: int, zero: bool) -> None:
        name = self.one([n for n in self.both.floats() if self.with_gradient(n)], pick)
        if name:
            code = f"with lib.no_grad(): {name}.grad.zero_()" if zero else f"{name}.grad = None"
            self.do("clear", "zero_" if zero else "None", code, (), [name])

    def with_gradient(self, name: str) -> bool:
        """Whether a variable holds a gradient that may be read."""
        tensor = self.both.ours[name]
        return (tensor.is_leaf or tensor.retains_grad) and tensor.grad is not None

    # -------------------------------------------------------------------------------- decisions

    @rule(pick=PICK)
    def rare(self, pick: int) -> None:
        """Steps at which we and PyTorch differ."""
        name = self.one(self.tracked(), pick)
        if name and not self.both.over:
            (self.too_many_gradients if pick == 7 else self.inference if pick % 2 else self.mode)(name)

    def too_many_gradients(self, name: str) -> None:
        ones = f"lib.ones_like({name})"
        code = f"{self.new()}, = lib.autograd.grad({name}, [{name}], [{ones}, {ones}])"
        self.do("grad", "too many gradients", code, (), [name])

    def inference(self, name: str) -> None:
        made = self.new()
        if self.do("inference", "made", f"with lib.inference_mode(): {made} = {name} * 2", [made], [name]):
            self.do("inference", "recorded", f"{self.new()} = {name} + {made}", (), [name, made])
            result = self.new()
            self.do("inference", "cloned", f"{result} = {name} + {made}.clone()", [result], [name, made])

    def mode(self, name: str) -> None:
        made = self.new()
        code = f"with lib.no_grad(): lib.enable_grad(); {made} = {name} * 2"
        otherwise = code.replace("enable_grad()", "set_grad_enabled(True)")
        self.do("mode", "enable_grad() called", code, [made], [name], otherwise=otherwise)

    def teardown(self) -> None:
        """Every program ends with a backward through what is left."""
        for root in self.inner()[::-1][:3]:
            if self.both.clean or self.both.over:
                break
            self.pass_from([root], "", 0, ())
        self.ended(self.both)
