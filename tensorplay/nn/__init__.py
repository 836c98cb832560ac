"""Neural networks: modules, layers, losses, and how parameters start."""

from tensorplay.nn import functional, init
from tensorplay.nn.layers import Linear, ReLU, Sequential, Sigmoid, Tanh
from tensorplay.nn.losses import CrossEntropyLoss, MSELoss
from tensorplay.nn.module import Module
from tensorplay.nn.parameter import Parameter

__all__ = [
    "CrossEntropyLoss",
    "Linear",
    "MSELoss",
    "Module",
    "Parameter",
    "ReLU",
    "Sequential",
    "Sigmoid",
    "Tanh",
    "functional",
    "init",
]
