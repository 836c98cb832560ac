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
    otherwise,
    overlaps,
    overwrites_expanded,
    raising,
    reaches_freed,
    some_need_none,
)
from .steps import Step, asked, backward, leaf, op

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


DECISIONS: list[Decision] = [
    Decision(
        "36",
        "a backward() that repeats one that freed its graph, same roots and same inputs, changes nothing and warns; "
        "PyTorch raises if something was saved there, and adds again if nothing was",
        applies=again,
        spelled=lambda both, step: "pass",
        program=(
            leaf("v0"),
            op("v1", "v0 ** 3", "v0"),
            backward("v1", code="v1.backward()"),
            backward("v1", code="v1.backward()"),
        ),
        reads="v0.grad.item()",
        ours="27.0",
        theirs="RuntimeError",
        warns="FreedGraphWarning",
    ),
    Decision(
        "37",
        "a pass that reaches a freed node raises; PyTorch goes on where the node had saved nothing",
        applies=reaches_freed,
        spelled=raising,
        program=(
            leaf("v0"),
            op("v1", "v0 + 1", "v0"),
            backward("v1", code="v1.backward()"),
            op("v2", "v1 * 2", "v1"),
            backward("v2", code="v2.backward()"),
        ),
        reads="v0.grad.item()",
        ours="FreedGraphError",
        theirs="3.0",
        raises="FreedGraphError or VersionError",  # whichever node comes first
    ),
    Decision(
        "19",
        "a root that needs no gradient is skipped with a warning, if another one needs one; PyTorch raises",
        applies=some_need_none,
        spelled=otherwise,
        program=(
            leaf("v0"),
            leaf("v1", needs=False),
            op("v2", "v0 * 2", "v0"),
            backward("v2", "v1", code="lib.autograd.backward([v2, v1])", otherwise="lib.autograd.backward([v2])"),
        ),
        reads="v0.grad.item()",
        ours="2.0",
        theirs="RuntimeError",
        warns="NoGradRootWarning",
        runs=True,
    ),
    Decision(
        "23",
        "backward(inputs=) does not run the node of a non-leaf named there (the rest of the graph does not run), so it "
        "does not free it; PyTorch runs it, without passing its results on, and frees it",
        applies=asks_for_inner,
        spelled=keeping,
        program=(
            leaf("v0"),
            op("v1", "v0 * v0", "v0"),
            op("v2", "v1 * 2", "v1"),
            Step(
                "backward",
                "backward(inputs=)",
                "v2.backward(inputs=[v1])",
                (),
                ("v2", "v1"),
                asked(("v2",), ("v1",), ""),
            ),
            backward("v1", code="v1.backward()"),
        ),
        reads="v0.grad.item()",
        ours="6.0",
        theirs="RuntimeError",
        runs=True,
    ),
    Decision(
        "B4.3",
        "a hook that edits its argument in place: the edit counts, and never reaches another branch; in PyTorch "
        "the memory may be shared with one, which then gets a wrong gradient",
        applies=named("tensor hook", "edit"),
        spelled=as_it_is,  # the helper `edit` returns there what it makes in place here
        program=(
            leaf("v0"),
            op("v1", "v0 * 1", "v0"),
            op("v2", "v1 * 1", "v1"),
            op("v3", "v1 + v2", "v1", "v2"),
            Step("tensor hook", "edit", "h1 = v2.register_hook(edit('h1'))", (), ("v2",)),
            backward("v3", code="v3.backward()"),
        ),
        reads="v0.grad.item()",
        ours="4.0",
        theirs="6.0",
    ),
    Decision(
        "B1.16",
        "autograd.grad with more gradients than outputs raises; PyTorch ignores the rest",
        applies=named("grad", "too many gradients"),
        spelled=raising,
        program=(
            leaf("v0"),
            op("v1", "v0 * 2", "v0"),
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
        "an operation that would be recorded raises if an input is an inference tensor; PyTorch raises only if "
        "it would be saved",
        applies=named("inference", "recorded"),
        spelled=raising,
        program=(
            leaf("v0"),
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
        "nothing made under no_grad requires a gradient; in PyTorch a view made there of a tensor that does says that "
        "it does too, as a leaf: what is computed from it gives the tensor no gradient, without a word",
        applies=named("view", "under no_grad"),
        spelled=otherwise,
        program=(
            leaf("v0"),
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
        "detach_() of a tensor that a node has saved is fine: the node knows its history and needs its numbers; "
        "PyTorch raises in the backward pass",
        applies=cuts_off,
        spelled=otherwise,
        program=(
            leaf("v0"),
            op("v1", "v0.exp()", "v0"),
            op("v2", "v1 * v0", "v1", "v0"),
            Step("detach", "detach_", "v1.detach_()", (), ("v1",), None, "v1 = v1.detach()"),
            backward("v2", code="v2.backward()"),
        ),
        reads="round(v0.grad.item(), 2)",
        ours="80.34",
        theirs="RuntimeError",
    ),
    Decision(
        "B3.9",
        "an expanded tensor cannot be edited in place; PyTorch takes a number for all (zero_, fill_), the tensor "
        "itself, and values at index arrays or a mask",
        applies=overwrites_expanded,
        spelled=raising,
        program=(
            leaf("v0", needs=False),
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
        "a view made under no_grad of a tensor that requires a gradient cannot be edited while recording: as in "
        "PyTorch, which was told to make it of a detached tensor (44)",
        applies=edits_quiet_view,
        spelled=raising,  # there the view is of a detached tensor, see above
        program=(
            leaf("v0"),
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
        "B3.2: fewer operands kept",
        "mse_loss and gather keep no operand for the backward pass, which may then be edited before it; PyTorch keeps "
        "them, and raises",
        applies=keeps_others("mse_loss", "mse_loss, each", "gather"),
        spelled=otherwise,
        program=(
            leaf("v0"),
            op("v1", "v0 * 2", "v0"),
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
            backward("v2", code="v2.backward()"),
        ),
        reads="v0.grad.item()",
        ours="4.0",
        theirs="RuntimeError",
    ),
    Decision(
        "B3.2: other operands kept",
        "a number / x and cross_entropy of classes keep x, which may not be edited before the backward pass; PyTorch "
        "keeps the result, or what it computed on the way",
        applies=keeps_others("number div", "cross_entropy"),
        spelled=otherwise,
        program=(
            leaf("v0"),
            op("v1", "v0 * 1", "v0"),
            Step(
                "op", "number div", "v2 = 2 / v1", ("v2",), ("v1",), None, "v2 = lib.full_like(v1.detach(), 2.0) / v1"
            ),
            Step("in-place", "mul_ number", "v1.mul_(2)", (), ("v1",)),
            backward("v2", code="v2.backward()"),
        ),
        reads="round(v0.grad.item(), 2)",
        ours="VersionError",
        theirs="-0.22",
    ),
    Decision(
        "45",
        "enable_grad() as a plain call switches at once; in PyTorch it does nothing",
        applies=named("mode", "enable_grad() called"),
        spelled=otherwise,
        program=(
            leaf("v0"),
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
    Decision(
        "overlap",
        "an edit by a tensor that shows part of the same memory reads all of it first, as if it were a copy; PyTorch "
        "refuses it",
        applies=overlaps,
        spelled=otherwise,
        program=(
            leaf("v0", "[1., 2., 3.]", needs=False),
            Step("view", "getitem", "v1 = v0[:2]", ("v1",), ("v0",)),
            Step("view", "getitem", "v2 = v0[1:]", ("v2",), ("v0",)),
            Step("in-place", "add_", "v2.add_(v1)", (), ("v2", "v1"), None, "v2.add_(v1.clone())"),
        ),
        reads="v0.tolist()",
        ours="[1.0, 3.0, 5.0]",
        theirs="RuntimeError",
    ),
]
"""The first decision that applies to a step is the one that holds."""
