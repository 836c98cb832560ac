"""The third-party packages we use: what each one is for, and the line that installs it.

One table, read by `tensorplay doctor` and by every command that finds something missing.
"""

from __future__ import annotations

import shlex
import sys
from importlib import metadata
from typing import NamedTuple

__all__ = ["CORE", "OPTIONAL", "Requirement", "distribution_of", "pip", "version_of"]


class Requirement(NamedTuple):
    """A package: the name pip knows, the module it provides ("" for a program), and what it is for."""

    distribution: str
    module: str
    purpose: str


CORE = (
    Requirement("numpy", "numpy", "arrays"),
    Requirement("numba", "numba", "compiled kernels"),
    Requirement("scipy", "scipy", "special functions"),
    Requirement("graphviz", "graphviz", "pictures as DOT"),
    Requirement("graphviz-pure", "", "drawing pictures where no system dot is"),
    Requirement("anywidget", "anywidget", "the step-through player in a notebook"),
    Requirement("ipywidgets", "ipywidgets", "widgets in a notebook"),
)
"""Installed with the package; something is broken if one is missing."""

OPTIONAL = (
    Requirement("jupyterlab", "jupyterlab", "the lessons"),
    Requirement("jupytext", "jupytext", "turning lessons into notebooks"),
    Requirement("nbformat", "nbformat", "turning lessons into notebooks"),
    Requirement("nbclient", "nbclient", "running notebooks"),
    Requirement("scikit-learn", "sklearn", "the digits of `tensorplay demo`"),
    Requirement("matplotlib", "matplotlib", "plots in the lessons"),
    Requirement("tqdm", "tqdm", "progress bars"),
    Requirement("Pillow", "PIL", "animated pictures"),
    Requirement("pytest", "pytest", "`tensorplay check` and `tensorplay grade`"),
    Requirement("hypothesis", "hypothesis", "property tests"),
    Requirement("rich", "rich", "readable tables"),
)
"""Installed by the extras `classroom` and `lab`."""


def distribution_of(module: str) -> str:
    """The name pip knows a module by.

    >>> distribution_of("sklearn.datasets"), distribution_of("unheard_of")
    ('scikit-learn', 'unheard_of')
    """
    top = module.partition(".")[0]
    return next((r.distribution for r in (*CORE, *OPTIONAL) if r.module == top), top)


def version_of(distribution: str) -> str | None:
    """The installed version, or None.

    >>> version_of("numpy") is None, version_of("no-such-thing") is None
    (False, True)
    """
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def pip(*arguments: str) -> str:
    """The line that runs pip for the Python that is running, whatever is on the PATH.

    >>> pip("install", "tqdm").endswith(" -m pip install tqdm")
    True
    """
    return shlex.join([sys.executable, "-m", "pip", *arguments])
