# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Object files of networks, by the same script as on the command line."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from .files import Path, write_file

_PACKAGE = pathlib.Path(__file__).resolve().parent
#: utils/compile-to-object.py, which the build puts beside this file.
_SCRIPT = _PACKAGE / "compile-to-object.py"


def _tools() -> pathlib.Path:
    """The folder whose bin has qbackend-opt: that of the build or the prefix."""
    for folder in _PACKAGE.parents:
        if (folder / "bin" / "qbackend-opt").exists():
            return folder
    found = shutil.which("qbackend-opt")
    if found is None:
        raise FileNotFoundError(
            f"an object needs qbackend-opt, which is neither above '{_PACKAGE}' nor on "
            "the PATH"
        )
    return pathlib.Path(found).resolve().parent.parent


def save_object(bytecode: bytes, entry: str, path: Path) -> None:
    """Writes the object file `path` and the C header beside it, which declares the
    function: it is called as the file is. ValueError says what is refused."""
    target = pathlib.Path(os.fspath(path))
    if not target.stem.isidentifier() or not target.stem.isascii():
        raise ValueError(
            f"'{target.name}' gives the C function its name, which can't be "
            f"'{target.stem}'"
        )
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "network.mlirbc"
        source.write_bytes(bytecode)
        done = subprocess.run(
            [
                sys.executable,
                _SCRIPT,
                source,
                "-o",
                pathlib.Path(folder) / target.stem,
                "--function",
                entry,
                "--build",
                _tools(),
            ],
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise ValueError(f"no object: {done.stderr.strip()}")
        for suffix in (".h", ".o"):
            content = (pathlib.Path(folder) / target.stem).with_suffix(suffix)
            data = content.read_bytes()
            write_file(target.with_suffix(suffix), lambda file: file.write(data))
