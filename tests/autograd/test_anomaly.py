"""Anomaly mode: which operation, made on which line; the same programs here and in PyTorch."""

from __future__ import annotations

import gc
import re
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import ref

import pytest

import tensorplay as tp
from tests.autograd.pieces import leaf


@pytest.fixture(params=["tensorplay", "torch"])
def lib(request: pytest.FixtureRequest) -> Any:
    """Each program runs here and in PyTorch, with the same expected answers."""
    return tp if request.param == "tensorplay" else pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def off_again() -> Any:
    yield
    left_on = tp.is_anomaly_enabled()
    tp.autograd.set_detect_anomaly(False)
    assert not left_on
    assert tp.is_anomaly_check_nan_enabled()


def one(lib: Any, *values: float) -> Any:
    return lib.tensor(list(values), requires_grad=True)


def caught(lib: Any, program: Callable[[Any], Any], **options: Any) -> tuple[str, list[str]]:
    """The error of a program run in anomaly mode (without PyTorch's digit after names), and what was warned of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        error = ""
        try:
            with lib.autograd.detect_anomaly(**options):
                program(lib)
        except (RuntimeError, ZeroDivisionError) as found:
            error = re.sub(r"Backward\d", "Backward", str(found))
    words = [
        re.sub(r"Backward\d", "Backward", str(w.message)).strip() for w in told if w.category is not RuntimeWarning
    ]
    assert words[0].startswith("Anomaly Detection has been enabled")
    return error, words[1:]


# ------------------------------------------------------------------------------------- B6.5: NaN in a backward


def of_a_negative_number(lib: Any) -> Any:
    y = one(lib, -1.0).sqrt()  # the line of the forward
    y.backward()


def further_up(lib: Any) -> Any:
    y = (one(lib, 0.0) * 0).sqrt() * 0  # the line of the forward
    y.backward()


def in_the_second_input(lib: Any) -> Any:
    y = one(lib, -2.0) ** one(lib, 1.0)  # the line of the forward
    y.backward()


def from_the_vector(lib: Any) -> Any:
    y = one(lib, 1.0) + 1  # the line of the forward
    y.backward(lib.tensor([float("nan")]))


def from_a_hook(lib: Any) -> Any:
    y = one(lib, 1.0) * 2  # the line of the forward
    y.register_hook(lambda g: g * float("nan"))
    y.backward()


def from_a_node_hook(lib: Any) -> Any:
    y = one(lib, 1.0) * 2  # the line of the forward
    y.grad_fn.register_hook(lambda sent, arrived: (sent[0] * float("nan"), *sent[1:]))
    y.backward()


def in_autograd_grad(lib: Any) -> Any:
    x = one(lib, -1.0)
    y = x.sqrt()  # the line of the forward
    lib.autograd.grad(y, x, create_graph=True)


def in_a_function(lib: Any) -> Any:
    class Broken(lib.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * float("nan")

    y = Broken.apply(one(lib, 1.0))  # the line of the forward
    y.backward()


FOUND = [
    (of_a_negative_number, "Sqrt", 0), (further_up, "Sqrt", 0), (in_the_second_input, "Pow", 1),
    (from_the_vector, "Add", 0), (from_a_hook, "Mul", 0), (from_a_node_hook, "Mul", 0), (in_autograd_grad, "Sqrt", 0),
    (in_a_function, "Broken", 0),
]  # fmt: skip


@pytest.mark.parametrize(("program", "op", "place"), FOUND, ids=lambda v: f"B6.5 {getattr(v, '__name__', v)}")
def test_nan_names_the_op_and_shows_its_forward(program: Any, op: str, place: int, lib: Any) -> None:
    error, told = caught(lib, program)
    assert error.startswith(f"Function '{op}Backward' returned nan values in its {place}th output.")
    assert len(told) == 1
    assert told[0].startswith(f"Error detected in {op}Backward. Traceback of forward call that caused the error:")
    assert f", in {program.__name__}\n" in told[0]
    assert "# the line of the forward" in told[0]
    if lib is tp:
        assert "# the line of the forward" in error
        assert str(Path(tp.__file__).parent) not in told[0], "our own frames are not shown"


def infinities(lib: Any) -> Any:
    one(lib, 0.0).sqrt().backward()


def what_nobody_asked_for(lib: Any) -> Any:
    base, exponent = one(lib, -2.0), one(lib, 1.0)
    lib.autograd.grad(base**exponent, base)


def integers(lib: Any) -> Any:
    x = lib.ones(3, requires_grad=True)
    x[lib.tensor([0, 2])].sum().backward()


@pytest.mark.parametrize("program", [infinities, what_nobody_asked_for, integers], ids=lambda v: f"B6.5 {v.__name__}")
def test_what_is_no_nan(program: Any, lib: Any) -> None:
    assert caught(lib, program) == ("", [])


def test_check_nan_false_only_keeps_tracebacks(lib: Any) -> None:
    assert caught(lib, of_a_negative_number, check_nan=False) == ("", [])


def edited(lib: Any) -> Any:
    y = one(lib, 1.0).exp()  # the line of the forward
    with lib.no_grad():
        y.add_(1)
    y.backward()


def a_hook_that_raises(lib: Any) -> Any:
    y = one(lib, 1.0).exp()  # the line of the forward
    y.register_hook(lambda g: 1 / 0)
    y.backward()


@pytest.mark.parametrize("program", [edited, a_hook_that_raises], ids=lambda v: f"B6.5 {v.__name__}")
def test_other_errors_show_the_forward_too(program: Any, lib: Any) -> None:
    error, told = caught(lib, program, check_nan=False)
    assert error
    assert len(told) == 1
    assert told[0].startswith("Error detected in ExpBackward. Traceback of forward call that caused the error:")
    assert "# the line of the forward" in told[0]


def test_a_forward_outside_of_the_mode(lib: Any) -> None:
    y = one(lib, -1.0).sqrt()
    error, told = caught(lib, lambda lib: y.backward())
    assert error.startswith("Function 'SqrtBackward' returned nan values in its 0th output.")
    assert [w.partition(" (Triggered")[0] for w in told] == [
        "Error detected in SqrtBackward. No forward pass information available. "
        "Enable detect anomaly during forward pass for more information."
    ]


def test_a_backward_outside_of_the_mode_is_not_looked_at(lib: Any) -> None:
    x = one(lib, -1.0)
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"), lib.autograd.detect_anomaly():
        y = x.sqrt()
    y.backward()
    assert x.grad.isnan().all() if lib is not tp else tp.isnan(x.grad).item()


def twice(lib: Any) -> Any:
    x = one(lib, 0.0)
    y = x**1.5  # the line of the forward
    (g,) = lib.autograd.grad(y, x, create_graph=True)  # the line of the first derivative
    (h,) = lib.autograd.grad(g, x, create_graph=True)  # the line of the second derivative
    h.backward(lib.zeros(1))


def test_the_nodes_it_was_derived_from_are_named_too(lib: Any) -> None:
    error, told = caught(lib, twice)
    assert error.startswith("Function 'PowBackward' returned nan values in its 0th output.")
    assert told[0].startswith("Error detected in PowBackward.")
    assert all(w.startswith("Previous calculation was induced by PowBackward. Traceback of forward") for w in told[1:])
    lines = [re.search(r"# the line of the (.*)", w).group(1) for w in told]  # type: ignore[union-attr]
    assert lines == ["second derivative", "first derivative", "forward"]


# ----------------------------------------------------------------------------------------- switching it


def states(lib: Any) -> Any:
    seen = []

    def look() -> None:
        seen.append((lib.is_anomaly_enabled(), lib.is_anomaly_check_nan_enabled()))

    anomaly = lib.autograd
    look()
    anomaly.set_detect_anomaly(True)
    look()
    anomaly.set_detect_anomaly(False)
    look()
    with anomaly.set_detect_anomaly(True, False):
        look()
    look()
    mode = anomaly.detect_anomaly(check_nan=False)
    look()
    with mode:
        look()
        with anomaly.set_detect_anomaly(False):
            look()
        look()
    look()
    try:
        with anomaly.detect_anomaly():
            raise KeyError
    except KeyError:
        look()
    return seen


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_b6_6_switching(lib: Any) -> None:
    off, on, tracebacks = (False, True), (True, True), (True, False)
    assert states(lib) == [off, on, off, tracebacks, off, off, tracebacks, off, tracebacks, off, off]


def test_b6_6_entering_warns_and_switching_does_not(lib: Any) -> None:
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"):
        lib.autograd.detect_anomaly()
    with lib.autograd.set_detect_anomaly(True):
        assert lib.is_anomaly_enabled()


def test_a_switch_takes_a_bool(lib: Any) -> None:
    with pytest.raises(TypeError, match="must be bool, not str"):
        lib.autograd.set_detect_anomaly("x")
    assert not lib.is_anomaly_enabled()


def test_the_module_has_the_same_names() -> None:
    module = tp.autograd.anomaly
    assert module.detect_anomaly is tp.autograd.detect_anomaly
    assert module.set_detect_anomaly is tp.autograd.set_detect_anomaly
    assert module.is_anomaly_enabled is tp.is_anomaly_enabled
    assert module.is_anomaly_check_nan_enabled is tp.is_anomaly_check_nan_enabled


def test_metadata_holds_the_traceback(lib: Any) -> None:
    with lib.autograd.set_detect_anomaly(True):
        y = one(lib, 1.0) * 2  # the line of the forward
    assert "# the line of the forward" in y.grad_fn.metadata["traceback_"][-1]


def test_it_is_on_in_every_thread() -> None:
    seen = []
    with tp.autograd.set_detect_anomaly(True):
        thread = threading.Thread(target=lambda: seen.append((leaf(1.0) * 2).grad_fn.place is not None))
        thread.start()
        thread.join()
    assert seen == [True]


def test_results_are_the_same_bits() -> None:
    def gradient() -> bytes:
        x = leaf(0.3, -0.7)
        ((x.exp() * x.tanh() + x).softmax(0) ** 2).sum().backward()
        return x.grad.numpy().tobytes()

    plain = gradient()
    with tp.autograd.set_detect_anomaly(True):
        assert gradient() == plain


def test_nothing_leaks_with_the_collector_off() -> None:
    gc.collect()
    gc.disable()
    try:
        with tp.autograd.set_detect_anomaly(True):
            x = leaf(2.0)
            y = x**3
            (g,) = tp.autograd.grad(y, x, create_graph=True)
            (h,) = tp.autograd.grad(g, x, create_graph=True)
            h.backward()
            alive = [ref(t.grad_fn) for t in (y, g, h)]
            del y, g, h
            assert [r() for r in alive] == [None] * 3
    finally:
        gc.enable()
