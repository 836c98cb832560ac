"""Student code in its own process: what it can do, what it cannot, and what the test is told."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tensorplay.classroom.intake import Submission
from tensorplay.classroom.student import Limits, Session, Student, clean
from tensorplay.errors import (
    BadResult,
    ClassroomError,
    MemoryLimit,
    MissingFunction,
    OutputLimit,
    StudentCrashed,
    StudentError,
    StudentExited,
    StudentFailure,
    StudentTimeout,
)

LINUX = sys.platform.startswith("linux")
SOURCE = """
import os, random, subprocess, sys
import numpy as np

SIZE = 3

def good(x, *, times=2):
    return x * times

def loop():
    while True:
        pass

def leave():
    sys.exit(3)

def vanish():
    os._exit(0)

def flood():
    while True:
        print("x" * 1000)

def chatter():
    print("tea?")
    return 1

def hoard():
    kept = []
    while True:
        kept.append(bytearray(10 ** 7))

def crash():
    import ctypes
    ctypes.string_at(0)

def broken(x):
    y = x - x
    return 1 / y

def unfinished():
    raise NotImplementedError("write unfinished")

def ask():
    return input("n?")

class Liar(float):
    def __eq__(self, other):
        return True

def lie():
    return Liar(1)

def change(x):
    x += 1
    return x

def draw():
    return random.random(), np.random.rand()

def children(seconds):
    started = [subprocess.Popen(["sleep", seconds], start_new_session=True) for _ in range(50)]
    return len(started)

def read(path):
    with open(path) as stream:
        return stream.read(20)

def write(path):
    with open(path, "w") as stream:
        stream.write("x")
    return True

def chmod(path):
    os.chmod(path, 0o777)

def fill():
    made = []
    try:
        for i in range(9):
            made.append(open(f"f{i}", "wb"))
            made[-1].write(bytes(15 << 20))
    finally:
        for file in made:
            os.unlink(file.name)

def local(path):
    import socket
    socket.socket(socket.AF_UNIX).connect(path)

def connect():
    import socket
    socket.create_connection(("127.0.0.1", 9), 1)

def reach(pid):
    os.kill(pid, 0)

def sabotage():
    import builtins, json
    def no(*args, **kwargs):
        raise ValueError("no")
    builtins.len = builtins.isinstance = builtins.type = lambda *args: 7
    json.dumps = no
    return 1.0

def forge():
    import glob
    frame = b"TPC1" + (17).to_bytes(4, "big") + bytes(4) + b'["done",999,1234]'
    for descriptor in range(3, 30):
        try:
            os.write(descriptor, frame)
        except OSError:
            pass
    return 1

def noise():
    for descriptor in range(3, 30):
        try:
            os.write(descriptor, b"not a frame, just noise")
        except OSError:
            pass
    return 1

def unicode_trouble():
    raise ValueError("\\x1b[31m \\ud800 <temp> %s" % hex(2 ** 40))

class Odd(Exception):
    def __str__(self):
        raise RuntimeError
def odd():
    raise Odd
"""


@pytest.fixture(scope="module")
def session():
    session = Session(Submission(SOURCE), Limits(seconds=20, memory=256, output=64))
    yield session
    session.close()


@pytest.fixture
def student(session):
    session.begin(seed=1)
    return Student(session)


def test_calls_values_and_copies(student):
    assert student.good(3) == 6
    assert student.good([1], times=3) == [1, 1, 1]
    assert student.value("SIZE") == 3
    x = np.arange(3.0)
    assert student.change(x).tolist() == [1.0, 2.0, 3.0]
    assert x.tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("name", "failure", "message"),
    [
        ("leave", StudentExited, r"leave called sys.exit\(3\) \(exercise.py, line 15: sys.exit\(3\)\)"),
        ("vanish", StudentExited, "vanish ended the whole process with status 0"),
        ("flood", OutputLimit, "flood printed more than 64 KiB"),
        ("broken", StudentError, r"takes|missing"),
        ("unfinished", StudentError, "unfinished is not written yet"),
        ("ask", StudentError, r"input\(\) cannot be used here"),
        ("lie", BadResult, "lie gave back a value of type Liar"),
        ("nothing", MissingFunction, "exercise.py does not define nothing"),
        ("goood", MissingFunction, "did you mean good?"),
        ("SIZE", MissingFunction, "SIZE is no function"),
        ("odd", StudentError, "odd raised Odd"),
        ("noise", StudentCrashed, "noise broke the channel"),
    ],
)
def test_each_failure_is_named_and_the_next_call_works(session, name, failure, message):
    session.begin(seed=1)
    with pytest.raises(failure, match=message):
        getattr(Student(session), name)()
    session.begin(seed=1)
    assert Student(session).good(2) == 4


def test_an_error_tells_its_type_and_its_lines(student):
    with pytest.raises(StudentError) as caught:
        student.broken(2)
    assert caught.value.type == "ZeroDivisionError"
    assert str(caught.value) == "broken raised ZeroDivisionError: division by zero (exercise.py, line 39: return 1 / y)"
    assert caught.value.where == "exercise.py, line 39: return 1 / y"


@pytest.mark.skipif(not LINUX, reason="memory is limited on Linux only")
def test_memory_is_limited(student, session):
    with pytest.raises(MemoryLimit, match="hoard asked for more than 256 MiB"):
        student.hoard()
    session.begin(seed=1)
    assert student.good(1) == 2


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signals")
def test_a_crash_names_the_signal(student):
    with pytest.raises(StudentCrashed, match="crash crashed the process by SIGSEGV"):
        student.crash()


def test_all_calls_of_a_test_share_its_time(session):
    session.begin(seed=1, seconds=0.5)
    with pytest.raises(StudentTimeout, match=r"longer than 0\.5 s"):
        Student(session).loop()
    with pytest.raises(StudentFailure, match="stopped earlier in this test"):
        Student(session).good(1)


def test_output_is_kept_for_the_test_that_printed_it(session):
    session.begin(seed=1)
    Student(session).chatter()
    assert session.output() == "tea?\n"
    session.begin(seed=1)
    assert session.output() == ""
    with pytest.raises(OutputLimit):
        Student(session).flood()
    assert len(session.output()) < 2100
    assert session.output().endswith("[cut here]")


def test_own_random_draws_repeat(session):
    def draw(seed):
        session.begin(seed)
        return Student(session).draw()

    assert draw(5) == draw(5) != draw(6)


def test_a_forged_answer_gives_no_value(student, session):
    with pytest.raises(StudentCrashed, match="an answer to no question"):
        student.forge()
    session.begin(seed=1)
    assert student.good(2) == 4


def test_changed_builtins_stay_in_the_worker(student, session):
    try:
        assert student.sabotage() == 1.0
    except StudentFailure as failure:
        assert "sabotage" in str(failure)
    assert len([1, 2]) == 2
    session.close()
    session.begin(seed=1)
    assert Student(session).good(2) == 4


def test_text_from_student_code_is_cleaned(student):
    with pytest.raises(StudentError) as caught:
        student.unicode_trouble()
    assert "\x1b" not in str(caught.value)
    assert "0x…" in str(caught.value)
    assert clean("a" * 50, 10) == "a" * 10 + " [cut here]"
    assert clean(None, 10) == ""


DENIED = r"PermissionError|FileNotFoundError|Read-only file system"
SECONDS = f"600.{os.getpid()}"  # tells our children from those of another run


def sleepers():
    listing = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return listing.count(f"sleep {SECONDS}")


@pytest.mark.skipif(not LINUX, reason="processes are followed on Linux only")
def test_no_child_is_left():
    session = Session(Submission(SOURCE), Limits(20, 256, 64))
    session.begin(seed=1)
    assert Student(session).children(SECONDS) == 50
    assert sleepers() == 50
    session.close()
    assert sleepers() == 0


@pytest.mark.skipif(not LINUX, reason="files are hidden on Linux only")
def test_files_and_network_are_out_of_reach(session, student, tmp_path):
    (tmp_path / "answers.txt").write_text("secret")
    if not session.isolation["files"].startswith("only"):
        pytest.skip("this kernel has no Landlock; the report says so")
    for path in (tmp_path / "answers.txt", Path(__file__), Path("/etc/hostname")):
        with pytest.raises(StudentError, match=DENIED):
            student.read(str(path))
    for file in (str(tmp_path / "new.txt"), np.__file__):
        with pytest.raises(StudentError, match=DENIED):
            student.write(file)
    assert student.write("mine.txt")
    with pytest.raises(StudentError, match=r"PermissionError|OSError|ConnectionRefused"):
        student.connect()


@pytest.mark.skipif(not LINUX, reason="file trees are Linux")
def test_the_file_tree_is_small_and_holds_nothing_of_others(session, student, tmp_path):
    if "mount namespace" not in session.isolation["files"]:
        pytest.skip("no mount namespace here; the report says so")
    with pytest.raises(StudentError, match="FileNotFoundError"):
        student.chmod(str(tmp_path))
    with pytest.raises(StudentError, match=r"Read-only file system|Operation not permitted"):
        student.chmod(np.__file__)
    with pytest.raises(StudentError, match="No space left"):
        student.fill()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "s"))
        listening.listen()
        with pytest.raises(StudentError, match="FileNotFoundError"):
            student.local(str(tmp_path / "s"))


@pytest.mark.skipif(not LINUX, reason="process trees are Linux")
def test_the_grader_is_out_of_reach(session, student):
    if "PID namespace" not in session.isolation["processes"]:
        pytest.skip("no PID namespace here; the report says so")
    with pytest.raises(StudentError, match=r"ProcessLookupError|PermissionError"):
        student.reach(os.getpid())


def test_isolation_is_stated(session):
    session.begin(seed=1)
    assert set(session.isolation) == {"files", "limits", "network", "processes", "user"}
    assert all(session.isolation.values())


@pytest.mark.parametrize(
    ("source", "failure", "message"),
    [
        ("def f(:\n    pass", StudentError, r"^exercise.py, line 1: SyntaxError: "),
        ("def f():\n\tif 1:\n        return 2\n", StudentError, r"exercise.py, line 3: TabError"),
        ("x = 1\nx.y", StudentError, r"while it was imported, raised AttributeError: .*\(exercise.py, line 2: x.y\)"),
        ("raise SystemExit", StudentExited, r"while it was imported, called sys.exit"),
        ("import os\nos._exit(0)", StudentExited, "while it was imported, ended the whole process with status 0"),
        ("name = input('n?')", StudentError, r"input\(\) cannot be used here"),
        ("import helper", StudentError, "No module named 'helper'"),
        ("x = '\0'", StudentError, "null bytes"),
    ],
)
def test_a_file_that_cannot_be_run_says_why_each_time(source, failure, message):
    session = Session(Submission(source), Limits(20, 256, 64))
    for _ in range(2):
        with pytest.raises(failure, match=message):
            session.begin(seed=1)
    assert session.broken
    session.close()


def test_an_empty_file_has_no_functions():
    session = Session(Submission(""), Limits(20, 256, 64))
    session.begin(seed=1)
    with pytest.raises(MissingFunction, match="does not define f"):
        Student(session).f()
    session.close()


def test_what_a_test_cannot_send_is_the_teachers_problem(student):
    with pytest.raises(ClassroomError, match="cannot be sent to student code: a value of type object"):
        student.good(object())


def test_the_worker_has_nothing_of_the_graders_environment(monkeypatch):
    monkeypatch.setenv("TENSORPLAY_COURSE_KEY", "secret")
    session = Session(Submission("import os, sys\ndef f():\n    return dict(os.environ), sys.path, sys.argv\n"))
    session.begin(seed=1)
    environment, path, arguments = Student(session).f()
    session.close()
    assert "secret" not in repr(environment)
    assert environment["NUMBA_CACHE_DIR"].startswith(environment["HOME"])
    assert "" not in path
    assert arguments == ["exercise.py"]
