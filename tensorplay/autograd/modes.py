"""Modes: whether operations are recorded, and whether tensors keep versions at all.

Each thread starts with recording on. `no_grad` and `inference_mode` act as context managers or
decorators; `set_grad_enabled(b)` and `enable_grad()` also as plain calls, which switch at once.
"""

from __future__ import annotations

import functools
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from .. import events, special
from ..errors import ModeTypeError, NotCallableError

__all__ = [
    "LayerMode",
    "enable_grad",
    "inference_mode",
    "inferring",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_multithreading_enabled",
    "layer_recording",
    "no_grad",
    "ordinary_tensors",
    "recording",
    "recording_at",
    "recording_set_to",
    "set_grad_enabled",
    "set_multithreading_enabled",
]

F = TypeVar("F", bound=Callable[..., Any])


class LayerMode:
    """Recording switched in one layer of tensors (see `arrays/levels.py`); true or false as the plain layer is.

    A gradient taken inside `vmap` records nothing in the layer it is taken in, while the layers below go on
    recording for whoever differentiates from outside.
    """

    __slots__ = ("level", "on", "rest")

    def __init__(self, level: int, on: bool, rest: bool | LayerMode) -> None:
        self.level = level
        self.on = on
        self.rest = rest

    def at(self, level: int) -> bool:
        """Whether operations of that layer are recorded."""
        if level == self.level:
            return self.on
        return self.rest.at(level) if isinstance(self.rest, LayerMode) else self.rest

    def __bool__(self) -> bool:
        return self.at(0)


_grad: ContextVar[bool | LayerMode] = ContextVar("tensorplay_grad_mode", default=True)
_inference: ContextVar[bool] = ContextVar("tensorplay_inference_mode", default=False)
_threads: ContextVar[bool] = ContextVar("tensorplay_multithreading", default=True)

recording = _grad.get
"""Read by every operation on something that requires a gradient (a ContextVar: 8 ns; threading.local: 21 ns)."""
inferring = _inference.get
"""Read wherever a tensor is made: inside `inference_mode` it gets no version cell."""


def recording_at(level: int) -> bool:
    """Whether operations on tensors of this level are recorded."""
    mode = _grad.get()
    return mode.at(level) if isinstance(mode, LayerMode) else mode


class recording_set_to:
    """Recording switched inside the block by the engine, for its own ends: listeners are not told."""

    __slots__ = ("on", "token")

    def __init__(self, on: bool) -> None:
        self.on = on

    def __enter__(self) -> None:
        self.token = _grad.set(self.on)

    def __exit__(self, *exception: object) -> None:
        _grad.reset(self.token)


@contextmanager
def layer_recording(level: int, on: bool) -> Iterator[None]:
    """Recording switched on or off in one layer alone."""
    token = _grad.set(LayerMode(level, on, _grad.get()))
    try:
        yield
    finally:
        _grad.reset(token)


@contextmanager
def ordinary_tensors() -> Iterator[None]:
    """Tensors made in the block keep versions, also inside `inference_mode`."""
    token = _inference.set(False)
    try:
        yield
    finally:
        _inference.reset(token)


def is_grad_enabled() -> bool:
    """Whether operations are recorded in this thread.

    >>> import tensorplay as tp
    >>> tp.is_grad_enabled()
    True
    """
    return _innermost(_grad.get())


def _innermost(mode: bool | LayerMode) -> bool:
    return mode.on if isinstance(mode, LayerMode) else mode


def is_inference_mode_enabled() -> bool:
    """Whether this thread is inside `inference_mode`.

    >>> import tensorplay as tp
    >>> with tp.inference_mode():
    ...     tp.is_inference_mode_enabled()
    True
    """
    return _inference.get()


def is_multithreading_enabled() -> bool:
    """Whether a backward pass may use several threads. No pass does: each runs in the thread that calls it.

    >>> import tensorplay as tp
    >>> tp.autograd.is_multithreading_enabled()
    True
    """
    return _threads.get()


def _switch(to: bool | LayerMode) -> None:
    before = _innermost(_grad.get())
    _grad.set(to)
    after = _innermost(to)
    if events.listeners and before != after:
        events.emit(events.GradModeChanged(before, after))


class _Mode(ABC):
    """A context manager that also decorates functions and generators, entering anew on each call."""

    @abstractmethod
    def _enter(self) -> None: ...

    @abstractmethod
    def _leave(self) -> None: ...

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
            name, got = type(self).__name__, type(function).__name__
            raise NotCallableError(f"{name} decorates functions, got {got}: write `with tp.{name}():` for a block")
        if inspect.isgeneratorfunction(function):
            return _decorate_generator(self._fresh, function)  # type: ignore[return-value]  # called as F is

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self._fresh():
                return function(*args, **kwargs)

        return inside  # type: ignore[return-value]  # called as F is


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
        self.before: list[bool | LayerMode] = []

    def _enter(self) -> None:
        self.before.append(_grad.get())
        _switch(self.to)

    def _leave(self) -> None:
        _switch(self.before.pop())


class _Bare(_GradMode):
    """A mode without arguments: it decorates without parentheses too, as in `@no_grad`."""

    def __new__(cls, function: Any = None) -> Any:
        """The mode; or the function, decorated."""
        mode = super().__new__(cls)
        if function is None:
            return mode
        mode.__init__()  # type: ignore[misc]  # Python leaves it out where __new__ returns something else
        return mode(function)


class no_grad(_Bare):
    """Nothing inside is recorded; results do not require a gradient. Decorates functions too, `@tp.no_grad()`.

    >>> import tensorplay as tp
    >>> x = tp.ones(2, requires_grad=True)
    >>> with tp.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    to = False


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
    """Switch recording on or off, at once; in a `with` block, until its end. Raises ModeTypeError for what is no bool.

    >>> import tensorplay as tp
    >>> with tp.set_grad_enabled(False):
    ...     tp.is_grad_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise ModeTypeError(f"set_grad_enabled(): argument 'mode' must be bool, not {type(mode).__name__}")
        super().__init__(mode)

    def _fresh(self) -> _Mode:
        return set_grad_enabled(self.to)


class enable_grad(_Bare, _PlainSwitch):
    """Switch recording on, at once; in a `with` block, until its end. Undoes an outer `no_grad`.

    >>> import tensorplay as tp
    >>> x = tp.ones(2, requires_grad=True)
    >>> with tp.no_grad(), tp.enable_grad():
    ...     y = x * 2
    >>> y.requires_grad
    True
    """

    def __init__(self) -> None:
        super().__init__(True)


class inference_mode(_Mode):
    """As `no_grad`, and tensors made inside keep no version counter; they can never take part in autograd.

    An operation that would be recorded raises InferenceError if one of its inputs is such a tensor, also after the
    block; `clone()`, outside it, makes an ordinary tensor. `inference_mode(False)` inside
    such a block goes back to ordinary tensors.

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
        self.__init__()  # type: ignore[misc]  # as in `_Bare`
        return self(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode
        self.before: list[tuple[bool | LayerMode, bool]] = []

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


class set_multithreading_enabled(_Mode):
    """Allow backward passes to use several threads or not, at once; in a `with` block, until its end.

    It changes no result. A pass runs in the thread that calls it either way, so this only keeps programs
    written for PyTorch running.

    >>> import tensorplay as tp
    >>> with tp.autograd.set_multithreading_enabled(False):
    ...     tp.autograd.is_multithreading_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        self.mode = bool(mode)
        self.before = [_threads.get()]
        _threads.set(self.mode)

    def _fresh(self) -> _Mode:
        return set_multithreading_enabled(self.mode)

    def _enter(self) -> None:
        if not self.before:  # entered a second time
            self.before.append(_threads.get())
            _threads.set(self.mode)

    def _leave(self) -> None:
        _threads.set(self.before.pop())

    def __call__(self, function: F) -> F:
        """Decorate: the mode holds during each call."""
        if self.before:
            _threads.set(self.before.pop())  # decorating switches nothing
        return super().__call__(function)
