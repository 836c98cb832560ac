"""Whatever students hand in becomes one text, or a reason with file and line."""

from __future__ import annotations

import json
import os

import pytest

from tensorplay.classroom.intake import Submission, entries, read_submission
from tensorplay.errors import SubmissionError


def read(tmp_path, data, name="exercise.py"):
    (tmp_path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_submission(tmp_path / name)


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfx = '\xc3\xa9'\n",
        b"x = '\xc3\xa9'\r\n",
        b"x = '\xc3\xa9'\r",
        b"# -*- coding: latin-1 -*-\nx = '\xe9'\n",
        b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '\xe9'\n",
    ],
    ids=["bom", "crlf", "cr", "latin-1", "cp1252"],
)
def test_encodings_and_line_ends(tmp_path, data):
    assert read(tmp_path, data).text.splitlines()[-1] == "x = 'é'"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b'def f():\n    return "caf\xe9"\n',
            "exercise.py, line 2: byte 0xe9 is not utf-8 text; save the file as UTF-8",
        ),
        (b"# coding: rot13\nk = 1\n", "exercise.py, line 1: the encoding .* is not read"),
        (b"# coding: nonsense\nx = \xe9\n", "exercise.py, line 2: byte 0xe9"),
        (b"\xff\xfex\x00", "line 1: the encoding utf-16 is not read"),
        (b"#" * (1 << 20) + b"\n", "larger than 1 MiB"),
    ],
)
def test_what_is_no_text_names_file_and_line(tmp_path, data, message):
    with pytest.raises(SubmissionError, match=message):
        read(tmp_path, data)


def notebook(*cells):
    made = [{"cell_type": kind, "source": source, "metadata": {}} for kind, source in cells]
    return json.dumps({"cells": made, "nbformat": 4})


def test_a_notebook_becomes_its_code_and_keeps_places(tmp_path):
    data = notebook(
        ("markdown", "# Title"),
        ("code", ["%matplotlib inline\n", "import numpy as np\n", "!ls\n", "np.ones?"]),
        ("code", "%%timeit\nslow()\n"),
        ("code", "def f():\n    %time g()\n    return 'really?'\n"),
    )
    submission = read(tmp_path, data, "work.ipynb")
    space: dict = {}
    exec(compile(submission.text, "work.ipynb", "exec"), space)
    assert space["f"]() == "really?"
    line = submission.text.splitlines().index("    return 'really?'") + 1
    assert submission.place(line) == "work.ipynb, code cell 3, line 3"
    assert submission.place(1) == "work.ipynb, code cell 1, line 1"
    assert Submission("").place(4) == "exercise.py, line 4"


@pytest.mark.parametrize(
    "data", ["{", "[]", '{"cells": 1}', '{"cells": [{}]}', '{"cells": [{"cell_type": "code", "source": 1}]}']
)
def test_a_broken_notebook_is_a_reason(tmp_path, data):
    with pytest.raises(SubmissionError, match=r"work.ipynb, line 1: this is no notebook"):
        read(tmp_path, data, "work.ipynb")


def test_what_only_looks_like_a_magic_stays(tmp_path):
    code = "x = (10\n     % 3)\ns = '''\n%s\n!\n'''\nt = 'it\\'s ('\n"
    assert read(tmp_path, notebook(("code", code)), "a.ipynb").text == code
    magics = "!echo 'it (\n%time f()\n# don't (\n%ls"
    changed = "pass  # !echo 'it (\npass  # %time f()\n# don't (\npass  # %ls\n"
    assert read(tmp_path, notebook(("code", magics)), "b.ipynb").text == changed


def test_half_a_surrogate_in_a_notebook(tmp_path):
    assert read(tmp_path, notebook(("code", "x = '\ud800'")), "work.ipynb").text.strip() == "x = '?'"


def test_every_submission_is_found_in_sorted_order(tmp_path):
    for name in ("zoe.py", "名前.py", "ben.ipynb", "dan.py", "dan.ipynb", "notes.txt", ".hidden.py"):
        (tmp_path / name).write_text("")
    for folder, files in {
        **{"carl": ["exercise.py", "other.py"], "eve": ["any.py"], "fay": [], "gus": ["a.py", "b.py"]},
        **{"hal": ["exercise.ipynb", "x.py"], "out": ["exercise.py"], "__pycache__": ["x.py"]},
    }.items():
        (tmp_path / folder).mkdir()
        for file in files:
            (tmp_path / folder / file).write_text("")
    (tmp_path / "ivy.py").symlink_to("/etc/passwd")
    found = entries(tmp_path, "exercise", skip=tmp_path / "out")
    assert [(entry.student, entry.path and entry.path.relative_to(tmp_path).as_posix()) for entry in found] == [
        ("ben", "ben.ipynb"),
        ("carl", "carl/exercise.py"),
        ("dan.ipynb", "dan.ipynb"),
        ("dan.py", "dan.py"),
        ("eve", "eve/any.py"),
        ("fay", None),
        ("gus", None),
        ("hal", "hal/exercise.ipynb"),
        ("ivy.py", None),
        ("zoe", "zoe.py"),
        ("名前", "名前.py"),
    ]
    reasons = {entry.student: entry.reason for entry in found if entry.reason}
    assert reasons["fay"] == "nothing handed in: the folder holds no exercise.py or exercise.ipynb"
    assert reasons["gus"] == "which file counts? the folder holds a.py, b.py, and none is exercise.py"
    assert reasons["ivy.py"].startswith("ivy.py is a link")


@pytest.mark.skipif(os.name == "nt", reason="pipes and such names are not for Windows")
def test_no_odd_entry_stops_the_batch_or_takes_a_name(tmp_path):
    for name in (b"\xff.py", b"\\udcff.py", b"a\x1b[31m.py", b"UPPER.PY"):
        with open(os.path.join(os.fsencode(tmp_path), name), "w"):
            pass
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "round").symlink_to("round")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "exercise.py").symlink_to("/etc/passwd")
    (tmp_path / "deep" / "out").mkdir(parents=True)
    found = entries(tmp_path, "exercise", skip=tmp_path / "deep" / "out")
    names = ["UPPER", r"\udcff", r"a\x1b[31m", "linked", "pipe", "round", r"\udcff (2)"]
    assert [entry.student for entry in found] == names
    reasons = {entry.student: entry.reason for entry in found if entry.path is None}
    assert reasons == {
        "linked": "nothing handed in: exercise.py is no file of its own (a link?)",
        "pipe": "pipe.py is a pipe or a device, not a file",
        "round": "round is a link, not a file or folder of its own",
    }
