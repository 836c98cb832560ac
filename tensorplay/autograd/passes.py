"""`backward` and `grad`: check what was asked, run one pass, deliver.

Everything rare about a request is settled here, before the loop starts: missing seeds, roots without
history, graphs that are already freed, and which part of the graph has to run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from time import perf_counter
from typing import Any

import numpy as np

from .. import events
from ..arrays.batch import Batched, BatchSpace
from ..arrays.dtypes import as_numpy
from ..arrays.levels import level_of
from ..errors import FreedGraphWarning, GradError, GradOptionError, UnusedInputError
from ..source import user_line, warn
from . import hooks, lines, modes
from .bridge import bridge
from .engine import Pass, arrived_at, finish, reaching, running, walk
from .graph import GradientEdge
from .node import key, node_at
from .roots import (
    Root,
    edge_to,
    find_roots,
    find_targets,
    forbid_in_transforms,
    graph_layer,
    list_of,
    require_grad,
    shared_below,
)

__all__ = ["backward", "grad"]


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Add to each leaf's `.grad` the vector-Jacobian product of `tensors` with `grad_tensors`.

    For roots yᵢ and vectors vᵢ each leaf x receives Σᵢ vᵢᵀ ∂yᵢ/∂x.

    Args:
        tensors: a tensor, a GradientEdge, or a sequence of them.
        grad_tensors: a vector of the root's shape for each root; None stands for 1 where the root has one element.
        retain_graph: keep the saved tensors for another pass. Defaults to `create_graph`.
        create_graph: record the derivative itself, so that it can be differentiated.
        grad_variables: the old name of `grad_tensors`.
        inputs: accumulate into these alone (a tensor, a sequence, or a dict of them).

    Raises:
        NonScalarError: a root without a vector has not exactly one element.
        NoGradRootError: no root requires a gradient.
        FreedGraphError: the pass reached a part of the graph that is already freed.
        VersionError: a tensor that a rule reads was edited in place after it was saved.
        GradError: vectors and roots differ in number or shape, or `inputs` is empty or names what needs no gradient.
        GradTypeError: something is no tensor.
        TransformError: called inside a transform of `tp.func`, whose functions have no `.grad` to write.

    >>> import tensorplay as tp
    >>> x = tp.tensor([1.0, 2.0], requires_grad=True)
    >>> tp.autograd.backward((x * x).sum())
    >>> x.grad
    tensor([2., 4.])
    """
    if grad_variables is not None:
        grad_tensors = _by_old_name(grad_tensors, grad_variables)
    wanted = None if inputs is None else find_targets(inputs, "backward")
    retain = create_graph if retain_graph is None else retain_graph
    forbid_in_transforms()
    found = list_of(tensors)
    layer = graph_layer(found, grad_tensors)
    roots = find_roots(found, grad_tensors, batched=False, create=create_graph or layer is not None, skip_no_grad=True)
    if not roots:
        return
    if _all_freed(roots, wanted):
        _again(roots)
        return
    if create_graph:
        _warn_of_cycle()
    _run_backward(roots, wanted, retain, create_graph, layer)


def _by_old_name(grad_tensors: Any, grad_variables: Any) -> Any:
    if grad_tensors is not None:
        raise GradError("`grad_tensors` and `grad_variables` (its old name) were both given; use `grad_tensors` alone")
    warn("`grad_variables` is deprecated; use `grad_tensors`", FutureWarning)
    return grad_variables


def _run_backward(roots: list[Root], targets: list[Any] | None, retain: bool, create: bool, layer: int | None) -> None:
    """Run the pass of `backward`, and add what it sums up to each leaf's `.grad`."""
    run = _new_pass(roots, targets, retain, create or layer is not None)
    for target in targets or ():
        if not isinstance(target, GradientEdge) and not target.is_leaf:
            target.retain_grad()
    with _told(run, roots, layer), _recorded(create, layer):
        for leaf, g in _leaf_sums(run, roots).items():
            if leaf._hooks is not None:
                hooks.accumulate(run, leaf, g)
            elif g is not None:
                hooks.keep_grad(run, leaf, g)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """The gradients of `outputs` with respect to `inputs`, returned; no `.grad` is written.

    For outputs yᵢ and vectors vᵢ the entry of an input x is Σᵢ vᵢᵀ ∂yᵢ/∂x. A dict of inputs gives a
    dict with the same keys, anything else a tuple.

    Args:
        outputs, inputs: a tensor, a GradientEdge, or a sequence (for inputs also a dict) of them.
        grad_outputs: one vector per output, as in `backward`.
        retain_graph, create_graph: as in `backward`.
        only_inputs: deprecated and ignored.
        allow_unused: give None for an input the outputs do not depend on. Defaults to `materialize_grads`.
        is_grads_batched: the first axis of every vector is a batch, and one pass computes the products of all.
        materialize_grads: give zeros instead of None.

    Raises:
        UnusedInputError: an input was not used and `allow_unused` is not set.
        GradError: an input needs no gradient.
        NonScalarError, NoGradRootError, FreedGraphError, VersionError, GradTypeError: as in `backward`.
        GradOptionError: `materialize_grads` with `allow_unused=False`.

    >>> import tensorplay as tp
    >>> x = tp.tensor(3.0, requires_grad=True)
    >>> tp.autograd.grad(x**3, x)
    (tensor(27.),)
    """
    if not only_inputs:
        warn("`only_inputs` is deprecated and ignored: only inputs are ever computed", FutureWarning)
    if materialize_grads and allow_unused is False:
        raise GradOptionError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, got False: "
            "zeros can only be made for inputs that may be unused"
        )
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    targets = find_targets(inputs, "grad")
    require_grad(targets)
    retain = create_graph if retain_graph is None else retain_graph
    found = list_of(outputs)
    layer = graph_layer(found, grad_outputs)
    on_tensors = create_graph or layer is not None
    roots = find_roots(found, grad_outputs, batched=is_grads_batched, create=on_tensors, skip_no_grad=False)
    results = _collect(roots, targets, retain, create_graph, is_grads_batched, layer)
    for i, target in enumerate(targets):
        if results[i] is None:
            results[i] = _unused(i, target, allow_unused, materialize_grads)
    return dict(zip(inputs, results, strict=True)) if isinstance(inputs, Mapping) else tuple(results)


def _collect(
    roots: list[Root], targets: list[Any], retain: bool, create: bool, batched: bool, layer: int | None
) -> list[Any]:
    """Run the pass of `grad`: for each target what arrived there, or None."""
    run = _new_pass(roots, targets, retain, create or layer is not None)
    if batched:
        run.xp = BatchSpace(run.xp)
    with _told(run, roots, layer), _recorded(create, layer):
        leaves = _leaf_sums(run, roots)
    return [_delivered(_found(run, leaves, edge_to(t)), create, layer) for t in targets]


def _found(run: Pass, leaves: dict[Any, Any], edge: Any) -> Any:
    return leaves.get(edge) if node_at(edge) is None else run.want.get(key(edge))


def _delivered(g: Any, create: bool, layer: int | None) -> Any:
    """A gradient as the caller gets it: unbatched, a Tensor, with memory of its own."""
    if isinstance(g, Batched):
        g = g.data
    if g is None or create:
        return g
    if layer is None:
        return bridge.wrap(np.array(g), None)
    if level_of(g._array) != layer:  # the other layers keep what they recorded
        return g
    return bridge.wrap(g._array if layer else np.array(g._array), None)


def _unused(i: int, target: Any, allowed: bool, zeros: bool) -> Any:
    """What stands for the gradient of an input that the outputs do not depend on."""
    if not allowed:
        raise UnusedInputError(
            f"The differentiated Tensor at index {i} appears to not have been used in the graph. "
            f"Pass allow_unused=True to get None for it, or materialize_grads=True to get zeros."
        )
    if not zeros:
        return None
    return bridge.wrap(np.zeros(target.shape, as_numpy(target.dtype)), None)


# ----------------------------------------------------------------------------------------- the pass


def _new_pass(roots: list[Root], targets: list[Any] | None, retain: bool, tensors: bool) -> Pass:
    """A pass that knows what is asked of it, ready to run."""
    run = Pass(retain=retain, tensors=tensors)
    if events.sources_wanted:
        run.place = user_line()
    if tensors:
        run.xp = bridge.tensors
    if targets is not None:
        edges = [edge_to(t) for t in targets]
        run.want = {key(e): None for e in edges if node_at(e) is not None}
        run.leaves = {e for e in edges if node_at(e) is None}
        run.asked = frozenset(map(_token, edges))
        run.only = reaching((edge for edge, _ in roots), run.leaves | {node for node, _ in run.want})
    return run


def _leaf_sums(run: Pass, roots: list[Root]) -> dict[Any, Any]:
    """Run the loop; leaf hooks last, before anything is written."""
    entering = [(e, g) for e, g in roots if run.asks_for(e)]
    if events.listeners:
        for edge, seed in entering:
            arrived_at(None, edge, seed)
    run.roots = entering
    leaves = {leaf: g for leaf, g in finish(walk(run, entering)).items() if leaf._needs_grad}
    run.node = None
    for leaf, g in leaves.items():
        if leaf._hooks:
            g = hooks.in_grad_dtype(run, leaf, g)
            leaves[leaf] = hooks.fire(run, leaf, leaf._hooks.gradient.values(), g, "tensor hook")
    if run.gathered:
        hooks.settle(run)
    return leaves


@contextmanager
def _recorded(create: bool, layer: int | None) -> Iterator[None]:
    """Rules record their own graph under `create_graph`, also inside `no_grad`."""
    if layer is not None:
        with ExitStack() as switched:
            for level in (layer, *shared_below(layer)):
                switched.enter_context(modes.layer_recording(level, create))
            yield
        return
    with modes.recording_set_to(create):
        yield


@contextmanager
def _told(run: Pass, roots: list[Root], layer: int | None) -> Iterator[None]:
    """Begin and end of a pass for those who listen; an error marks the roots it left freed."""
    start = perf_counter()
    with events.numbered_pass(told=layer is None):
        if events.listeners:
            edges = tuple(edge for edge, _ in roots)
            events.emit(events.BackwardStarted(edges, tuple(seed for _, seed in roots), run.retain, run.tensors))
        token = running.set(run)
        try:
            yield
        except BaseException as error:
            _interrupted(roots, error)
            if events.listeners:
                events.emit(events.BackwardFailed(run.node, error))
            raise
        finally:
            running.reset(token)
        if events.listeners:
            events.emit(events.BackwardFinished(perf_counter() - start))


def _token(edge: Any) -> tuple[int, int]:
    """What was asked for, by number: a freed node that held the nodes themselves could keep itself alive."""
    return (id(edge), -1) if node_at(edge) is None else (key(edge)[0].number, key(edge)[1])


def _interrupted(roots: list[Root], error: BaseException) -> None:
    """Note why the pass ended on the roots it has freed: a second one says so, instead of giving nothing."""
    for edge, _ in roots:
        node = node_at(edge)
        if node is not None and node.freed:
            node.extras().interrupted = f"{type(error).__name__}: {error}"


# ------------------------------------------------------------------------------ graphs already freed


def _all_freed(roots: list[Root], targets: list[Any] | None) -> bool:
    """Whether this exact request was already served. (A mixture of freed and live roots is an error, in the loop.)"""
    nodes = [node for edge, _ in roots if (node := node_at(edge)) is not None and node.freed]
    if len(nodes) < len(roots):
        return False
    wanted = None if targets is None else frozenset(_token(edge_to(t)) for t in targets)
    for node in nodes:
        extra = node.extra
        if extra is not None and extra.interrupted:
            raise lines.interrupted(node, extra.interrupted)
        if (extra.request if extra else None) != wanted:
            raise lines.other_inputs(node)
    return True


def _again(roots: list[Root]) -> None:
    """The documented no-op: a second backward on the same freed output changes nothing and says so."""
    if events.listeners:
        events.emit(events.BackwardOnFreedGraph(tuple(edge for edge, _ in roots)))
    warn(lines.again(node_at(roots[0][0])), FreedGraphWarning)


def _warn_of_cycle() -> None:
    warn(
        "Using backward() with create_graph=True ties each leaf and its .grad together, which keeps the graph alive. "
        "Use autograd.grad instead, or set .grad = None when you are done.",
        UserWarning,
    )
