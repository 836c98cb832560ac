"""Where we differ from PyTorch on purpose, as data.

A decision says for which steps it holds, how PyTorch is told to do the same (so that the program goes on and the
rest is compared), and a program that shows the difference: how it ends here and how there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .situations import (
    again,
    as_it_is,
    asks_for_inner,
    cuts_off,
    edits_quiet_view,
    keeping,
    keeps_others,
    named,
    never,
    otherwise,
    overlaps,
    overwrites_expanded,
    raising,
    reaches_freed,
    some_need_none,
)
from .steps import Step, asked

__all__ = ["DECISIONS", "Decision"]


@dataclass(frozen=True)
class Decision:
    """One row of the table."""

    row: str
    says: str
    applies: Callable[[Any, Step], bool]
    """Whether the decision holds for a step; the lockstep knows the state before it."""
    spelled: Callable[[Any, Step], str]
    """What PyTorch runs instead."""
    program: tuple[Step, ...]
    """It ends with the step in question."""
    reads: str
    """What is then looked at, if no error was raised."""
    ours: str
    theirs: str
    raises: str = ""
    """Our error, or errors."""
    warns: str = ""
    runs: bool = False
    """Whether the graph is walked all the same."""


def _leaf(name: str, numbers: str = "[3.]", needs: bool = True) -> Step:
    flag = ", requires_grad=True" if needs else ""
    return Step("leaf", "leaf", f"{name} = lib.tensor({numbers}, dtype=lib.float64{flag})", (name,))


def _op(name: str, code: str, *reads: str) -> Step:
    return Step("op", "op", f"{name} = {code}", (name,), reads)


def _backward(*roots: str, code: str, otherwise: str = "") -> Step:
    return Step("backward", "backward", code, (), roots, asked(roots, None, code), otherwise)


DECISIONS: list[Decision] = [
    Decision(
        "36",
        "a second backward() on the same output, freed, is accepted and changes nothing",
        applies=again,
        spelled=lambda both, step: "pass",
        program=(
            _leaf("v0"),
            _op("v1", "v0 ** 3", "v0"),
            _backward("v1", code="v1.backward()"),
            _backward("v1", code="v1.backward()"),
        ),
        reads="v0.grad.item()",
        ours="27.0",
        theirs="RuntimeError",
        warns="FreedGraphWarning",
    ),
    Decision(
        "37",
        "a pass that reaches a freed node raises, also where the node had saved nothing",
        applies=reaches_freed,
        spelled=raising,
        program=(
            _leaf("v0"),
            _op("v1", "v0 + 1", "v0"),
            _backward("v1", code="v1.backward()"),
            _op("v2", "v1 * 2", "v1"),
            _backward("v2", code="v2.backward()"),
        ),
        reads="v0.grad.item()",
        ours="FreedGraphError",
        theirs="3.0",
        raises="FreedGraphError or VersionError",  # whichever node comes first
    ),
    Decision(
        "19",
        "a root that needs no gradient is skipped, if another one needs one",
        applies=some_need_none,
        spelled=otherwise,
        program=(
            _leaf("v0"),
            _leaf("v1", needs=False),
            _op("v2", "v0 * 2", "v0"),
            _backward("v2", "v1", code="lib.autograd.backward([v2, v1])", otherwise="lib.autograd.backward([v2])"),
        ),
        reads="v0.grad.item()",
        ours="2.0",
        theirs="RuntimeError",
        warns="NoGradRootWarning",
        runs=True,
    ),
    Decision(
        "23",
        "backward(inputs=) does not run the node of a non-leaf named there, so it does not free it",
        applies=asks_for_inner,
        spelled=keeping,
        program=(
            _leaf("v0"),
            _op("v1", "v0 * v0", "v0"),
            _op("v2", "v1 * 2", "v1"),
            Step(
                "backward",
                "backward(inputs=)",
                "v2.backward(inputs=[v1])",
                (),
                ("v2", "v1"),
                asked(("v2",), ("v1",), ""),
            ),
            _backward("v1", code="v1.backward()"),
        ),
        reads="v0.grad.item()",
        ours="6.0",
        theirs="RuntimeError",
        runs=True,
    ),
    Decision(
        "overlap",
        "an edit by a tensor that shows part of the same memory reads all of it first",
        applies=overlaps,
        spelled=otherwise,
        program=(
            _leaf("v0", "[1., 2., 3.]", needs=False),
            Step("view", "getitem", "v1 = v0[:2]", ("v1",), ("v0",)),
            Step("view", "getitem", "v2 = v0[1:]", ("v2",), ("v0",)),
            Step("in-place", "add_", "v2.add_(v1)", (), ("v2", "v1"), None, "v2.add_(v1.clone())"),
        ),
        reads="v0.tolist()",
        ours="[1.0, 3.0, 5.0]",
        theirs="RuntimeError",
    ),
    Decision(
        "B4.3",
        "a hook that edits its argument in place: the edit counts, and never reaches another branch",
        applies=named("tensor hook", "edit"),
        spelled=as_it_is,  # the helper `edit` returns there what it makes in place here
        program=(
            _leaf("v0"),
            _op("v1", "v0 * 1", "v0"),
            _op("v2", "v1 * 1", "v1"),
            _op("v3", "v1 + v2", "v1", "v2"),
            Step("tensor hook", "edit", "h1 = v2.register_hook(edit('h1'))", (), ("v2",)),
            _backward("v3", code="v3.backward()"),
        ),
        reads="v0.grad.item()",
        ours="4.0",
        theirs="6.0",
    ),
    Decision(
        "B1.16",
        "autograd.grad with more gradients than outputs raises",
        applies=named("grad", "too many gradients"),
        spelled=raising,
        program=(
            _leaf("v0"),
            _op("v1", "v0 * 2", "v0"),
            Step(
                "grad",
                "too many gradients",
                "v2, = lib.autograd.grad(v1, [v0], [v1.detach(), v1.detach()])",
                ("v2",),
                ("v1", "v0"),
            ),
        ),
        reads="v2.item()",
        ours="GradError",
        theirs="12.0",
        raises="GradError",
    ),
    Decision(
        "48",
        "an operation that would be recorded raises if an input is an inference tensor",
        applies=named("inference", "recorded"),
        spelled=raising,
        program=(
            _leaf("v0"),
            Step("inference", "made", "with lib.inference_mode(): v1 = lib.ones(1, dtype=lib.float64)", ("v1",)),
            Step("inference", "recorded", "v2 = v0 + v1", ("v2",), ("v0", "v1")),
        ),
        reads="v2.item()",
        ours="InferenceError",
        theirs="4.0",
        raises="InferenceError",
    ),
    Decision(
        "44",
        "nothing made under no_grad requires a gradient, a view neither",
        applies=named("view", "under no_grad"),
        spelled=otherwise,
        program=(
            _leaf("v0"),
            Step(
                "view",
                "under no_grad",
                "with lib.no_grad(): v1 = v0[0]",
                ("v1",),
                ("v0",),
                None,
                "with lib.no_grad(): v1 = v0.detach()[0]",
            ),
        ),
        reads="v1.requires_grad",
        ours="False",
        theirs="True",
    ),
    Decision(
        "B2.13",
        "detach_() of a result whose node keeps it is fine: the node needs its numbers, not its history",
        applies=cuts_off,
        spelled=otherwise,
        program=(
            _leaf("v0"),
            _op("v1", "v0.exp()", "v0"),
            _op("v2", "v1 * v0", "v1", "v0"),
            Step("detach", "detach_", "v1.detach_()", (), ("v1",), None, "v1 = v1.detach()"),
            _backward("v2", code="v2.backward()"),
        ),
        reads="round(v0.grad.item(), 2)",
        ours="80.34",
        theirs="RuntimeError",
    ),
    Decision(
        "B3.9",
        "an expanded tensor cannot be edited in place, not even by the same number everywhere",
        applies=overwrites_expanded,
        spelled=raising,
        program=(
            _leaf("v0", needs=False),
            Step("view", "expand", "v1 = v0.expand(2)", ("v1",), ("v0",)),
            Step("in-place", "zero_", "v1.zero_()", (), ("v1",)),
        ),
        reads="v0.item()",
        ours="InPlaceError",
        theirs="0.0",
        raises="InPlaceError",
    ),
    Decision(
        "B3.8",
        "a view made under no_grad of a tensor that requires a gradient cannot be edited while recording",
        applies=edits_quiet_view,
        spelled=raising,  # there the view is of a detached tensor, see above
        program=(
            _leaf("v0"),
            Step(
                "view",
                "under no_grad",
                "with lib.no_grad(): v1 = v0[0]",
                ("v1",),
                ("v0",),
                None,
                "with lib.no_grad(): v1 = v0.detach()[0]",
            ),
            Step("in-place", "mul_ number", "v1.mul_(2)", (), ("v1",)),
        ),
        reads="v1.item()",
        ours="InPlaceError",
        theirs="RuntimeError",
        raises="InPlaceError",
    ),
    Decision(
        "B3.2",
        "an operation that we compose of others keeps other values for its backward",
        applies=keeps_others,
        spelled=otherwise,
        program=(
            _leaf("v0"),
            _op("v1", "v0 * 2", "v0"),
            Step(
                "op",
                "mse_loss",
                "v2 = lib.nn.functional.mse_loss(v1, v1.detach() - 1)",
                ("v2",),
                ("v1",),
                None,
                "v2 = lib.nn.functional.mse_loss(v1 * 1, v1.detach() - 1)",
            ),
            Step("in-place", "mul_ number", "v1.mul_(2)", (), ("v1",)),
            _backward("v2", code="v2.backward()"),
        ),
        reads="v0.grad.item()",
        ours="4.0",
        theirs="RuntimeError",
    ),
    Decision(
        "B1.26",
        "the derivative of relu and abs is a constant, also under create_graph",
        applies=never,  # seen after the pass
        spelled=as_it_is,
        program=(
            _leaf("v0"),
            Step("op", "relu", "v1 = v0.relu()", ("v1",), ("v0",)),
            Step(
                "grad",
                "grad(create_graph=True)",
                "v2, = lib.autograd.grad(v1, [v0], create_graph=True)",
                ("v2",),
                ("v1", "v0"),
                asked(("v1",), ("v0",), "create_graph=True", writes=False),
            ),
        ),
        reads="v2.requires_grad",
        ours="False",
        theirs="True",
    ),
    Decision(
        "B3.5",
        "under create_graph the zero gradient of what was overwritten is recorded",
        applies=never,  # seen after the pass
        spelled=as_it_is,
        program=(
            _leaf("v0"),
            _op("v1", "v0 * 1", "v0"),
            Step("in-place", "fill_", "v1.fill_(2)", (), ("v1",)),
            _op("v2", "v1 * v1 * v0", "v1", "v0"),
            Step(
                "grad",
                "grad(create_graph=True)",
                "v3, = lib.autograd.grad(v1, [v0], v0, create_graph=True)",
                ("v3",),
                ("v1", "v0"),
                asked(("v1",), ("v0",), "create_graph=True", writes=False),
            ),
        ),
        reads="v3.requires_grad",
        ours="True",
        theirs="False",
    ),
    Decision(
        "45",
        "enable_grad() as a plain call switches at once",
        applies=named("mode", "enable_grad() called"),
        spelled=otherwise,
        program=(
            _leaf("v0"),
            Step(
                "mode",
                "enable_grad() called",
                "with lib.no_grad(): lib.enable_grad(); v1 = v0 * 2",
                ("v1",),
                ("v0",),
                None,
                "with lib.no_grad(): lib.set_grad_enabled(True); v1 = v0 * 2",
            ),
        ),
        reads="v1.requires_grad",
        ours="True",
        theirs="False",
    ),
]
"""The first decision that applies to a step is the one that holds."""
