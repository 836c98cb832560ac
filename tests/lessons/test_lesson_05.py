"""Lesson 5: its cells run, the answers its README gives are the engine's, and its exercise is sound."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tensorplay.classroom import sound
from tensorplay.classroom.release import solution_lines, student_files

FOLDER = Path(__file__).parents[2] / "lessons" / "05_backward_step_by_step"
GUESS = re.compile(r"^(guess_\w+) = None", re.MULTILINE)


def code_of(text: str) -> str:
    """The code cells of a lesson, in order, as one program."""
    cells = re.split(r"^# %%", text, flags=re.MULTILINE)[1:]
    return "\n".join(cell.partition("\n")[2] for cell in cells if not cell.startswith(" [markdown]"))


def answers() -> dict[str, str]:
    """The predictions of the lesson and their answers, from the table in its README."""
    return dict(re.findall(r"^\| `(guess_\w+)` \| (-?\d+) \|", (FOLDER / "README.md").read_text("utf-8"), re.MULTILINE))


def run_lesson(capsys: pytest.CaptureFixture[str], guesses: dict[str, str]) -> str:
    """Run the lesson as a script, with these guesses filled in; what it printed."""
    text = (FOLDER / "lesson.py").read_text(encoding="utf-8")
    program = GUESS.sub(lambda match: f"{match[1]} = {guesses.get(match[1])}", code_of(text))
    exec(compile(program, str(FOLDER / "lesson.py"), "exec"), {"__name__": "lesson"})
    return capsys.readouterr().out


def test_every_prediction_has_an_answer() -> None:
    text = (FOLDER / "lesson.py").read_text(encoding="utf-8")
    assert GUESS.findall(text) == list(answers())
    assert len(answers()) == 5


def test_answers_of_the_readme_are_right(capsys: pytest.CaptureFixture[str]) -> None:
    printed = run_lesson(capsys, answers())
    assert printed.count("Right, it is") == len(answers())
    assert "You said" not in printed


def test_wrong_guesses_are_told_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    printed = run_lesson(capsys, dict.fromkeys(answers(), "7"))
    assert re.findall(r"You said 7, the engine says (-?\d+)\.", printed) == list(answers().values())


def test_lesson_shows_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    printed = run_lesson(capsys, {})
    assert printed.count("No guess yet") == len(answers())
    for line in ["y moves 15.00 times", "newest first: 4", "with = in place of +=: 1", "1210 numbers to learn"]:
        assert line in printed
    assert "FreedGraphWarning: " in printed
    assert "FreedGraphError: " in printed
    nudged, walked = (float(re.search(rf"by {how}: +(\S+)", printed)[1]) for how in ("nudging", "backward"))
    assert walked == pytest.approx(nudged, rel=0.01)
    before, after = (int(re.search(rf"{when}: +(\d+)% right", printed)[1]) for when in ("before", "after"))
    assert after > max(85, before)


def test_exercise_is_sound() -> None:
    sound(FOLDER)


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
def test_lesson_runs_as_a_notebook(tmp_path: Path) -> None:
    jupytext = pytest.importorskip("jupytext", reason="jupytext is not installed (extra `classroom`)")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed (extra `classroom`)")
    pytest.importorskip("ipykernel", reason="there is no Python kernel (extra `lab`)")
    notebook = jupytext.read(FOLDER / "lesson.py")
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()

    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output.output_type == "error"]
    assert not [output.text for output in outputs if output.get("name") == "stderr"]
    shown = [output.data for output in outputs if "data" in output]
    assert sum("application/vnd.jupyter.widget-view+json" in data for data in shown) == 2, "two steppers"
    assert sum("<img" in data.get("text/html", "") for data in shown) >= 3, "pictures that need no widget"
    assert list(tmp_path.iterdir()) == [], "a lesson leaves no files behind"
