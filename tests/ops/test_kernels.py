"""The compiled scatter-add against its NumPy twin: the same bits, whatever the indices."""

from __future__ import annotations

import numpy as np
import pytest

from tensorplay import events
from tensorplay.arrays import kernels

INDICES = {
    "repeated rows": ((np.arange(200) % 7,), (7, 64)),
    "negative rows": ((-1 - np.arange(200) % 7,), (7, 64)),
    "two dimensions": ((np.arange(200) % 3, np.arange(200) % 5 - 5), (3, 5, 64)),
    "broadcast indices": ((np.arange(20)[:, None] % 3, np.arange(10) % 5), (3, 5, 64)),
}


def twin(x: np.ndarray, ix: tuple[np.ndarray, ...], shape: tuple[int, ...]) -> np.ndarray:
    out = np.zeros(shape, x.dtype)
    np.add.at(out, ix, x)
    return out


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_the_kernel_gives_the_bits_of_its_twin(name, dtype):
    ix, shape = INDICES[name]
    lead = np.broadcast_shapes(*(i.shape for i in ix))
    x = (np.random.default_rng(0).normal(size=(*lead, 64)) * 9).astype(dtype)
    assert x.size >= kernels.SCATTER_FROM
    launched = []
    with events.listening(launched.append, events.KernelLaunched):
        result = kernels.add_at(x, ix, shape)
    assert len(launched) == (1 if kernels.enabled() else 0)
    assert result.tobytes() == twin(x, ix, shape).tobytes()


def test_a_strided_source_is_read_right():
    ix, shape = INDICES["repeated rows"]
    wide = np.random.default_rng(0).normal(size=(200, 128))
    assert kernels.add_at(wide[:, ::2], ix, shape).tobytes() == twin(wide[:, ::2], ix, shape).tobytes()


def test_small_work_and_a_switch_leave_it_to_numpy(monkeypatch):
    launched = []
    with events.listening(launched.append, events.KernelLaunched):
        kernels.add_at(np.ones(3), (np.array([0, 1, 0]),), (2,))
        monkeypatch.setenv("TENSORPLAY_KERNELS", "off")
        ix, shape = INDICES["repeated rows"]
        kernels.add_at(np.ones((200, 64)), ix, shape)
    assert not launched


@pytest.mark.parametrize("row", [7, -8])
def test_a_row_out_of_bounds_is_an_error_and_never_a_write(row):
    ix = np.arange(200) % 7
    ix[100] = row
    with pytest.raises(IndexError):
        kernels.add_at(np.ones((200, 64)), (ix,), (7, 64))
