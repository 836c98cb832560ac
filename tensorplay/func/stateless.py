"""Modules as functions of their parameters: call one with other parameters, or stack those of several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..autograd.modes import no_grad
from ..errors import ParametrizeError, ParametrizeTypeError
from ..functional.joining import stack
from ..tensor import Tensor

__all__ = ["functional_call", "stack_module_state"]

Tensors = Mapping[str, Tensor]


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Tensors | Sequence[Tensors],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """`module(*args, **kwargs)` with these tensors in place of its parameters and buffers of the same path.

    The module itself stays as it was; what is not named is used as it is. This makes a module a function of its
    parameters, which `grad` and `vmap` need.

    Args:
        module: any `tp.nn.Module`.
        parameter_and_buffer_dicts: path -> tensor, or several such dicts with different paths.
        args: the positional arguments: a tuple, or a single one.
        kwargs: the named arguments.
        tie_weights: a tensor given for one path of a shared parameter counts for all its paths.
        strict: every parameter and buffer must be given, and nothing else.

    Raises:
        ParametrizeError: two dicts give one path; with `strict`, paths are missing or left over.
        ParametrizeTypeError: something else stands where the module or the dict is needed, or a parameter is given
            two values.

    >>> import tensorplay as tp
    >>> layer = tp.nn.Linear(2, 1)
    >>> new = {"weight": tp.ones(1, 2), "bias": tp.zeros(1)}
    >>> tp.func.functional_call(layer, new, tp.ones(2)).tolist()
    [2.0]
    """
    if not hasattr(module, "named_parameters"):
        raise ParametrizeTypeError(
            f"functional_call: '{type(module).__name__}' object has no attribute 'named_parameters': expected a Module"
        )
    given = _merged(parameter_and_buffer_dicts)
    _check_names(given)
    places = _places(module)
    if strict:
        _check_strict(places, given)
    new = {path: value for path, value in given.items() if path in places}
    if tie_weights:
        new = _tied(places, new)
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    with _swapped(places, new):
        return module(*arguments, **(kwargs or {}))


def _merged(dicts: Tensors | Sequence[Tensors]) -> dict[str, Tensor]:
    if isinstance(dicts, Mapping):
        return dict(dicts)
    if not isinstance(dicts, Sequence) or not all(isinstance(d, Mapping) for d in dicts):
        raise ParametrizeTypeError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but functional_call got "
            f"{type(dicts).__name__}: dict(model.named_parameters()) makes one"
        )
    merged: dict[str, Tensor] = {}
    for part in dicts:
        twice = merged.keys() & part.keys()
        if twice:
            raise ParametrizeTypeError(
                f"{sorted(twice)} appeared in multiple dictionaries; the behavior of functional_call would be "
                "ambiguous: name each parameter once"
            )
        merged.update(part)
    return merged


def _check_names(given: Mapping[Any, Any]) -> None:
    wrong = [name for name in given if not isinstance(name, str)]
    if wrong:
        raise ParametrizeTypeError(
            f"'{type(wrong[0]).__name__}' object has no attribute 'rpartition': functional_call takes tensors by the "
            f"paths of parameters and buffers, such as 'weight', got {wrong[0]!r}"
        )


def _places(module: Any) -> dict[str, tuple[Any, str]]:
    """Path -> (module, attribute) of every parameter and buffer, shared ones under each of their names."""
    buffers = {id(value) for _, value in module.named_buffers()}
    parameters = {id(value) for _, value in module.named_parameters()}
    found = {}
    for path, owner in _modules(module, ""):
        for name, value in vars(owner).items():
            if id(value) in parameters or id(value) in buffers:
                found[path + name] = (owner, name)
    return found


def _modules(module: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    yield prefix, module
    for name, child in vars(module).items():
        if hasattr(child, "named_parameters"):
            yield from _modules(child, f"{prefix}{name}.")


def _check_strict(places: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    missing = [path for path in places if path not in given]
    unknown = [path for path in given if path not in places]
    problems = [f"Missing key(s): {missing}"] * bool(missing) + [f"Unexpected key(s): {unknown}"] * bool(unknown)
    if problems:
        raise ParametrizeError(
            f"Error(s) in reparametrizing: {'; '.join(problems)}. With strict=True exactly the parameters and buffers "
            f"of the module are given: {list(places)}"
        )


def _tied(places: dict[str, tuple[Any, str]], new: dict[str, Tensor]) -> dict[str, Tensor]:
    """The new tensor under every path of a shared parameter."""
    chosen: dict[int, Tensor] = {}
    for path, value in new.items():
        old = _value(places[path])
        if chosen.setdefault(id(old), value) is not value:
            raise ParametrizeTypeError(
                f"functional_call got multiple values for a tied parameter ({path!r} is one of its names): give one, "
                "or pass tie_weights=False"
            )
    values = ((path, chosen.get(id(_value(place)))) for path, place in places.items())
    return {path: value for path, value in values if value is not None}


def _value(place: tuple[Any, str]) -> Any:
    owner, name = place
    return vars(owner)[name]


@contextmanager
def _swapped(places: dict[str, tuple[Any, str]], new: dict[str, Tensor]) -> Iterator[None]:
    """The attributes are replaced while the block runs, and put back also after an error."""
    old = {path: _value(places[path]) for path in new}
    try:
        for path, value in new.items():
            owner, name = places[path]
            vars(owner)[name] = value
        yield
    finally:
        for path, value in old.items():
            owner, name = places[path]
            vars(owner)[name] = value


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """(parameters, buffers) of several modules of one kind, each stacked along a new first dimension.

    With `vmap` over that dimension and `functional_call` an ensemble runs as one module. The stacked parameters are
    leaves of their own, which require a gradient where the modules' do.

    Raises ParametrizeError for no modules or modules of several classes, ShapeError where their parameters differ in
    shape.

    >>> import tensorplay as tp
    >>> layers = [tp.nn.Linear(2, 1) for _ in range(3)]
    >>> parameters, buffers = tp.func.stack_module_state(layers)
    >>> call = lambda p, x: tp.func.functional_call(layers[0], p, x)
    >>> tp.vmap(call, in_dims=(0, None))(parameters, tp.ones(5, 2)).shape
    (3, 5, 1)
    """
    models = list(models)
    if not models:
        raise ParametrizeError("stack_module_state: Expected at least one model, got 0.")
    if len({type(model) for model in models}) > 1:
        raise ParametrizeError("stack_module_state: Expected all models to be of the same class.")
    if len({model.training for model in models}) > 1:
        raise ParametrizeError("stack_module_state: Expected all models to have the same training/eval mode.")
    parameters = _stacked([dict(model.named_parameters()) for model in models])
    return parameters, _stacked([dict(model.named_buffers()) for model in models])


def _stacked(states: list[dict[str, Tensor]]) -> dict[str, Tensor]:
    with no_grad():
        stacked = {name: stack([state[name] for state in states]) for name in states[0]}
    for name, value in stacked.items():
        value.requires_grad = states[0][name].requires_grad  # the method is refused inside a transform
    return stacked
