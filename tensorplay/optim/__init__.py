"""Optimizers: from gradients to better parameters."""

from . import lr_scheduler
from .adam import Adam, AdamW
from .moments import Adamax, NAdam, RAdam
from .muon import Muon
from .optimizer import Optimizer
from .scaled import Adadelta, Adagrad, RMSprop
from .sgd import SGD

__all__ = [
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "lr_scheduler",
]
