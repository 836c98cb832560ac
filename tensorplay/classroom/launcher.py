"""Starts one worker: `python -s -P -B launcher.py SETUP`, with the protocol on standard input and output.

One thread, no NumPy, until the namespaces are made. Three processes then stand in a row: this supervisor,
the first process of the new tree (where the system has such trees), and the worker with the student's code.
The supervisor holds no end of the protocol; when it is told to stop, or when the grader disappears, it ends
everything below. SETUP is JSON: package, temp, memory, cpu, file_size, processes.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent


def load(name: str) -> ModuleType:
    """A module of this folder by its path, so that the package, and with it NumPy, is not imported."""
    spec = importlib.util.spec_from_file_location(f"_tensorplay_{name}", HERE / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def main() -> int:
    """Build the sandbox, become its supervisor, and end with the worker's status."""
    setup = {**json.loads(sys.argv[1]), "number": os.getpid()}
    sys.argv = ["exercise.py"]
    sandbox = load("sandbox")
    report: dict[str, str] = {}
    requests, answers = _private_channels()
    if not hasattr(os, "fork"):
        sandbox.isolate(report)
        return work(sandbox, setup, report, requests, answers)
    sandbox.die_with_parent()
    own_tree = sandbox.isolate(report)
    sandbox.own_descendants()
    child = os.fork()
    if child == 0:
        sandbox.die_with_parent(signal.SIGKILL)
        if own_tree and (inner := os.fork()):
            _close(requests, answers)
            os._exit(_status(inner))
        os._exit(work(sandbox, setup, report, requests, answers))
    _close(requests, answers, 1, 2)
    return supervise(child)


def _private_channels() -> tuple[int, int]:
    """Move the protocol away from descriptors 0 and 1; reading gives an end of file, printing goes to 2."""
    requests, answers = os.dup(0), os.dup(1)
    if sys.platform == "win32":
        import msvcrt

        for descriptor in (requests, answers):
            msvcrt.setmode(descriptor, os.O_BINARY)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, answers


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


# --------------------------------------------------------------------------------------- supervisor


def supervise(child: int) -> int:
    """Wait for the child, end what is left below, and pass its status on."""

    def stop(number: int, frame: Any) -> None:
        os.kill(child, signal.SIGKILL)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    status = _status(child)
    _sweep()
    return status


def _status(child: int) -> int:
    """The exit status of a child, 128 + n for signal n; orphans that end meanwhile are collected too."""
    while True:
        pid, status = os.wait()
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _sweep() -> None:
    """Kill every descendant; killing one hands its children to this process, so look again until none is left."""
    listing = Path(f"/proc/self/task/{os.getpid()}/children")
    for _ in range(200):
        try:
            left = [int(pid) for pid in listing.read_text().split()]
        except OSError:
            return
        if not left:
            return
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)
        _collect()


def _collect() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


# -------------------------------------------------------------------------------------------- worker


def work(sandbox: ModuleType, setup: dict[str, Any], report: dict[str, str], requests: int, answers: int) -> int:
    """Give up what student code must not have, then serve requests."""
    package, temp = setup["package"], setup["temp"]
    roots = sorted({sys.prefix, sys.base_prefix, sys.exec_prefix, str(Path(sys.executable).resolve().parent), package})
    worker, protocol = load("worker"), load("protocol")  # with NumPy, before memory is limited and files are hidden
    used, others = sandbox.address_space(), sandbox.tasks_of_user()  # while /proc can be seen
    sandbox.offer_to_be_killed()
    tree = load("mounts").enter([*sandbox.SYSTEM_FOLDERS, *sandbox.DEVICES, *roots], temp)
    own_user = sandbox.drop_user(setup["number"], temp, roots, report)
    if hasattr(os, "fork"):
        sandbox.die_with_parent(signal.SIGKILL)  # changing the user has cleared it
    os.chdir(temp)
    alone = own_user or report["network"].startswith("none (")  # the kernel counts per user and user namespace
    processes = setup["processes"] + (0 if alone else others)
    sandbox.limit(used + setup["memory"] if used else 0, setup["cpu"], setup["file_size"], processes, report)
    sandbox.renounce()
    sandbox.confine_files(roots, temp, tree, report)
    return int(worker.serve(protocol, package, report, requests, answers))


if __name__ == "__main__":
    sys.exit(main())
