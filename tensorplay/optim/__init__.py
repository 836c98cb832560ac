"""Optimizers: from gradients to better parameters."""

from tensorplay.optim.adam import Adam
from tensorplay.optim.optimizer import Optimizer
from tensorplay.optim.sgd import SGD

__all__ = ["SGD", "Adam", "Optimizer"]
