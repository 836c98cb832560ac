"""Module: what has parameters and can be called.

There is no registry. A parameter, a buffer or a submodule is an attribute, in the order of assignment,
and it is found by looking through the attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any, TypeVar

from .. import events
from ..autograd.callables import check_function
from ..autograd.node import RemovableHandle
from ..errors import MissingMethodError, ModuleNameError, ModuleTypeError, SubmoduleError, TrainingModeError
from ..tensor import Tensor
from .parameter import Parameter, clear_gradients
from .state import Loaded, copy_into, differences

__all__ = ["Module"]

M = TypeVar("M", bound="Module")

_paths: ContextVar[dict[int, str] | None] = ContextVar("tensorplay_module_paths", default=None)
"""While a module runs for a listener: the path of each of its submodules, by identity."""


class Module:
    """Base of all layers and models: write `__init__` with the parts and `forward` with the computation.

    >>> import tensorplay as tp
    >>> class Half(tp.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.scale = tp.nn.Parameter(tp.tensor(0.5))
    ...     def forward(self, x):
    ...         return x * self.scale
    >>> half = Half()
    >>> half(tp.tensor([2.0, 4.0]))
    tensor([1., 2.], grad_fn=<MulBackward>)
    >>> [name for name, _ in half.named_parameters()]
    ['scale']
    """

    # Defaults on the class: a subclass that forgets super().__init__() works all the same.
    training: bool = True
    _pre_hooks: dict[int, Callable[..., Any]] | None = None
    _forward_hooks: dict[int, Callable[..., Any]] | None = None
    _buffers: Mapping[str, bool] = {}

    # ---------------------------------------------------------------------------------- calling

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the output. Every subclass writes its own."""
        raise MissingMethodError(
            f'Module [{type(self).__name__}] is missing the required "forward" function: '
            "define forward(self, x) in the class"
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run `forward`, with the hooks around it."""
        if events.listeners or self._pre_hooks or self._forward_hooks:
            return self._call_watched(args, kwargs)
        return self.forward(*args, **kwargs)

    def _call_watched(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not events.listeners:
            return self._call_hooked(args, kwargs)
        paths = _paths.get()
        token = None
        if paths is None:
            token = _paths.set(paths := {id(module): name for name, module in self.named_modules()})
        name = paths.get(id(self), type(self).__name__)
        events.emit(events.ModuleEntered(self, name))
        try:
            return self._call_hooked(args, kwargs)
        finally:
            events.emit(events.ModuleLeft(self, name))
            if token is not None:
                _paths.reset(token)

    def _call_hooked(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        for hook in tuple((self._pre_hooks or {}).values()):
            changed = hook(self, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        output = self.forward(*args, **kwargs)
        for hook in tuple((self._forward_hooks or {}).values()):
            changed = hook(self, args, output)
            output = output if changed is None else changed
        return output

    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, args)` before `forward`; what it returns, if anything, replaces the arguments."""
        if self._pre_hooks is None:
            self._pre_hooks = {}
        return RemovableHandle.into(self._pre_hooks, hook)

    def register_forward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, args, output)` after `forward`; what it returns, if anything, replaces the output."""
        if self._forward_hooks is None:
            self._forward_hooks = {}
        return RemovableHandle.into(self._forward_hooks, hook)

    # -------------------------------------------------------------------------------- attributes

    def __setattr__(self, name: str, value: Any) -> None:
        if value is not None and (name in self._buffers or name in vars(self)):
            self._check_assigned(name, value)
        object.__setattr__(self, name, value)

    def _check_assigned(self, name: str, value: Any) -> None:
        """Raise ModuleTypeError if `value` would silently take the place of a parameter, a submodule or a buffer."""
        old = vars(self).get(name)
        if isinstance(old, Parameter) and not isinstance(value, Parameter):
            what = "a plain tensor" if isinstance(value, Tensor) else f"'{_kind(value)}'"
            raise ModuleTypeError(
                f"cannot assign {what} as parameter '{name}' (nn.Parameter or None expected): it would "
                "no longer be learned. Change its values with .copy_() under no_grad(), or assign a Parameter."
            )
        if isinstance(old, Module) and not isinstance(value, Module):
            raise ModuleTypeError(
                f"cannot assign '{_kind(value)}' as child module '{name}' (nn.Module or None expected): "
                f"its parameters would be lost. Use another name, or del it first."
            )
        if name in self._buffers and not isinstance(value, Tensor):
            raise ModuleTypeError(
                f"cannot assign '{_kind(value)}' as buffer '{name}' (a Tensor or None expected): "
                "it is part of the state. Write tp.tensor(...)."
            )

    def register_parameter(self, name: str, parameter: Parameter | None) -> None:
        """The same as assigning the attribute; None says that there could be such a parameter."""
        self._check_name("parameter", name)
        if parameter is not None and not isinstance(parameter, Parameter):
            raise ModuleTypeError(
                f"cannot assign '{_kind(parameter)}' object to parameter '{name}' (nn.Parameter or None required): "
                "write nn.Parameter(tensor)"
            )
        setattr(self, name, parameter)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """A tensor that belongs to the state but is not learned; `persistent=False` keeps it out of `state_dict`."""
        self._check_name("buffer", name)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise ModuleTypeError(
                f"cannot assign '{_kind(tensor)}' object to buffer '{name}' (a Tensor or None required): "
                "write tp.tensor(...)"
            )
        self._buffers = {**self._buffers, name: persistent}
        setattr(self, name, tensor)

    def add_module(self, name: str, module: Module | None) -> None:
        """The same as assigning the attribute, for names that are no Python names."""
        self._check_name("module", name)
        if module is not None and not isinstance(module, Module):
            raise ModuleTypeError(_no_module(module))
        setattr(self, name, module)

    register_module = add_module

    def _check_name(self, what: str, name: str) -> None:
        """Raise ModuleTypeError or ModuleNameError for a name that no path could hold, or that would hide a method."""
        if not isinstance(name, str):
            raise ModuleTypeError(f"{what} name should be a string. Got {type(name).__name__}: write {str(name)!r}")
        if not name:
            raise ModuleNameError(
                f"{what} name can't be empty string \"\": it is a part of paths such as 'body.0.weight'"
            )
        if "." in name:
            raise ModuleNameError(
                f'{what} name can\'t contain ".", got: {name}. The dot divides the parts of a path: use a submodule'
            )
        if hasattr(self, name) and name not in vars(self):
            raise ModuleNameError(
                f"attribute '{name}' already exists: it is a method or setting of {type(self).__name__}. "
                "Use another name"
            )

    # ------------------------------------------------------------------------------- looking through

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """(name, module) of the direct submodules, each once."""
        seen: set[int] = set()
        for name, value in vars(self).items():
            if isinstance(value, Module) and id(value) not in seen:
                seen.add(id(value))
                yield name, value

    def children(self) -> Iterator[Module]:
        """The direct submodules."""
        return (module for _, module in self.named_children())

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, Module]]:
        """(path, module) of this module (path "") and of everything inside it, each once.

        >>> import tensorplay as tp
        >>> model = tp.nn.Sequential(tp.nn.Linear(2, 2), tp.nn.Sequential(tp.nn.ReLU()))
        >>> [path for path, _ in model.named_modules()]
        ['', '0', '1', '1.0']
        """
        return self._walk(prefix, set())

    def _walk(self, prefix: str, seen: set[int]) -> Iterator[tuple[str, Module]]:
        if id(self) in seen:
            return
        seen.add(id(self))
        yield prefix, self
        for name, module in self.named_children():
            yield from module._walk(f"{prefix}.{name}" if prefix else name, seen)

    def modules(self) -> Iterator[Module]:
        """This module and everything inside it."""
        return (module for _, module in self.named_modules())

    def get_submodule(self, path: str) -> Module:
        """The module at a path such as "encoder.0"; SubmoduleError if there is none."""
        paths = dict(self.named_modules())
        if path not in paths:
            raise SubmoduleError(
                f"{type(self).__name__} has no attribute or submodule at {path!r}: there are {list(paths)}"
            )
        return paths[path]

    def named_parameters(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Parameter]]:
        """(path, parameter) of all parameters, each once even if it is shared.

        >>> import tensorplay as tp
        >>> [(path, p.shape) for path, p in tp.nn.Linear(3, 2).named_parameters()]
        [('weight', (2, 3)), ('bias', (2,))]
        """
        yield from self._named(prefix, recurse, lambda module, name, value: isinstance(value, Parameter))

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters, as an optimizer wants them."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Tensor]]:
        """(path, buffer) of all buffers that are not None."""
        yield from self._named(prefix, recurse, lambda module, name, value: name in module._buffers)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def _named(
        self, prefix: str, recurse: bool, wanted: Callable[[Module, str, Any], bool]
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        for path, module in self.named_modules(prefix) if recurse else ((prefix, self),):
            for name, value in vars(module).items():
                if value is None or id(value) in seen or not wanted(module, name, value):
                    continue
                seen.add(id(value))
                yield (f"{path}.{name}" if path else name), value

    # ----------------------------------------------------------------------------------- switching

    def train(self: M, mode: bool = True) -> M:
        """Switch this module and all inside it to training behaviour (or away from it); returns the module."""
        if not isinstance(mode, bool):
            raise TrainingModeError(
                f"training mode is expected to be boolean, got {mode!r}: write train(), train(False) or eval()"
            )
        for module in self.modules():
            module.training = mode
        return self

    def eval(self: M) -> M:
        """Switch this module and all inside it to evaluation behaviour; returns the module."""
        return self.train(False)

    def requires_grad_(self: M, requires_grad: bool = True) -> M:
        """Let all parameters require a gradient, or freeze them; returns the module."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drop the gradients of all parameters; with `set_to_none=False` they become zeros instead.

        >>> import tensorplay as tp
        >>> layer = tp.nn.Linear(2, 1)
        >>> layer(tp.ones(1, 2)).sum().backward()
        >>> layer.zero_grad()
        >>> layer.weight.grad is None
        True
        """
        clear_gradients(self.parameters(), set_to_none)

    def apply(self: M, function: Callable[[Module], object]) -> M:
        """Call `function` on all submodules, inner ones first, then on this one; returns the module."""
        check_function(function, "Module.apply")
        for child in self.children():
            child.apply(function)
        function(self)
        return self

    # --------------------------------------------------------------------------------------- state

    def state_dict(self) -> dict[str, Tensor]:
        """Path -> tensor of all parameters and persistent buffers. They share the module's memory.

        >>> import tensorplay as tp
        >>> list(tp.nn.Sequential(tp.nn.Linear(2, 2)).state_dict())
        ['0.weight', '0.bias']
        """
        return {path: tensor.detach() for path, tensor in self._state()}

    def _state(self, prefix: str = "") -> Iterator[tuple[str, Tensor]]:
        # What is shared appears under each of its names, so that a state fits however it was made.
        for name, value in vars(self).items():
            if isinstance(value, Parameter) or (self._buffers.get(name, False) and value is not None):
                yield prefix + name, value
            elif isinstance(value, Module):
                yield from value._state(f"{prefix}{name}.")

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> Loaded:
        """Copy the values of `state_dict` into the parameters and buffers: all of them, or none.

        Raises StateDictError with the list of what does not fit: names that are missing or left over
        (unless `strict=False`), and wrong shapes. Returns the missing and unexpected names.

        >>> import tensorplay as tp
        >>> a, b = tp.nn.Linear(2, 1), tp.nn.Linear(2, 1)
        >>> b.load_state_dict(a.state_dict())
        <All keys matched successfully>
        """
        mine = dict(self._state())
        loaded = differences(type(self).__name__, mine, state_dict, strict)
        copy_into(mine, state_dict)
        return loaded

    # ------------------------------------------------------------------------------------- printing

    def extra_repr(self) -> str:
        """What stands between the brackets of the module's own line."""
        return ""

    def __repr__(self) -> str:
        name, extra = type(self).__name__, self.extra_repr()
        lines = [f"({child}): " + repr(module).replace("\n", "\n  ") for child, module in self._all_children()]
        if not lines:
            return f"{name}({extra})"
        return "\n  ".join([f"{name}({extra}", *lines]) + "\n)"

    def _all_children(self) -> Iterator[tuple[str, Module]]:
        return ((name, value) for name, value in vars(self).items() if isinstance(value, Module))


def _kind(value: Any) -> str:
    """What a message calls it: the class itself where a class was given."""
    return value.__name__ if isinstance(value, type) else type(value).__name__


def _no_module(value: Any) -> str:
    if isinstance(value, type) and issubclass(value, Module):
        return f"{value.__name__} is not a Module subclass's instance, but the class itself: write {value.__name__}()"
    hint = ": unpack it, Sequential(*layers)" if isinstance(value, (list, tuple)) else ": a layer is made from a Module"
    return f"{_kind(value)} is not a Module subclass{hint}"
