"""Data that is there without a download."""

from __future__ import annotations

import numpy as np

from .arrays import philox
from .data import TensorDataset
from .errors import HyperparameterError, MissingPackageError
from .tensor import Tensor, wrap

__all__ = ["digits", "stratified_split"]

_SPLIT_SEED = 0


def digits(test_share: float = 0.2) -> tuple[TensorDataset, TensorDataset]:
    """The 1,797 handwritten digits that ship inside scikit-learn: (train, test), always the same split.

    Images are float32 of shape (N, 64), 8 by 8 pixels from 0 (paper) to 1 (ink); labels are int64.
    Of each digit, the same share is in the test part.

    >>> train, test = digits()
    >>> len(train), len(test)
    (1438, 359)
    >>> images, labels = train.tensors
    >>> images.shape
    (1438, 64)
    """
    images, labels = _load_digits()
    train, test = _split(labels, test_share, _SPLIT_SEED)
    return (
        TensorDataset(wrap(images[train]), wrap(labels[train])),
        TensorDataset(wrap(images[test]), wrap(labels[test])),
    )


def _load_digits() -> tuple[np.ndarray, np.ndarray]:
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise MissingPackageError(
            "the digits ship inside scikit-learn, which is not installed: python -m pip install scikit-learn"
        ) from None
    pixels, labels = load_digits(return_X_y=True)
    return (pixels / 16.0).astype(np.float32), labels.astype(np.int64)


def stratified_split(labels: Tensor, test_share: float = 0.2, seed: int = 0) -> tuple[Tensor, Tensor]:
    """Divide samples into (train, test) indices, taking the same share of every label; a function of `seed` only.

    Raises ValueError unless 0 < test_share < 1.

    >>> import tensorplay as tp
    >>> train, test = stratified_split(tp.tensor([0, 0, 0, 0, 1, 1, 1, 1]), test_share=0.25)
    >>> train.shape, test.shape
    ((6,), (2,))
    """
    train, test = _split(labels._array, test_share, seed)
    return wrap(train), wrap(test)


def _split(labels: np.ndarray, test_share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    if not 0 < test_share < 1:
        raise HyperparameterError(f"test_share is a share between 0 and 1, got {test_share}")
    order = philox.permutation(seed, 0, len(labels))
    position = np.empty(len(labels))
    for label in np.unique(labels):
        members = order[labels[order] == label]
        # Where each stands among its own kind, from 0 to 1: the first ones of every kind are tested.
        position[members] = (np.arange(len(members)) + 0.5) / len(members)
    test = position < test_share
    return np.flatnonzero(~test), np.flatnonzero(test)  # in the order of the data, so every part of it is mixed
