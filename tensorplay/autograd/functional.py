"""Jacobians, Hessians and products with them, of functions of tensors.

Each call evaluates the function on copies of the inputs that require a gradient, and hands back plain tensors;
with `create_graph=True` the results stay connected to the inputs. A single tensor in gives a single one out,
a tuple gives a tuple. Nothing here knows an operation: everything is `grad`, or forward mode, called the right way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import FunctionalError
from .callables import check_function
from .functional_parts import (
    DISCONNECTED,
    INDEPENDENT_ENTRY,
    INDEPENDENT_GRADIENT,
    LINEAR,
    OUTPUTS,
    Call,
    Tensors,
    as_tensors,
    check_single,
    check_strategy,
    forward_jacobian,
    gradients,
    require_grad,
    rows_at_once,
    rows_one_by_one,
    told,
    zeros_like,
)
from .modes import enable_grad, is_grad_enabled, set_grad_enabled

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Function = Callable[..., Any]

# ------------------------------------------------------------------------------------ one vector at a time


def vjp(func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The function's value and v·J, the vector times its Jacobian: what one backward pass gives.

    Args:
        func: takes the inputs, returns a tensor or a tuple of them.
        inputs: a tensor or a tuple of them.
        v: of the outputs' shapes; None stands for 1 if there is one output of one element.
        create_graph: record value and result, so that they can be differentiated.
        strict: raise where an input does not matter, instead of giving zeros.

    Raises:
        FunctionalError: v does not fit; or, in strict mode, the output does not depend on an input.
        FunctionalTypeError: something is no tensor and no tuple of tensors.

    >>> import tensorplay as tp
    >>> tp.autograd.functional.vjp(lambda x: x * x, tp.tensor([1.0, 2.0]), tp.ones(2))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    with enable_grad():
        call = Call("vjp", func, inputs, create_graph, strict)
        outputs = call.run()
        if v is not None:
            v = call.vector(v, outputs, call.outputs_tuple)
        elif len(outputs) != 1 or outputs[0].numel() != 1:
            raise FunctionalError(
                "The vector v can only be None if the user-provided function returns a single Tensor with a single "
                f"element: it returned {told(outputs)}. Give one weight per element."
            )
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(outputs, call.inputs, v, create_graph)
        result = call.filled(found, call.inputs, "The output of the user-provided function is independent of input {}.")
    return call.deliver(outputs, call.outputs_tuple), call.deliver(result, call.inputs_tuple)


def jvp(func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The function's value and J·v, its Jacobian times the vector: how the outputs move when the inputs move along v.

    The way round is two backward passes: g·J is linear in g, and its derivative by g, weighted by v, is J·v.

    Args:
        func, inputs, create_graph, strict: as in `vjp`.
        v: of the inputs' shapes; None stands for 1 if there is one input of one element.

    Raises:
        FunctionalError: v does not fit; or, in strict mode, an output does not depend on the inputs.
        FunctionalTypeError: something is no tensor and no tuple of tensors.

    >>> import tensorplay as tp
    >>> tp.autograd.functional.jvp(lambda x: x * x, tp.tensor([1.0, 2.0]), tp.tensor([1.0, 0.0]))
    (tensor([1., 4.]), tensor([2., 0.]))
    """
    with enable_grad():
        call = Call("jvp", func, inputs, create_graph, strict)
        v = call.input_vector(v)
        outputs = call.run()
        weights = tuple(zeros_like(out, requires_grad=True) for out in outputs)
        pulled = gradients(outputs, call.inputs, weights, True)
        call.require(pulled, INDEPENDENT_GRADIENT)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(pulled, weights, v, create_graph)
        result = call.filled(found, outputs, INDEPENDENT_ENTRY)
    return call.deliver(outputs, call.outputs_tuple), call.deliver(result, call.outputs_tuple)


def vhp(func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The value of a function of one element and v·H, the vector times its Hessian: a derivative of a derivative.

    Args:
        func: returns one tensor of one element.
        inputs, create_graph, strict: as in `vjp`.
        v: of the inputs' shapes; None stands for 1 if there is one input of one element.

    Raises:
        FunctionalError: v or the function's value does not fit; or, in strict mode, something is independent.
        FunctionalTypeError: something is no tensor and no tuple of tensors.

    >>> import tensorplay as tp
    >>> tp.autograd.functional.vhp(lambda x: (x**3).sum(), tp.tensor([1.0, 2.0]), tp.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with enable_grad():
        call = Call("vhp", func, inputs, create_graph, strict)
        v = call.input_vector(v)
        outputs, first = call.first_derivative()
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(first, call.inputs, v, create_graph)
        message = "The jacobian of the user-provided function is independent of input {}."
        result = call.filled(found, call.inputs, message, second=True)
    return call.deliver(outputs, call.outputs_tuple), call.deliver(result, call.inputs_tuple)


def hvp(func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The value of a function of one element and H·v. Equal to `vhp`, for H is symmetric; `vhp` is the cheaper way.

    Args:
        func, inputs, v, create_graph, strict: as in `vhp`.

    Raises:
        FunctionalError: v or the function's value does not fit; or, in strict mode, something is independent.
        FunctionalTypeError: something is no tensor and no tuple of tensors.

    >>> import tensorplay as tp
    >>> tp.autograd.functional.hvp(lambda x: (x**3).sum(), tp.tensor([1.0, 2.0]), tp.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with enable_grad():
        call = Call("hvp", func, inputs, create_graph, strict)
        v = call.input_vector(v)
        outputs, first = call.first_derivative()
        weights = tuple(zeros_like(x, requires_grad=True) for x in call.inputs)
        pulled = gradients(first, call.inputs, weights, True)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = gradients(pulled, weights, v, create_graph)
        message = "The hessian of the user-provided function is independent of entry {} in the grad_jacobian."
        result = call.filled(found, call.inputs, message, second=True)
    return call.deliver(outputs, call.outputs_tuple), call.deliver(result, call.inputs_tuple)


# ------------------------------------------------------------------------------------------ whole matrices


def jacobian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """All first derivatives: entry [i, j] is ∂ output[i] / ∂ input[j], of shape `output.shape + input.shape`.

    Args:
        func: takes the inputs, returns a tensor or a tuple of them.
        inputs: a tensor or a tuple of them. Two tuples give a tuple (an entry an output) of tuples (an entry an input).
        create_graph: record the result, so that it can be differentiated.
        strict: raise where an output does not depend on an input, instead of giving zeros.
        vectorize: all rows in one batched pass, instead of one pass a row.
        strategy: "reverse-mode", a row a pass; or "forward-mode", a column a pass, only with `vectorize`.

    Raises:
        FunctionalError: in strict mode, something is independent; or `strict` with `vectorize`.
        FunctionalTypeError: something is no tensor and no tuple of tensors.
        StrategyError: the strategy is unknown, or not there in this combination.

    >>> import tensorplay as tp
    >>> tp.autograd.functional.jacobian(lambda x: x * x, tp.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    check_strategy(strategy)
    if strategy == "forward-mode":
        return forward_jacobian(func, inputs, create_graph, strict, vectorize)
    with enable_grad():
        call = Call("jacobian", func, inputs, create_graph, strict)
        outputs = call.run()
        if vectorize and strict:
            raise FunctionalError(
                "jacobian: `strict=True` and `vectorize=True` are not supported together: rows of one batch cannot be "
                "told apart. Set one of them to False."
            )
        rows = rows_at_once if vectorize else rows_one_by_one
        per_output = tuple(call.blocks(k, out, rows(out, call.inputs, create_graph)) for k, out in enumerate(outputs))
    return call.nested(per_output)


def hessian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """All second derivatives of a function of one element: ∂²f / ∂ input[i] ∂ input[j], the Jacobian of the Jacobian.

    Args:
        func: returns one tensor of one element.
        inputs: a tensor, or a tuple of them, which gives a tuple (an entry an input) of tuples.
        create_graph, strict: as in `jacobian`.
        vectorize, outer_jacobian_strategy: how the outer Jacobian is computed; see `vectorize`, `strategy` there.

    Raises:
        FunctionalError: the function returns more than one element; or, in strict mode, something is independent.
        FunctionalTypeError: something is no tensor and no tuple of tensors.
        StrategyError: the strategy is unknown, or not there in this combination.

    >>> import tensorplay as tp
    >>> tp.autograd.functional.hessian(lambda x: (x**3).sum(), tp.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    check_function(func, "hessian")
    inputs_tuple, given = as_tensors(inputs, "inputs", "hessian")
    check_strategy(outer_jacobian_strategy)

    def value(*at: Any) -> Any:
        found = func(*at)
        out_tuple, outputs = as_tensors(found, OUTPUTS, "hessian")
        require_grad(outputs, DISCONNECTED, strict)
        check_single(outputs, out_tuple, "hessian")
        return found.reshape(())

    def first(*at: Any) -> Tensors:
        if outer_jacobian_strategy == "forward-mode":
            for x in at:
                x.requires_grad = True
        found = jacobian(value, at, create_graph=True)
        require_grad(found, LINEAR, strict)
        return found

    result = jacobian(first, given, create_graph, strict, vectorize, outer_jacobian_strategy)
    return result if inputs_tuple else result[0][0]
