"""Exercises, good and broken: what counts, what repeats, what students see at home, and the proof of soundness."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import pytest

from tensorplay.classroom import check, commands, hosts, sound
from tensorplay.classroom.grade import Grader, collect, course_key
from tensorplay.classroom.intake import Submission
from tensorplay.classroom.report import html_text
from tensorplay.classroom.results import load_exercise
from tensorplay.errors import ExerciseError

EXERCISE = Path(__file__).with_name("exercise")


@pytest.fixture
def exercise(tmp_path):
    """Builds an exercise of one test file."""

    def build(tests, toml='title = "T"\n[limits]\nseconds = 2\nmemory = 256\n', solution="def f(): return 1\n"):
        folder = tmp_path / "small"
        folder.mkdir(exist_ok=True)
        (folder / "test_exercise.py").write_text("import pytest\n\n" + tests)
        (folder / "exercise.toml").write_text(toml)
        (folder / "exercise.py").write_text(solution)
        return folder

    return build


def grader_of(folder):
    loaded = load_exercise(folder)
    return Grader(loaded, collect(loaded), b"key")


def test_inputs_are_secret_but_repeat(exercise):
    folder = exercise(
        "def test_a(student, rng): student.f(rng.integers(1 << 40, size=3).tolist()); assert 0, student.value('seen')\n"
        "def test_b(student, rng): student.f(rng.integers(1 << 40, size=3).tolist()); assert 0, student.value('seen')\n"
    )
    grader = grader_of(folder)
    source = "seen = []\ndef f(x): seen[:] = x\nimport numpy as np\nnp.random.seed(0)\n"

    def drawn(student, text=source, key=b"key"):
        grader.key = key
        grade = grader.grade_text(student, Submission(text, sha256=text))
        return [result.reason for _, result in grade.rows()]

    first = drawn("ann")
    assert first == drawn("ann")
    assert first[0] != first[1]
    for other in (drawn("ben"), drawn("ann", source + "#"), drawn("ann", key=b"other")):
        assert not set(other) & set(first)


def test_two_students_with_the_same_module_name(exercise):
    grader = grader_of(exercise("def test_f(student): assert student.f() == 'A'\n"))
    points = [grader.grade_text(name, Submission(f"def f(): return {name!r}\n")).points for name in "ABAB"]
    assert points == [1, 0, 1, 0]


TOLERANCE = """\
import numpy as np
import tensorplay as tp
from tensorplay.testing import assert_close

KEY = np.array([1.0, np.nan, 3.0])

def test_float32(student): assert_close(student.e(), KEY)
def test_off(student): assert_close(student.f(), KEY)
def test_nan(student): assert_close(student.g(), KEY)
def test_same(student): assert_close(student.h(), KEY)
def test_shape(student): assert_close(student.i(), KEY)
def test_tensor(student):
    assert_close(student.kind(tp.tensor([1.0], requires_grad=True)), "Tensor True")
    assert_close(student.double(tp.tensor([1.0, 2.0])), np.array([2.0, 4.0], np.float32))
"""
ANSWERS = """\
import numpy as np
KEY = np.array([1.0, np.nan, 3.0])
def e(): return KEY.astype(np.float32)
def f(): return KEY * 1.001
def g(): return np.array([np.nan, np.nan, 3.0])
def h(): return KEY.copy()
def i(): return KEY[:, None]
def kind(x): return f"{type(x).__name__} {x.requires_grad}"
def double(x):
    import tensorplay as tp
    return tp.tensor([0.0, 0.0]) + x + x
"""


def test_tolerance_shapes_and_tensors(exercise):
    grade = grader_of(exercise(TOLERANCE)).grade_text("ann", Submission(ANSWERS))
    told = {test.name.removeprefix("test_"): result for test, result in grade.rows()}
    assert {name: result.passed for name, result in told.items()} == {
        **{"float32": True, "off": False, "nan": False, "same": True, "shape": False, "tensor": True},
    }, told
    assert "(3, 1)" in told["shape"].reason
    assert "(3,)" in told["shape"].reason


def test_what_hidden_tests_send_is_never_shown(exercise):
    grader = grader_of(
        exercise(
            "@pytest.mark.hidden\ndef test_hidden(student): assert student.f('secret')\n"
            "def test_public(student): assert student.f('known')\n"
            "def test_text(student): assert student.g() == ''.join(f'abcdefgh{i}\\n' for i in range(900))\n"
        )
    )
    text = "''.join(f'abcdefgx{i}\\n' for i in range(900))"
    source = f"seen = []\ndef f(x): seen.append(x); print(seen)\ndef g(): return {text}\n"
    record = grader.grade_text("ann", Submission(source)).record()
    hidden, public, text = record["tests"]  # in the order of the file
    assert public["output"] == "['known']\n"
    assert "secret" not in repr(record)
    assert "the texts differ from character 7 on: 'x0\\nabc" in text["reason"]  # and at once: pytest needs minutes
    assert hidden["hidden"]


def test_every_test_counts_once_and_phases_count(exercise):
    grader = grader_of(
        exercise(
            "@pytest.fixture\ndef closing():\n    yield\n    assert 0, 'closing failed'\n"
            "def test_passes(student): assert student.f() == 1\n"
            "def test_teardown(student, closing): assert student.f() == 1\n"
            "@pytest.mark.skip(reason='not today')\ndef test_skipped(student): pass\n"
            "@pytest.mark.xfail\ndef test_expected(student): assert 0\n"
            "@pytest.mark.points(0)\ndef test_free(student): assert 0\n"
        )
    )
    grade = grader.grade_text("ann", Submission("def f(): return 1\n"))
    assert {test.name: result.kind for test, result in grade.rows()} == {
        "test_passes": "passed",
        "test_teardown": "failed",
        "test_skipped": "skipped",
        "test_expected": "skipped",
        "test_free": "failed",
    }
    assert (grade.points, grade.most) == (1, 4)
    assert "closing failed" in grade.rows()[1][1].reason


def test_a_test_that_ends_pytest_costs_a_row_not_the_batch(exercise):
    grader = grader_of(exercise("import os\ndef test_one(student): pass\ndef test_two(student): os._exit(0)\n"))
    grade = grader.grade_text("ann", Submission("def f(): return 1\n"))
    assert grade.verdict == "not graded"
    assert [result.kind for _, result in grade.rows()] == ["passed", "missing"]
    assert grader.problems


@pytest.mark.parametrize(
    ("tests", "toml", "message"),
    [
        ("def test_x(: pass\n", 'title = "T"', "cannot be collected"),
        ("@pytest.mark.point(2)\ndef test_x(student): pass\n", 'title = "T"', "point"),
        ("x = 1\n", 'title = "T"', "holds no tests"),
        ("def test_x(student): pass\n", 'title = "T"\n[points]\ntotal = 5', "give 1 points, exercise.toml says 5"),
        ("", "x = 1", "there is no 'title'"),
        ("", 'title = "T"\n[limits]\nsecond = 5', "has no 'second'; it knows seconds, memory, output"),
        ("", 'title = "T"\n[limits]\nseconds = "5"', "is a number, not '5'"),
        ("", "title = ", "exercise.toml"),
    ],
)
def test_a_broken_exercise_is_the_teachers_problem(exercise, tests, toml, message, tmp_path, capsys, command):
    folder = exercise(tests, toml)
    (tmp_path / "class").mkdir()
    assert command("grade", tmp_path / "class", "-a", folder, "-o", tmp_path / "out") == 2
    assert message in capsys.readouterr().err


def test_grading_starts_only_if_the_solution_passes(exercise, tmp_path, capsys, command):
    folder = exercise("def test_f(student): assert student.f() == 2\n")
    (tmp_path / "class").mkdir()
    assert command("grade", tmp_path / "class", "-a", folder, "-o", tmp_path / "out") == 2
    assert "the solution fails test_f" in capsys.readouterr().err
    assert command("grade", tmp_path / "nowhere", "-a", folder, "-o", tmp_path / "out") == 2
    assert "there is no folder" in capsys.readouterr().err
    assert command("grade", tmp_path, "-a", folder, "-o", tmp_path) == 2
    assert "a folder of their own" in capsys.readouterr().err
    (tmp_path / "out" / "students").rmdir()
    (tmp_path / "out" / "students").touch()
    assert command("grade", tmp_path / "class", "-a", folder, "-o", tmp_path / "out") == 2
    assert "students" in capsys.readouterr().err
    assert command("grade", tmp_path / "class", "-a", EXERCISE, "-o", tmp_path / "new", "--skip-solution") == 2
    assert "holds no submissions" in capsys.readouterr().err


def test_the_course_key_is_made_once_and_kept_private(tmp_path, monkeypatch):
    monkeypatch.delenv("TENSORPLAY_COURSE_KEY", raising=False)
    key = course_key(None, tmp_path)
    assert course_key(None, tmp_path) == key
    if sys.platform != "win32":
        assert (tmp_path / "course.key").stat().st_mode & 0o077 == 0
    monkeypatch.setenv("TENSORPLAY_COURSE_KEY", "of this term")
    assert course_key(None, tmp_path) != key


def test_an_empty_class_has_a_report():
    assert "There were no submissions" in html_text(load_exercise(EXERCISE), [], {})


# -------------------------------------------------------------------------------------- check, sound


@pytest.fixture
def at_home(tmp_path):
    from tensorplay.classroom import student_files

    for name, data in student_files(EXERCISE).items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def test_check_runs_public_tests_and_is_honest_about_the_rest(at_home, capsys, command):
    assert command("check", at_home) == 1
    told = capsys.readouterr().out
    assert "0 of 5 public tests pass, 0 of 7 points so far" in told
    assert "d_mul is not written yet" in told
    assert "hint: The factor that stays is the other input." in told
    assert "2 hidden tests, worth 3 points, run when this is graded" in told
    (at_home / "exercise.py").write_text((EXERCISE / "exercise.py").read_text())
    assert command("check", at_home / "exercise.py") == 0
    assert "5 of 5 public tests pass, 7 of 7 points so far" in capsys.readouterr().out
    assert sorted(path.name for path in at_home.iterdir()) == sorted(
        ["exercise.py", "exercise.toml", "lesson.py", "test_exercise.py"]
    )


def test_check_says_once_that_a_file_cannot_run(at_home, capsys, command):
    (at_home / "exercise.py").write_text("x = (\n")
    assert command("check", at_home) == 1
    told = capsys.readouterr().out
    assert told.count("exercise.py, line 1: SyntaxError: '(' was never closed") == 1
    assert command("check", at_home / "nowhere") == 2
    assert check.coloured("  ✓ a") == "  \x1b[32m✓\x1b[0m a"


def test_the_example_exercise_is_sound():
    proof = sound(EXERCISE)
    assert proof, proof.problems
    assert proof.solution.points == 10
    assert proof.stub.points == 0
    assert {name: grade.points for name, grade in proof.wrong.items()} == {"mean_is_sum": 7, "mul_swapped": 6}


def test_an_unsound_exercise_says_what_is_wrong(exercise):
    solution = "def f():\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION\n"
    folder = exercise(
        "def test_nothing(student): pass\ndef test_f(student): assert student.f() == 2\n", solution=solution
    )
    (folder / "wrong").mkdir()
    (folder / "wrong" / "fine.py").write_text("def f(): return 2\n")
    proof = sound(folder)
    assert not proof
    told = "\n".join(proof.problems)
    assert "the solution fails test_f" in told
    assert "the stub gets 1 points for test_nothing" in told
    assert "wrong/fine.py gets all 2 points: a test is missing" in told


def test_an_exercise_folder_is_named_when_it_is_none(tmp_path):
    with pytest.raises(ExerciseError, match=r"has no exercise\.toml"):
        sound(tmp_path)


def test_importing_the_classroom_needs_no_pytest():
    code = "import sys, tensorplay.classroom.commands; print('pytest' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=EXERCISE.parents[2]
    )
    assert done.stdout.strip() == "False"


def test_grading_is_the_same_on_a_build_server(monkeypatch):
    """With CI set, pytest would explain two long texts line by line, for minutes."""
    monkeypatch.setenv("CI", "true")
    assert "CI" not in hosts._environment()


def test_without_pytest_one_sentence_says_so(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(commands.importlib.util, "find_spec", lambda name: None)
    assert commands.run_check(argparse.Namespace(folder=tmp_path)) == commands.UNABLE
    assert "pytest is not installed" in capsys.readouterr().err


def test_a_folder_above_names_the_exercises_in_it(exercise):
    folder = exercise("def test_it(student): assert student.f() == 1\n")
    with pytest.raises(ExerciseError, match=f"Exercises in it: {folder.name}"):
        load_exercise(folder.parent)
