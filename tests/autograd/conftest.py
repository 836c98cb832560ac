"""What the autograd tests are run with."""

from __future__ import annotations

from typing import Any

import pytest

import tensorplay as tp


@pytest.fixture(params=["tensorplay", "torch"])
def lib(request: pytest.FixtureRequest) -> Any:
    """Each program runs here and in PyTorch, with the same expected answers."""
    return tp if request.param == "tensorplay" else pytest.importorskip("torch")
