"""What was asked of a pass: its roots, the vectors it starts with, and the inputs it is for.

Everything a caller can get wrong is refused here, in the field's words, before the loop starts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..arrays.batch import Batched, BatchSpace
from ..arrays.cpu import cpu
from ..arrays.dtypes import as_numpy, of
from ..arrays.levels import frame_of, frames, level_of
from ..errors import (
    GradArgumentError,
    GradError,
    GradTypeError,
    NoGradRootError,
    NoGradRootWarning,
    NonScalarError,
    TransformError,
)
from ..source import warn
from .bridge import bridge
from .graph import GradientEdge
from .hooks import keeps_dtype

__all__ = [
    "Root",
    "edge_to",
    "find_roots",
    "find_targets",
    "forbid_in_transforms",
    "graph_layer",
    "list_of",
    "require_grad",
    "shared_below",
]

Root = tuple[Any, Any]
"""(edge, seed): where a pass starts and the vector it starts with."""

# ----------------------------------------------------------------------------------- roots and seeds


def list_of(tensors: Any) -> list[Any]:
    """One tensor, a sequence or a dict of them, as a list."""
    if isinstance(tensors, (bridge.Tensor, GradientEdge)):
        return [tensors]
    if isinstance(tensors, Mapping):
        return list(tensors.values())
    if isinstance(tensors, Iterable):
        return list(tensors)
    raise GradTypeError(f"expected a tensor or a sequence of tensors, got {type(tensors).__name__}")


def find_roots(tensors: list[Any], vectors: Any, *, batched: bool, create: bool, skip_no_grad: bool) -> list[Root]:
    """Where the pass starts: an (edge, seed) for each root that has history."""
    found: list[Root] = []
    skipped = []
    for i, (tensor, vector) in enumerate(zip(tensors, _vectors(vectors, len(tensors)), strict=True)):
        edge = edge_to(tensor)
        if edge is None:
            skipped.append(i)
            continue
        found.append((edge, _seed(i, tensor, vector, batched, create)))
    if skipped and (not found or not skip_no_grad):
        raise NoGradRootError(
            f"element {skipped[0]} of tensors does not require grad and does not have a grad_fn: nothing it was made "
            f"from requires a gradient. Create the leaves with requires_grad=True, and look for detach() or no_grad."
        )
    for i in skipped:
        warn(f"element {i} of tensors needs no gradient and was skipped", NoGradRootWarning)
    return found


def _vectors(vectors: Any, count: int) -> Sequence[Any]:
    """One vector (or None) for each root."""
    if vectors is None:
        return [None] * count
    given = list(vectors) if isinstance(vectors, Iterable) and not isinstance(vectors, bridge.Tensor) else [vectors]
    if len(given) != count:
        raise GradError(f"got {count} tensors and {len(given)} gradients: give one gradient (or None) per tensor")
    return given


def _seed(i: int, tensor: Any, vector: Any, batched: bool, create: bool) -> Any:
    """The vector a root starts with, as the pass computes: an array, a Tensor under `create_graph`, or a batch."""
    if vector is not None and not isinstance(vector, bridge.Tensor):
        got = type(vector).__name__
        raise GradTypeError(f"gradients can be either Tensors or None, but got {got}: tp.tensor(...) makes a Tensor")
    shape, dtype = tensor.shape, as_numpy(tensor.dtype or (vector.dtype if vector is not None else None))
    if vector is None:
        if dtype.kind == "c":
            raise NonScalarError(
                f"grad can be implicitly created only for real scalar outputs but got {tensor.dtype}: "
                f"give the vector, as in y.backward(gradient)"
            )
        if batched:
            raise NonScalarError(
                f"grad can be implicitly created only for scalar outputs, and not with is_grads_batched=True: there is "
                f"no batch of gradients for an output of shape {list(shape)}. Give one: grad_outputs of shape "
                f"[batch, *output.shape]"
            )
        if int(np.prod(shape)) != 1:
            raise NonScalarError(
                f"grad can be implicitly created only for scalar outputs, and this one has shape {list(shape)}. "
                f"Reduce it first, as in y.sum().backward(), or give the vector of the vector-Jacobian product: "
                f"y.backward(gradient) with a gradient of that shape."
            )
        seed = np.ones(shape, dtype)
        return bridge.wrap(seed, None) if create else seed
    _check_seed(i, vector, shape, dtype, batched)
    given = vector if create else vector._array
    if given.dtype != dtype and not keeps_dtype(tensor, given, dtype):
        given = bridge.tensors.cast(given, dtype) if create else given.astype(dtype)
    return Batched(given, BatchSpace(bridge.tensors if create else cpu)) if batched else given


def _check_seed(i: int, vector: Any, shape: tuple[int, ...], dtype: Any, batched: bool) -> None:
    """Raise GradError unless the vector given for root i has its shape, and is complex if and only if the root is."""
    got = tuple(vector.shape)
    if batched:
        if got[1:] != tuple(shape) or not got:
            raise GradError(
                f"If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                f"dimension. The sizes of the remaining dimensions are expected to match the shape of the output: "
                f"got {list(got)}, expected [batch, {', '.join(map(str, shape))}]"
            )
    elif got != tuple(shape):
        raise GradError(
            f"Mismatch in shape: grad_output[{i}] has a shape of {list(got)} and output[{i}] has a shape of "
            f"{list(shape)}. The vector has one weight per element of the output."
        )
    if (vector._array.dtype.kind == "c") != (dtype.kind == "c"):
        raise GradError(
            f"For complex Tensors, both grad_output and output are required to have the same dtype: grad_output[{i}] "
            f"has dtype {vector.dtype}, and output[{i}] {of(dtype)}. gradient.to(output.dtype) makes it complex"
        )


# ------------------------------------------------------------------------------- inside transforms


def graph_layer(tensors: list[Any], vectors: Any) -> int | None:
    """The layer of the graph, where arrays of a transform (`arrays/levels.py`) take part; else None.

    Such a pass computes with Tensors, and what lies below the layer of the graph goes on being recorded.
    """
    given = vectors if isinstance(vectors, (list, tuple)) else (vectors,)
    level = max(map(_level, tensors), default=0)
    return level if level or any(map(_level, given)) else None


def shared_below(level: int) -> tuple[int, ...]:
    """The layer that shares its graph with this one, if there is one.

    In `forward_ad` one graph carries both modes: a dual level shares it with the next layer below.
    """
    frame = frame_of(level)
    if frame is None or frame.kind != "dual":
        return ()
    return (max((f.level for f in frames() if f.level < level), default=0),)


def _level(x: Any) -> int:
    return level_of(x._array) if isinstance(x, bridge.Tensor) else 0


def forbid_in_transforms() -> None:
    """Raise TransformError where `.grad` would be written inside a transform of `tp.func`."""
    kinds = [frame.kind for frame in frames() if frame.kind != "dual"]
    if kinds:
        raise TransformError(
            f"backward() called inside a functorch transform ({kinds[-1]}): what it would add to .grad is no result of "
            "the function. Use tp.func.grad or tp.func.vjp inside, or call backward() on what the transform returns"
        )


# ------------------------------------------------------------------------------- what is asked for


def find_targets(inputs: Any, name: str) -> list[Any]:
    """What `inputs=` names, as a list."""
    found = list_of(inputs)
    if not found:
        raise GradError(f"`inputs` argument to `{name}()` cannot be empty: name at least one tensor, or leave it out")
    if name == "backward":
        for target in found:
            if edge_to(target) is None:
                raise GradError(
                    "can't retain_grad on Tensor that has requires_grad=False: it cannot be one of `inputs`"
                )
    return found


def require_grad(targets: list[Any]) -> None:
    """Raise GradError if a tensor to differentiate by needs no gradient."""
    for i, target in enumerate(targets):
        if edge_to(target) is None:
            raise GradError(f"One of the differentiated Tensors does not require grad: the one at index {i}")


def edge_to(tensor: Any) -> Any:
    """Where the gradient of a tensor or of a GradientEdge goes."""
    if isinstance(tensor, GradientEdge):
        return tensor.edge()
    if not isinstance(tensor, bridge.Tensor):
        raise GradArgumentError(f"all inputs have to be Tensors or GradientEdges, but got {type(tensor).__name__}")
    return bridge.edge_of(tensor)
