"""A file tree of the worker's own: the wanted paths read-only, one small temporary folder, and nothing else.

Landlock guards what files contain; a tree also keeps away their names, modes and times, and local sockets,
and it bounds how much student code can store. Needs a mount namespace, so root or a user namespace, and
Linux 5.12. Standard library only: the launcher loads this file by its path.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import Any

__all__ = ["enter"]

NEW_MOUNTS = 0x00020000
NOSUID, NODEV, BIND, RECURSIVE, PRIVATE, DETACH = 2, 4, 4096, 16384, 1 << 18, 2
MOUNT_SETATTR, HERE, WHOLE_TREE = 442, -100, 0x8000
SIZE, FILES = 64, 4096  # MiB and number of files in the temporary folder


class _Attributes(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "namespace"))


def enter(readable: list[str], temp: str) -> bool:
    """Make a tree of `readable` and an empty `temp` the root. False, and nothing has changed, if that cannot be."""
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_MOUNTS) != 0 or not _mount(libc, None, "/", RECURSIVE | PRIVATE):
        return False
    if not _mount(libc, "tmpfs", temp, NOSUID | NODEV, b"mode=755"):
        return False
    old_mask = os.umask(0o022)
    try:
        entered = _fill(libc, readable, temp) and _become_root(libc, temp)
    except OSError:
        entered = False
    os.umask(old_mask)
    if not entered:
        libc.umount2(os.fsencode(temp), DETACH)
    os.chdir(temp)
    return entered


def _fill(libc: Any, readable: list[str], temp: str) -> bool:
    for path in _outermost(readable):
        target = Path(temp + path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.mkdir() if os.path.isdir(path) else target.touch()
        if not _mount(libc, path, str(target), BIND | RECURSIVE):
            return False
    os.makedirs(temp + temp)
    closed = _Attributes(1 | NOSUID)
    arguments = (HERE, os.fsencode(temp), WHOLE_TREE, ctypes.byref(closed), ctypes.c_size_t(ctypes.sizeof(closed)))
    if libc.syscall(MOUNT_SETATTR, *arguments) != 0:
        return False
    return _mount(libc, "tmpfs", temp + temp, NOSUID | NODEV, f"size={SIZE}m,nr_inodes={FILES},mode=700".encode())


def _outermost(paths: list[str]) -> list[str]:
    """The paths that exist, without those inside another one."""
    found: list[str] = []
    for path in sorted(os.path.abspath(path) for path in paths if os.path.exists(path)):
        if not any(Path(path).is_relative_to(other) for other in found):
            found.append(path)
    return found


def _become_root(libc: Any, tree: str) -> bool:
    """The old root is stacked upon the new one, then taken away."""
    os.chdir(tree)
    return libc.pivot_root(b".", b".") == 0 and libc.umount2(b".", DETACH) == 0


def _mount(libc: Any, source: str | None, target: str, flags: int, options: bytes | None = None) -> bool:
    name = None if source is None else os.fsencode(source)
    kind = b"tmpfs" if source == "tmpfs" else None
    done: int = libc.mount(name, os.fsencode(target), kind, ctypes.c_ulong(flags), options)
    return done == 0
