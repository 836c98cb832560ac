"""What one test leaves behind, no other test can see: global state is checked and restored after each."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np
import pytest

import tensorplay as tp


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the tests marked slow (nightly sizes)")
    parser.addoption(
        "--profile",
        choices=("default", "nightly"),
        default="default",
        help="size of the random tests; nightly: 20,000 programs, others in every run",
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have recorded as their summary, such as what random programs have covered."""
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, text in report.user_properties:
            if name == "summary" and report.when == "call":
                terminalreporter.write_line(text)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked slow unless `--slow` or `-m slow` asks for it."""
    if config.getoption("--slow") or "slow" in config.getoption("markexpr"):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if item not in set(slow)]


FRESH = {
    "grad mode": True,
    "inference mode": False,
    "listeners": 0,
    "default dtype": tp.float32,
    "garbage collector": True,
}


def _state() -> dict[str, object]:
    return {
        "grad mode": tp.is_grad_enabled(),
        "inference mode": tp.is_inference_mode_enabled(),
        "listeners": len(tp.events.listeners),
        "default dtype": tp.get_default_dtype(),
        "garbage collector": gc.isenabled(),
    }


def _restore() -> None:
    tp.set_grad_enabled(True)
    for subscription in tp.events.listeners:
        subscription.remove()
    tp.set_default_dtype(tp.float32)
    gc.enable()


@pytest.fixture(autouse=True)
def clean_global_state() -> Iterator[None]:
    """Seed the generators before each test; fail the test that leaves a mode, a listener or a default changed."""
    tp.manual_seed(0)
    np.random.seed(0)
    yield
    state = _state()
    _restore()
    leaked = {name: value for name, value in state.items() if value != FRESH[name]}
    assert not leaked, f"this test leaves global state changed: {leaked}"
