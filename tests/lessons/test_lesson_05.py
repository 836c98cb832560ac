"""Lesson 5: its cells run, the answers its README gives are the engine's, and its exercise is sound."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tensorplay.classroom import sound
from tensorplay.classroom.release import solution_lines, student_files
from tensorplay.datasets import digits

FOLDER = Path(__file__).parents[2] / "lessons" / "05_backward_step_by_step"
GUESS = re.compile(r"^(guess_\w+) = None", re.MULTILINE)


def code_of(text: str) -> str:
    """The code cells of a lesson, in order, as one program."""
    cells = re.split(r"^# %%", text, flags=re.MULTILINE)[1:]
    return "\n".join(cell.partition("\n")[2] for cell in cells if not cell.startswith(" [markdown]"))


def answers() -> dict[str, str]:
    """The predictions of the lesson and their answers, from the table in its README."""
    return dict(re.findall(r"^\| `(guess_\w+)` \| (-?\d+) \|", (FOLDER / "README.md").read_text("utf-8"), re.MULTILINE))


def run_lesson(capsys: pytest.CaptureFixture[str], guesses: dict[str, str]) -> tuple[str, dict[str, Any]]:
    """Run the lesson as a script, with these guesses filled in: what it printed, and the names it left."""
    text = (FOLDER / "lesson.py").read_text(encoding="utf-8")
    program = GUESS.sub(lambda match: f"{match[1]} = {guesses.get(match[1])}", code_of(text))
    exec(compile(program, str(FOLDER / "lesson.py"), "exec"), names := {"__name__": "lesson"})
    return capsys.readouterr().out, names


def test_every_prediction_has_an_answer() -> None:
    text = (FOLDER / "lesson.py").read_text(encoding="utf-8")
    assert GUESS.findall(text) == list(answers())
    assert len(answers()) == 5


def test_answers_of_the_readme_are_right(capsys: pytest.CaptureFixture[str]) -> None:
    printed, _ = run_lesson(capsys, answers())
    assert printed.count("Right, it is") == len(answers())
    assert "You said" not in printed


def test_wrong_guesses_are_told_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    printed, _ = run_lesson(capsys, dict.fromkeys(answers(), "7"))
    assert re.findall(r"You said 7, the engine says (-?\d+)\.", printed) == list(answers().values())


def test_lesson_shows_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    printed, names = run_lesson(capsys, {})
    assert printed.count("No guess yet") == len(answers())
    for line in ["y moves 15.00 times", "newest first: 4", "with = in place of +=: 1", "1210 numbers to learn"]:
        assert line in printed
    assert "FreedGraphWarning: " in printed
    assert "FreedGraphError: " in printed
    nudged, walked = (float(re.search(rf"by {how}: +(\S+)", printed)[1]) for how in ("nudging", "backward"))
    assert walked == pytest.approx(nudged, rel=0.01)
    before, after = (int(re.search(rf"{when}: +(\d+)% right", printed)[1]) for when in ("before", "after"))
    assert after > max(85, before)
    assert "5 operations visited, 4 leaves" in str(names["tp"].viz.stepper(names["trace"]))
    assert names["batch"][:, 0].tolist() == [0.0] * 8, "the top left pixel is blank"


def load(path: Path) -> ModuleType:
    """Import a file of the lesson's folder by its path."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def exercise_tests() -> dict[str, Callable[..., None]]:
    """The functions of test_exercise.py, without their markers, which only the grader knows."""
    path = FOLDER / "test_exercise.py"
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = []
    names: dict[str, Any] = {}
    exec(compile(tree, str(path), "exec"), names)
    return {name: value for name, value in names.items() if name.startswith("test_")}


def passed(tests: dict[str, Callable[..., None]], solution: Path) -> set[str]:
    """The tests that a solution passes, run here, without the grader."""
    student = load(solution)
    return {name for name, function in tests.items() if _holds(function, student)}


def _holds(function: Callable[..., None], student: ModuleType) -> bool:
    try:
        function(student, np.random.default_rng(5))
    except Exception:
        return False
    return True


def test_solution_passes_and_every_mistake_is_caught(exercise_tests: dict[str, Callable[..., None]]) -> None:
    assert passed(exercise_tests, FOLDER / "exercise.py") == set(exercise_tests)
    caught: set[str] = set()
    for wrong in sorted((FOLDER / "wrong").glob("*.py")):
        fine = passed(exercise_tests, wrong)
        assert fine, f"{wrong.name} fails everything: it should be wrong in one thing only"
        assert fine < set(exercise_tests), f"{wrong.name} passes everything"
        caught |= set(exercise_tests) - fine
    assert caught == set(exercise_tests), "every test is needed: some mistake fails it"


@pytest.mark.notebook
def test_exercise_is_sound() -> None:
    assert sound(FOLDER).problems == ()


def test_what_the_lesson_says_about_pytorch(capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    """With `torch` in place of tensorplay the lesson is the same, up to its two differences."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    other = ModuleType("tensorplay")
    vars(other).update(vars(torch))
    other.viz = SimpleNamespace(show=repr, stepper=repr, record=contextlib.nullcontext)
    train, test = (tuple(torch.tensor(part.numpy()) for part in parts.tensors) for parts in digits())
    other.datasets = SimpleNamespace(digits=lambda: (SimpleNamespace(tensors=train), SimpleNamespace(tensors=test)))
    monkeypatch.setitem(sys.modules, "tensorplay", other)

    program = code_of((FOLDER / "lesson.py").read_text(encoding="utf-8"))
    before, again, after = re.split(r"(?<=    )(y\.backward\(\)\n)(?=\nfor warning in caught)", program)
    with pytest.raises(RuntimeError, match="a second time"):
        exec(before + again, names := {"__name__": "lesson"})
    exec(GUESS.sub(lambda match: f"{match[1]} = {answers()[match[1]]}", "caught = []\n" + after), names)
    printed = capsys.readouterr().out
    assert printed.count("Right, it is") == 2
    assert "x.grad is still tensor(15.)" in printed
    assert names["y"].grad_fn.name() == "MulBackward0"


def test_students_get_no_solution() -> None:
    files = student_files(FOLDER)
    assert sorted(files) == ["exercise.py", "exercise.toml", "lesson.py", "test_exercise.py"]
    secret = solution_lines((FOLDER / "exercise.py").read_text(encoding="utf-8"))
    assert "return g * (1.0 - out**2)" in secret
    released = {line.strip() for data in files.values() for line in data.decode().splitlines()}
    assert not secret & released
    assert b"hidden" not in files["test_exercise.py"]
    assert files["exercise.py"].count(b"raise NotImplementedError") == 4


def test_readme_names_every_mistake() -> None:
    named = re.findall(r"^\| [a-d] \| `(\w+)` \|", (FOLDER / "README.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(named) == sorted(path.stem for path in (FOLDER / "wrong").glob("*.py"))


@pytest.mark.notebook
def test_lesson_runs_as_a_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jupytext = pytest.importorskip("jupytext", reason="jupytext is not installed (extra `classroom`)")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed (extra `classroom`)")
    pytest.importorskip("ipykernel", reason="there is no Python kernel (extra `lab`)")
    monkeypatch.setenv("PYTHONPATH", str(FOLDER.parents[1]), prepend=os.pathsep)  # the kernel is a process of its own
    notebook = jupytext.read(FOLDER / "lesson.py")
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()

    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output.output_type == "error"]
    assert not [output.text for output in outputs if output.get("name") == "stderr"]
    shown = [output.data for output in outputs if "data" in output]
    assert sum("application/vnd.jupyter.widget-view+json" in data for data in shown) == 2, "two steppers"
    assert sum("<img" in data.get("text/html", "") for data in shown) >= 4, "pictures that need no widget"
    assert list(tmp_path.iterdir()) == [], "a lesson leaves no files behind"
