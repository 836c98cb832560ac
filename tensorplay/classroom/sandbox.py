"""What the operating system can take away from student code, and what it could not.

Each step reports one sentence, so that a report never claims more than is in force. On Linux, from the
outside in: namespaces (no network, own process tree), another user when the grader is root, resource limits,
no capabilities, and Landlock. `mounts.py` adds a file tree that holds little more than Python and NumPy.
Other systems get resource limits at most. Standard library only: the launcher loads this file by its path
while it still has a single thread, which namespaces need.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import stat
import sys
from pathlib import Path
from typing import Any

__all__ = [
    *("DEVICES", "SYSTEM_FOLDERS", "address_space", "confine_files", "die_with_parent", "drop_user", "isolate"),
    *("limit", "offer_to_be_killed", "own_descendants", "renounce", "tasks_of_user"),
]

NEW_IPC, NEW_USER, NEW_PID, NEW_NET = 0x08000000, 0x10000000, 0x20000000, 0x40000000
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_SET_CHILD_SUBREAPER = 1, 38, 36
FIRST_UID, UIDS = 61184, 4000  # a range that no account uses, so that workers cannot touch each other
SYSTEM_FOLDERS = ("/usr", "/bin", "/lib", "/lib64", "/sbin", "/etc/ld.so.cache", "/etc/localtime")
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/sys/devices/system/cpu")

LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446
READ_ONLY = 1 | 4 | 8  # execute, read a file, list a folder
FILE_RIGHTS = 1 | 2 | 4 | 1 << 14  # what can be granted on something that is not a folder
ALL_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}


def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def _linux() -> bool:
    return sys.platform.startswith("linux")


# --------------------------------------------------------------------------------------- namespaces


def isolate(report: dict[str, str]) -> bool:
    """Leave the network and the process tree. True if the next child is process 1 of a tree of its own."""
    report["network"] = "NOT cut off: this system cannot take the network away"
    report["processes"] = "in a process group of their own; a process that leaves it may survive"
    if not _linux():
        return False
    report["processes"] = "children are found and ended by their supervisor"
    if os.geteuid() != 0 and not _new_user():
        report["network"] = "NOT cut off: user namespaces are not allowed here"
        return False
    libc = _libc()
    libc.unshare(NEW_IPC)
    if libc.unshare(NEW_NET) == 0:
        report["network"] = "none (network namespace)"
    if libc.unshare(NEW_PID) != 0:
        return False
    report["processes"] = "a process tree of their own that ends as a whole (PID namespace)"
    return True


def _new_user() -> bool:
    uid, gid = os.geteuid(), os.getegid()
    if _libc().unshare(NEW_USER) != 0:
        return False
    try:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    except OSError:
        return False
    return True


def own_descendants() -> None:
    """Orphans among the descendants become children of this process, which can then end them."""
    if _linux():
        _libc().prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent(number: int = signal.SIGTERM) -> None:
    """Ask the kernel to signal this process when its parent ends."""
    if _linux():
        _libc().prctl(PR_SET_PDEATHSIG, int(number), 0, 0, 0)


# --------------------------------------------------------------------------------------------- user


def drop_user(number: int, temp: str, needed: list[str], report: dict[str, str]) -> bool:
    """Become a user without rights if this is root. True if the user is one that nobody else has."""
    if not hasattr(os, "geteuid"):
        report["user"] = "the same as the grader's: this system cannot change it"
        return False
    if os.geteuid() != 0:
        report["user"] = "the same as the grader's: only root can change it"
        return False
    closed = [path for path in (*needed, str(Path(temp).parent)) if not _open_to_all(Path(path))]
    if closed:
        report["user"] = f"root: other users cannot read {closed[0]}"
        return False
    uid = FIRST_UID + number % UIDS
    try:
        os.chown(temp, uid, uid)
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    except OSError as error:
        report["user"] = f"root: {error.strerror}"
        return False
    report["user"] = "one without rights or files"
    return True


def _open_to_all(path: Path) -> bool:
    try:
        path = path.resolve()
        return all(step.stat().st_mode & stat.S_IXOTH for step in (path, *path.parents))
    except OSError:
        return False


def renounce() -> None:
    """Give up every capability, and the chance of getting one from a program that is run."""
    if not _linux():
        return
    libc = _libc()
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    libc.capset(header, (ctypes.c_uint32 * 6)())


# ------------------------------------------------------------------------------------------- limits


def limit(memory: int, cpu: int, file_size: int, processes: int, report: dict[str, str]) -> None:
    """Resource limits: bytes of memory (0 for none), seconds, bytes of one file, processes of this user."""
    try:
        import resource
    except ImportError:
        report["limits"] = "wall time and output only: this system has no resource limits"
        return
    wanted = {"RLIMIT_CPU": cpu, "RLIMIT_FSIZE": file_size, "RLIMIT_NOFILE": 128, "RLIMIT_CORE": 0}
    if memory:
        wanted["RLIMIT_AS"] = memory
    if os.geteuid() != 0:  # for root the kernel does not count
        wanted["RLIMIT_NPROC"] = processes
    done = [name for name, value in wanted.items() if _set_limit(resource, name, value)]
    names = {"RLIMIT_CPU": "CPU", "RLIMIT_AS": "memory", "RLIMIT_FSIZE": "file size", "RLIMIT_NPROC": "processes"}
    missing = [text for name, text in names.items() if name not in done]
    held = ", ".join(["wall time", "output", *(text for name, text in names.items() if name in done)])
    report["limits"] = held + (f"; NOT limited: {', '.join(missing)}" if missing else "")


def _set_limit(resource: Any, name: str, value: int) -> bool:
    try:
        which = getattr(resource, name)
        hard = resource.getrlimit(which)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (value, value))
    except (AttributeError, OSError, ValueError):
        return False
    return True


def address_space() -> int:
    """Bytes of memory that this process has mapped; 0 if that cannot be known."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def tasks_of_user() -> int:
    """How many threads this user runs: a limit that is not above that number would stop every new one."""
    total = 0
    for tasks in Path("/proc").glob("[0-9]*/task") if _linux() else ():
        with contextlib.suppress(OSError):
            told = tasks.stat()
            total += told.st_nlink - 2 if told.st_uid == os.geteuid() else 0
    return total


def offer_to_be_killed() -> None:
    """When the machine runs out of memory, the kernel shall end student code first, and not the grader."""
    if _linux():
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000")


# ----------------------------------------------------------------------------------------- Landlock


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("access", ctypes.c_uint64), ("folder", ctypes.c_int32))


def confine_files(readable: list[str], temp: str, tree: bool, report: dict[str, str]) -> None:
    """Hide every file but Python, the system's libraries and `temp`, by Landlock where the kernel has it.

    `tree` tells that the worker is in a file tree of its own already.
    """
    seen = "only Python and the system's libraries, read-only, and a temporary folder"
    report["files"] = "NOT hidden: student code can read what its user can read"
    if tree:
        report["files"] = f"{seen} of limited size (mount namespace)"
    if not _linux():
        return
    libc = _libc()
    version = libc.syscall(LANDLOCK_CREATE, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return
    rights = ALL_RIGHTS[max(key for key in ALL_RIGHTS if key <= version)]
    rules = _Ruleset(rights, 3, 3)
    size = 8 if version < 4 else 16 if version < 6 else 24
    ruleset = libc.syscall(LANDLOCK_CREATE, ctypes.byref(rules), ctypes.c_size_t(size), 0)
    if ruleset < 0:
        return
    for path in (*SYSTEM_FOLDERS, *readable):
        _allow(libc, ruleset, path, READ_ONLY)
    for path in DEVICES:
        _allow(libc, ruleset, path, READ_ONLY | 2)
    _allow(libc, ruleset, temp, rights)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.syscall(LANDLOCK_RESTRICT, ruleset, 0) == 0:
        open_still = "Landlock; file modes, local sockets and the size of the folder are NOT guarded"
        report["files"] = f"{seen} of limited size (mount namespace, Landlock)" if tree else f"{seen} ({open_still})"
        if version >= 4 and "NOT" in report["network"]:
            report["network"] = "no TCP (Landlock); other protocols are NOT cut off"
    os.close(ruleset)


def _allow(libc: Any, ruleset: int, path: str, rights: int) -> None:
    try:
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not stat.S_ISDIR(os.fstat(folder).st_mode):
        rights &= FILE_RIGHTS
    rule = _Beneath(rights, folder)
    libc.syscall(LANDLOCK_ADD, ruleset, 1, ctypes.byref(rule), 0)
    os.close(folder)
