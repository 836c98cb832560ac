"""The ladder: what is chosen and why, and that a failing program never costs the picture."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tensorplay.errors import RenderError
from tensorplay.viz import render
from tensorplay.viz.graph import Graph, GraphEdge, GraphNode
from tensorplay.viz.layout import layout
from tensorplay.viz.render import MISSING, config, pure_program, renderer, run_program, rungs

GRAPH = Graph(
    (GraphNode("t1", "leaf", "x"), GraphNode("n1", "output", "exp", op="Exp")), (GraphEdge("e1", "t1", "n1"),)
)
Program = Callable[[str], str]

needs_pure = pytest.mark.skipif(not pure_program(), reason="graphviz-pure is not installed")


@pytest.fixture(autouse=True)
def _plain_ladder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "_setting", None)
    monkeypatch.delenv(render.VARIABLE, raising=False)


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(render, "pure_program", lambda: None)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Makes a program called `dot` out of some Python."""
    if sys.platform == "win32":
        pytest.skip("a script cannot be started as a program here")

    def make(body: str) -> str:
        path = tmp_path / "dot"
        path.write_text(f"#!{sys.executable}\nimport sys, time\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    return make


def test_without_any_program_the_built_in_layout_draws_and_says_what_is_missing(nothing_installed: None) -> None:
    rung = renderer()
    assert (rung.name, rung.program) == ("built-in", None)
    assert "pip install graphviz-pure" in rung.why
    assert layout(GRAPH).engine == "built-in"


@needs_pure
def test_the_wheels_program_is_found_with_an_empty_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    rung = renderer()
    assert rung.name == "graphviz-pure" and rung.program and os.path.isabs(rung.program)
    assert layout(GRAPH).engine == "graphviz-pure"


def test_a_system_dot_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, program: Program) -> None:
    path = program("print()")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert [rung.name for rung in rungs()][:1] == ["dot"] and renderer().program == path


def test_settings_in_order_of_nearness(monkeypatch: pytest.MonkeyPatch, program: Program) -> None:
    path = program("print()")
    monkeypatch.setenv(render.VARIABLE, path)
    assert renderer().name == "explicit" and render.VARIABLE in renderer().why
    config(engine="built-in")
    assert renderer().name == "built-in"
    assert renderer(path).program == path


def test_auto_takes_a_setting_back() -> None:
    config(engine="built-in")
    assert config() == "built-in"
    assert config(engine="auto") == "auto" and renderer().why != "set by config(engine=…)"


def test_an_unknown_engine_is_refused_where_it_is_set() -> None:
    with pytest.raises(RenderError, match="no drawing engine 'nonsense'"):
        config(engine="nonsense")


def test_an_unknown_engine_in_the_environment_only_costs_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(render.VARIABLE, "/no/such/program")
    placed = layout(GRAPH)
    assert placed.boxes and "/no/such/program" in placed.notes[0] and render.VARIABLE in placed.notes[0]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("sys.exit('cannot open display')", "cannot open display"),
        ("print('not json')", "could not be read"),
        ('print(\'{"bb": "0,0,1,1", "objects": []}\')', "boxes are missing"),
        ("sys.exit(3)", "exit status 3"),
        ("pass", "failed"),
    ],
)
def test_a_failing_program_is_passed_over_with_a_note(program: Program, body: str, words: str) -> None:
    placed = layout(GRAPH, program(body))
    assert placed.engine != "explicit" and set(placed.boxes) == {"t1", "n1"}
    assert words in placed.notes[0] and MISSING not in " ".join(placed.notes)


def test_a_program_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch, program: Program) -> None:
    monkeypatch.setattr(render, "TIMEOUT", 0.3)
    start = time.perf_counter()
    placed = layout(GRAPH, program("time.sleep(60)"))
    assert time.perf_counter() - start < 30
    assert "took more than 0.3 s" in placed.notes[0]


def test_a_program_that_cannot_be_started() -> None:
    with pytest.raises(RenderError, match="could not be started"):
        run_program("/no/such/program", "digraph {}", "json")


@needs_pure
def test_the_path_is_never_changed() -> None:
    before = dict(os.environ)
    layout(GRAPH, "graphviz-pure")
    assert dict(os.environ) == before and shutil.which("graphviz-pure-dot") is None
