# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from typing import IO, Any, Callable, Union

Path = Union[str, "os.PathLike[str]"]


def write_file(path: Path, write: Callable[[IO[bytes]], Any]) -> None:
    """Gives `write` a file that appears under `path` when it is complete. Pipes and
    devices are written as they are. An OSError is about `path`."""
    try:
        _write_file(os.fspath(path), write)
    except OSError as error:
        error.filename = os.fspath(path)
        error.filename2 = None
        raise


def _write_file(name: str, write: Callable[[IO[bytes]], Any]) -> None:
    if os.path.exists(name) and not os.path.isfile(name):
        # There is nothing to rename onto.
        with open(name, "wb") as device:
            write(device)
        return
    folder = os.path.dirname(name) or "."
    handle, temporary = tempfile.mkstemp(
        dir=folder, prefix="." + os.path.basename(name)[:100] + "."
    )
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, name)
    except BaseException:
        os.unlink(temporary)
        raise
