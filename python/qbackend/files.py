# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that are there whole or not at all, and folders for what is in between.

What a process that was killed left of either is removed by the next one: names have
the number of the process, as those of the tools do, and what is in use is locked.
compile-to-object.py loads this file without the package.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import re
import secrets
import shutil
import stat
import tempfile
from typing import IO, Any, Callable, Iterator, Optional, Union

Path = Union[str, "os.PathLike[str]"]


#: What nobody sends through a device.
_MOST_OF_DEVICE = 1 << 26


def read_rest(file: IO[bytes]) -> bytes:
    """What `file` has from here. An OSError says that a device has no end."""
    mode = os.fstat(file.fileno()).st_mode
    if not (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)) or file.isatty():
        return file.read()
    data = file.read(_MOST_OF_DEVICE + 1)
    if len(data) > _MOST_OF_DEVICE:
        raise OSError(
            errno.ESPIPE,
            "a device that doesn't end, expected a file or a pipe",
            file.name,
        )
    return data


def write_file(path: Path, write: Callable[[IO[bytes]], Any]) -> None:
    """Gives `write` a file that appears under `path`, or where that leads as a
    symbolic link, when it is complete, with the permissions of the one before. Pipes
    and devices are written as they are. An OSError is about `path`."""
    with _about(path) as name:
        _write_file(name, write)


def move_file(made: Path, path: Path) -> None:
    """Makes the file `made` what is under `path`, as `write_file` does."""
    with _about(path) as name:
        target = _follow_links(name)
        _keep_permissions(target, os.fspath(made))
        try:
            os.replace(made, target)
            return
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
        # A link leads to another file system.
        with open(made, "rb") as file:
            _write_file(name, lambda copy: shutil.copyfileobj(file, copy))


@contextlib.contextmanager
def _about(path: Path) -> Iterator[str]:
    try:
        yield os.fspath(path)
    except OSError as error:
        error.filename = os.fspath(path)
        error.filename2 = None
        raise


@contextlib.contextmanager
def temporary_folder(
    parent: Optional[Path] = None, prefix: str = "qbackend-"
) -> Iterator[str]:
    """A folder in `parent`, by default that of temporary files, which goes with the
    block, or, where the process was killed, with the next one of this `prefix`."""
    inside = tempfile.gettempdir() if parent is None else os.fspath(parent)
    prefix = _shorten(prefix[:-1]) + prefix[-1]
    _remove_leftovers(inside, prefix, 8, stat.S_ISDIR)
    with tempfile.TemporaryDirectory(
        prefix=f"{prefix}{os.getpid()}-", suffix=".tmp", dir=inside
    ) as folder:
        handle = _lock(folder)
        try:
            yield folder
        finally:
            if handle is not None:
                os.close(handle)


def _follow_links(name: str) -> str:
    """The file that a name is of: where its links lead, be it there or not. As the
    kernel does, it refuses links that somebody else put into a folder in which
    everybody may (lib/Support/OutputFile.cpp does, too)."""
    for _ in range(40):  # Linux's limit.
        try:
            link = os.lstat(name)
        except OSError:
            return name
        if not stat.S_ISLNK(link.st_mode):
            return name
        parent = os.path.dirname(name)
        folder = os.stat(parent or ".")
        everybodys = stat.S_ISVTX | stat.S_IWOTH
        if folder.st_mode & everybodys == everybodys and (
            link.st_uid not in (os.geteuid(), folder.st_uid)
        ):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        name = os.path.join(parent, os.readlink(name))
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _keep_permissions(before: str, file: Union[str, int]) -> None:
    """Gives `file` the owner, group and permissions of `before`, if there is such a
    file. Only root gives files away, and only a member a group: else the bits of the
    group are no more than everybody's (lib/Support/OutputFile.cpp does the same)."""
    with contextlib.suppress(FileNotFoundError):
        found = os.stat(before)
        mode = stat.S_IMODE(found.st_mode) & 0o777
        for owner in (found.st_uid, -1):
            with contextlib.suppress(PermissionError):
                os.chown(file, owner, found.st_gid)
                break
        else:
            if os.stat(file).st_gid != found.st_gid:
                mode &= ~0o070 | (mode & 0o007) << 3
        os.chmod(file, mode)


def _write_file(name: str, write: Callable[[IO[bytes]], Any]) -> None:
    if os.path.exists(name) and not os.path.isfile(name):
        # There is nothing to rename onto.
        with open(name, "wb") as device:
            write(device)
        return
    name = _follow_links(name)
    folder, base = os.path.split(name)
    prefix = _shorten(base) + "."
    _remove_leftovers(folder or ".", prefix, 6, stat.S_ISREG)
    # The permissions of a new file are those of any that the process makes.
    mode = os.stat(name).st_mode & 0o666 if os.path.exists(name) else 0o666
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    while True:
        temporary = os.path.join(
            folder, f"{prefix}{os.getpid()}-{secrets.token_hex(3)}.tmp"
        )
        try:
            handle = os.open(temporary, flags, mode)
            break
        except FileExistsError:
            continue
    try:
        with os.fdopen(handle, "wb") as file:
            with contextlib.suppress(OSError):  # Some file systems have no locks.
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Before there is anything in it that not everybody may read.
            _keep_permissions(name, handle)
            write(file)
        os.replace(temporary, name)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _shorten(base: str) -> str:
    """A name that may be as long as names can be, so that there is room for more."""
    data = os.fsencode(base)
    if len(data) <= 100:
        return base
    start = data[:60].decode(errors="ignore")
    return f"{start}-{hashlib.sha256(data).hexdigest()[:16]}"


def _lock(path: str) -> Optional[int]:
    """What holds the lock of `path` until it is closed; None: somebody else has it,
    or nobody can."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass  # Somebody else's.
    return True


def _remove_leftovers(
    folder: str, prefix: str, count: int, is_kind: Callable[[int], bool]
) -> None:
    """What processes left in `folder` that are no more: PREFIX PID-xxxxxx.tmp, with
    `count` letters or digits, of this user, and of this kind of file. A number that is
    no process here may be one of another machine or container, which has it locked."""
    pattern = re.compile(rf"{re.escape(prefix)}(\d+)-[0-9a-z_]{{{count}}}\.tmp")
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        owner = pattern.fullmatch(name)
        if not owner or _is_alive(int(owner[1])):
            continue
        path = os.path.join(folder, name)
        handle = _lock(path)
        if handle is None:
            continue
        found = os.fstat(handle)
        if is_kind(found.st_mode) and found.st_uid == os.geteuid():
            if stat.S_ISDIR(found.st_mode):
                shutil.rmtree(path, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    os.unlink(path)
        os.close(handle)
