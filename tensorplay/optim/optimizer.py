"""What all optimizers share: groups of parameters, state, and the loop over both.

An optimizer computes on the raw arrays, in place: nothing of a step is ever recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from .. import events
from ..autograd.callables import check_function
from ..autograd.lines import bump_version
from ..autograd.modes import enable_grad
from ..autograd.node import RemovableHandle
from ..errors import (
    BetasError,
    ConversionError,
    DefaultsError,
    HyperparameterError,
    HyperparameterTypeError,
    MissingMethodError,
    OptimizerTypeError,
    ParamGroupError,
    StateDictError,
    StateDictKeyError,
    StateDictTypeError,
    StepHookError,
)
from ..inplace import checked
from ..nn.parameter import clear_gradients
from ..tensor import Tensor, wrap

__all__ = ["Optimizer"]

Group = dict[str, Any]
Hook = Callable[..., Any]


class Optimizer:
    """Base of SGD, Adam and yours: write `update`, which changes one parameter's array in place.

    `params` is an iterable of tensors, or of dicts (groups) with the key "params" and settings of their
    own; what a group does not set comes from `defaults`. What an optimizer remembers about a parameter
    is in `state[parameter]`.

    >>> import tensorplay as tp
    >>> class SignSGD(tp.optim.Optimizer):
    ...     def update(self, tensor, param, grad, group):
    ...         param -= group["lr"] * (grad > 0) - group["lr"] * (grad < 0)
    >>> w = tp.tensor([1.0, 1.0], requires_grad=True)
    >>> optimizer = SignSGD([w], {"lr": 0.1})
    >>> (w * tp.tensor([5.0, -5.0])).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.9000, 1.1000], requires_grad=True)
    """

    def __init__(self, params: Iterable[Any], defaults: Mapping[str, Any]) -> None:
        if isinstance(params, (Tensor, Mapping)) or not isinstance(params, Iterable):
            raise OptimizerTypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got {type(params).__name__}: {_meant(params)}"
            )
        if not isinstance(defaults, Mapping):
            raise DefaultsError(
                f"defaults should be a dict of settings such as {{'lr': 0.1}}, but got {type(defaults).__name__}"
            )
        self.defaults = dict(defaults)
        self.param_groups: list[Group] = []
        self.state: dict[Tensor, dict[str, Any]] = {}
        self._before: dict[int, Hook] = {}
        self._after: dict[int, Hook] = {}
        self.steps_done = 0
        """How often `step` has run: a schedule asks whether it was stepped too early."""
        given = list(params)
        if not given:
            raise HyperparameterError(
                "optimizer got an empty parameter list. (An iterator such as model.parameters() can be used only once.)"
            )
        for group in given if isinstance(given[0], Mapping) else [{"params": given}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: Mapping[str, Any]) -> None:
        """Take in more parameters, with settings of their own.

        Raises HyperparameterError for a tensor that is no leaf, or is in one of the groups already;
        OptimizerTypeError for what is no group or no tensor, ParamGroupError for a group without "params".
        """
        if not isinstance(param_group, Mapping):
            raise OptimizerTypeError(
                f"param_group must be a dict with the key 'params', but got {type(param_group).__name__}: "
                "write {'params': [tensor], 'lr': 0.1}. Either all that is given is groups, or none"
            )
        if "params" not in param_group:
            raise ParamGroupError(
                f"'params' is missing: a group is a dict with its parameters under that key, got the keys "
                f"{list(param_group)}"
            )
        group = {**self.defaults, **param_group, "params": _listed(param_group["params"])}
        known = {id(p) for other in self.param_groups for p in other["params"]}
        for param in group["params"]:
            self._check(param, known)
            known.add(id(param))
        self.check_settings(group)
        self.param_groups.append(group)

    def _check(self, param: Any, known: set[int]) -> None:
        if not isinstance(param, Tensor):
            raise OptimizerTypeError(
                f"optimizer can only optimize Tensors, but one of the params is {type(param).__name__}: give leaves "
                "that require a gradient, as model.parameters() does"
            )
        if not param.is_leaf:
            raise HyperparameterError(
                "can't optimize a non-leaf Tensor: it is the result of an operation, so no gradient is kept for it. "
                "Give the leaf it was computed from, or x.detach().requires_grad_()."
            )
        checked(param)  # the step will write into its memory
        if id(param) in known:
            raise HyperparameterError(
                f"some parameters appear in more than one parameter group, or twice in one: one of shape "
                f"{list(param.shape)} is there already. Each step would change it twice; name it once"
            )

    def check_settings(self, group: Group) -> None:
        """Raise HyperparameterError for settings outside their range. Subclasses say which."""

    # ------------------------------------------------------------------------------------- the step

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change every parameter that has a gradient; with a `closure`, call it first and return its loss."""
        for hook in tuple(self._before.values()):
            closure = self._prepared(hook(self, (self, closure), {}), closure)
        loss = None
        if closure is not None:
            check_function(closure, "optimizer.step")
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            for tensor in group["params"]:
                if tensor._grad is not None:
                    self._step_one(tensor, group)
        self.steps_done += 1
        for hook in tuple(self._after.values()):
            hook(self, (self, closure), {})
        return loss

    @staticmethod
    def _prepared(answer: Any, closure: Any) -> Any:
        """The closure, after a hook that may have replaced the arguments of `step`."""
        if answer is None:
            return closure
        if not (isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], Mapping)):
            raise StepHookError(
                f"a step pre-hook must return None or a tuple of (new_args, new_kwargs), but got {answer!r}"
            )
        args, kwargs = answer
        return args[1] if len(args) > 1 else kwargs.get("closure")

    def register_step_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step; it may return others as (args, kwargs).

        `args` is (optimizer, closure), as in PyTorch.

        >>> import tensorplay as tp
        >>> optimizer = tp.optim.SGD([tp.ones(1, requires_grad=True)])
        >>> handle = optimizer.register_step_pre_hook(lambda optimizer, args, kwargs: print("before"))
        >>> optimizer.step()
        before
        """
        return RemovableHandle.into(self._before, hook)

    def register_step_post_hook(self, hook: Hook) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return RemovableHandle.into(self._after, hook)

    def _step_one(self, tensor: Tensor, group: Group) -> None:
        array, grad = tensor._array, tensor._grad._array  # type: ignore[union-attr]
        before = array.copy() if events.listeners else None
        self.update(tensor, array, -grad if group.get("maximize") else grad, group)
        if tensor._cell is not None:
            bump_version(tensor._cell, f"{type(self).__name__}.step")
        if before is not None and events.listeners:
            events.emit(events.OptimizerStepped(self, tensor, before, array.copy()))

    def update(self, tensor: Tensor, param: np.ndarray, grad: np.ndarray, group: Group) -> None:
        """Change the array `param`, the values of `tensor`, in place; `grad` must not be changed."""
        raise MissingMethodError(
            f"{type(self).__name__} does not define update(tensor, param, grad, group): write it in the class, and let "
            "it change the array `param` in place"
        )

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients of all parameters; with `set_to_none=False` they become zeros instead."""
        clear_gradients((p for group in self.param_groups for p in group["params"]), set_to_none)

    # ----------------------------------------------------------------------------------------- state

    def state_dict(self) -> dict[str, Any]:
        """Settings and state as plain data, with parameters as numbers in order. A copy: later steps leave it alone."""
        order = [p for group in self.param_groups for p in group["params"]]
        state = {number: _copied(self.state[p]) for number, p in enumerate(order) if p in self.state}
        groups, first = [], 0
        for group in self.param_groups:
            numbers = list(range(first, first := first + len(group["params"])))
            groups.append({**{k: deepcopy(v) for k, v in group.items() if k != "params"}, "params": numbers})
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take over the settings and the state of `state_dict`, parameter by parameter in order.

        Raises StateDictError, before anything changes, if groups or shapes do not fit; StateDictKeyError where a part
        is missing or belongs to no parameter, StateDictTypeError where one is no dict.
        """
        _check_form(state_dict)
        groups = state_dict["param_groups"]
        mine, given = ([len(group["params"]) for group in all_groups] for all_groups in (self.param_groups, groups))
        if mine != given:
            raise StateDictError(
                "loaded state dict doesn't match the optimizer's parameter groups: "
                f"it has groups of {given} parameters, the optimizer groups of {mine}"
            )
        by_number = {
            number: param
            for group, saved in zip(self.param_groups, groups, strict=True)
            for param, number in zip(group["params"], saved["params"], strict=True)
        }
        known = {_known(by_number, n): values for n, values in state_dict["state"].items()}
        self.state = {param: _fitted(param, values) for param, values in known.items()}
        for group, saved in zip(self.param_groups, groups, strict=True):
            group.update({name: deepcopy(value) for name, value in saved.items() if name != "params"})

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            lines += [f"    {name}: {group[name]}" for name in sorted(group) if name != "params"]
        return "\n".join([*lines, ")"])


def _meant(params: Any) -> str:
    """What was probably meant by something that is no iterable of parameters."""
    if callable(getattr(params, "parameters", None)):
        return "write model.parameters()"
    if callable(params):
        return "call it, as in model.parameters()"
    return "write [tensor], or model.parameters()"


def _listed(params: Any) -> list[Any]:
    if isinstance(params, Tensor):
        return [params]
    if isinstance(params, (set, frozenset)):
        raise OptimizerTypeError(
            "optimizer parameters need to be organized in ordered collections: a set has no order that stays the same. "
            "Use a list"
        )
    if not isinstance(params, Iterable):
        raise OptimizerTypeError(
            f"the 'params' of a group should be a Tensor or an iterable of Tensors, but got {type(params).__name__}: "
            f"{_meant(params)}"
        )
    return list(params)


def _check_form(state_dict: Any) -> None:
    """Raise unless this is {"state": {number: {…}}, "param_groups": [{"params": [numbers], …}]}."""
    _check_dict(state_dict, "state_dict")
    missing = sorted({"param_groups", "state"} - set(state_dict))
    if missing:
        raise StateDictKeyError(f"the state dict has no {missing}: give what optimizer.state_dict() returned")
    groups = state_dict["param_groups"]
    if not isinstance(groups, Sequence):
        raise StateDictTypeError(f"expected 'param_groups' to be a list of dicts, got {type(groups).__name__}")
    for number, group in enumerate(groups):
        _check_dict(group, f"group {number} of the state dict")
        if "params" not in group:
            raise StateDictKeyError(f"group {number} of the state dict has no 'params': the numbers of its parameters")
    _check_dict(state_dict["state"], "'state'")
    for number, values in state_dict["state"].items():
        _check_dict(values, f"the state of parameter {number}")


def _check_dict(value: Any, what: str) -> None:
    if not isinstance(value, Mapping):
        raise StateDictTypeError(
            f"expected {what} to be dict-like, got {type(value).__name__}: give what optimizer.state_dict() returned"
        )


def _known(by_number: Mapping[Any, Tensor], number: Any) -> Tensor:
    if number not in by_number:
        raise StateDictKeyError(
            f"the state dict has a state for parameter {number!r}, but its groups name the numbers {list(by_number)}"
        )
    return by_number[number]


def _copied(values: Mapping[str, Any]) -> dict[str, Any]:
    return {k: wrap(v._array.copy()) if isinstance(v, Tensor) else deepcopy(v) for k, v in values.items()}


def _fitted(param: Tensor, values: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a saved state, in the dtype of the parameter it now belongs to."""
    copied = _copied(values)
    for name, value in copied.items():
        if isinstance(value, Tensor):
            if value._array.shape != param._array.shape:
                raise StateDictError(
                    f"size mismatch for {name}: the state has {list(value.shape)}, the parameter {list(param.shape)}"
                )
            copied[name] = wrap(value._array.astype(param._array.dtype, copy=False))
    return copied


def check_at_least_zero(group: Group, **words: str) -> None:
    """Raise HyperparameterError if one of these settings is negative; `words` says what a message calls it."""
    for name, word in words.items():
        if not compared(word, group[name], lambda value: value >= 0.0):
            raise HyperparameterError(f"Invalid {word}: {group[name]}. Expected a number of at least 0.")


def check_betas(group: Group) -> None:
    """Raise unless `betas` are two numbers in [0, 1)."""
    betas = group["betas"]
    if not isinstance(betas, (tuple, list)) or len(betas) != 2:
        raise BetasError(f"Invalid betas: {betas!r}. Expected two numbers, as in betas=(0.9, 0.999).")
    for number, beta in enumerate(betas):
        word = f"beta parameter at index {number}"
        if not compared(word, beta, lambda value: 0.0 <= value < 1.0):
            raise HyperparameterError(f"Invalid {word}: {beta}. Expected 0 <= beta < 1.")


def decayed(param: np.ndarray, grad: np.ndarray, group: Group) -> np.ndarray:
    """The gradient with weight decay; decoupled, the parameter itself is made smaller and the gradient left."""
    decay = group["weight_decay"]
    if not decay:
        return grad
    if group.get("decoupled_weight_decay"):
        param *= 1 - group["lr"] * decay
        return grad
    return grad + decay * param


def compared(word: str, value: Any, holds: Callable[[Any], bool]) -> bool:
    """Whether `holds(value)`; an error that names the setting if the value is no number to compare."""
    try:
        return bool(holds(value))
    except ConversionError:
        raise HyperparameterError(
            f"Invalid {word}: a Tensor must be 1-element, got shape {list(value.shape)}"
        ) from None
    except TypeError:
        raise HyperparameterTypeError(
            f"Invalid {word}: {value!r} ({type(value).__name__}). Expected a number."
        ) from None
