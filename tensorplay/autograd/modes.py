"""Modes: whether operations are recorded, and whether tensors keep versions at all.

Each thread starts with recording on. `no_grad` and `inference_mode` act as context managers or
decorators; `set_grad_enabled(b)` and `enable_grad()` also as plain calls, which switch at once.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

from .. import events, special

__all__ = [
    "enable_grad",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_grad_enabled",
]

F = TypeVar("F", bound=Callable[..., Any])

_grad: ContextVar[bool] = ContextVar("tensorplay_grad_mode", default=True)
_inference: ContextVar[bool] = ContextVar("tensorplay_inference_mode", default=False)

recording = _grad.get
"""Read by every operation on something that requires a gradient (a ContextVar: 8 ns; threading.local: 21 ns)."""
inferring = _inference.get


def is_grad_enabled() -> bool:
    """Whether operations are recorded in this thread.

    >>> import tensorplay as tp
    >>> tp.is_grad_enabled()
    True
    """
    return _grad.get()


def is_inference_mode_enabled() -> bool:
    """Whether this thread is inside `inference_mode`."""
    return _inference.get()


def _switch(to: bool) -> None:
    before = _grad.get()
    _grad.set(to)
    if events.listeners and before != to:
        events.emit(events.GradModeChanged(before, to))


class _Mode:
    """A context manager that also decorates functions and generators, entering anew on each call."""

    def _enter(self) -> None:
        raise NotImplementedError

    def _leave(self) -> None:
        raise NotImplementedError

    def _fresh(self) -> _Mode:
        """A manager for one call of a decorated function; `type(self)()` unless there are arguments."""
        return type(self)()

    def __enter__(self) -> _Mode:
        self._enter()
        return self

    def __exit__(self, *exception: object) -> None:
        self._leave()

    def __call__(self, function: F) -> F:
        if not callable(function):
            raise TypeError(f"{type(self).__name__} decorates functions, got {type(function).__name__}")
        if inspect.isgeneratorfunction(function):
            return _decorate_generator(self._fresh, function)  # type: ignore[return-value]

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self._fresh():
                return function(*args, **kwargs)

        return inside  # type: ignore[return-value]


def _decorate_generator(fresh: Callable[[], _Mode], function: Callable[..., Any]) -> Callable[..., Any]:
    """The mode holds while the generator's own code runs, not between its values."""

    @functools.wraps(function)
    def inside(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        step, value = generator.send, None
        while True:
            try:
                with fresh():
                    item = step(value)
            except StopIteration as stop:
                return stop.value
            try:
                step, value = generator.send, (yield item)
            except GeneratorExit:
                with fresh():
                    generator.close()
                raise
            except BaseException as error:
                step, value = generator.throw, error

    return inside


class _GradMode(_Mode):
    """Recording switched to `to` inside the block."""

    to: bool

    def __init__(self) -> None:
        self.before: list[bool] = []

    def _enter(self) -> None:
        self.before.append(_grad.get())
        _switch(self.to)

    def _leave(self) -> None:
        _switch(self.before.pop())


class no_grad(_GradMode):
    """Nothing inside is recorded; results do not require a gradient.

    >>> import tensorplay as tp
    >>> x = tp.ones(2, requires_grad=True)
    >>> with tp.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    to = False

    def __new__(cls, function: Any = None) -> Any:
        """`@no_grad` without parentheses decorates too."""
        mode = super().__new__(cls)
        if function is None:
            return mode
        mode.__init__()  # type: ignore[misc]
        return mode(function)


class _PlainSwitch(_GradMode):
    """A mode whose plain call switches at once and whose `with` block restores what was there before."""

    def __init__(self, to: bool) -> None:
        super().__init__()
        self.to = to
        self.before.append(_grad.get())
        _switch(to)

    def _enter(self) -> None:
        if not self.before:  # entered a second time
            super()._enter()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(mode={self.to})"

    def __call__(self, function: F) -> F:
        if self.before:
            _switch(self.before.pop())  # decorating switches nothing
        return super().__call__(function)


class set_grad_enabled(_PlainSwitch):
    """Switch recording on or off, at once; in a `with` block, until its end.

    >>> import tensorplay as tp
    >>> with tp.set_grad_enabled(False):
    ...     tp.is_grad_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        super().__init__(bool(mode))

    def _fresh(self) -> _Mode:
        return set_grad_enabled(self.to)


class enable_grad(_PlainSwitch):
    """Switch recording on, at once; in a `with` block, until its end. Undoes an outer `no_grad`."""

    def __new__(cls, function: Any = None) -> Any:
        """`@enable_grad` without parentheses decorates too."""
        mode = super().__new__(cls)
        if function is None:
            return mode
        mode.__init__()  # type: ignore[misc]
        return mode(function)

    def __init__(self) -> None:
        super().__init__(True)


class inference_mode(_Mode):
    """As `no_grad`, and tensors made inside keep no version counter; they can never take part in autograd.

    `inference_mode(False)` inside such a block goes back to ordinary tensors.

    >>> import tensorplay as tp
    >>> with tp.inference_mode():
    ...     y = tp.ones(2) * 2
    >>> y.is_inference()
    True
    """

    def __new__(cls, mode: Any = True) -> Any:
        """`@inference_mode` without parentheses decorates too."""
        self = super().__new__(cls)
        if isinstance(mode, bool):
            return self
        self.__init__()  # type: ignore[misc]
        return self(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode
        self.before: list[tuple[bool, bool]] = []

    def _fresh(self) -> _Mode:
        return inference_mode(self.mode)

    def _enter(self) -> None:
        self.before.append((_grad.get(), _inference.get()))
        if self.mode:
            special.add(inference_mode)
        _inference.set(self.mode)
        _switch(not self.mode)

    def _leave(self) -> None:
        grad, inference = self.before.pop()
        if self.mode:
            special.remove(inference_mode)
        _inference.set(inference)
        _switch(grad)
