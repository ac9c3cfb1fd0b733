# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Object files of networks, by the same script as on the command line."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
from typing import Union

from ..files import Path, temporary_folder, write_file

_PACKAGE = pathlib.Path(__file__).resolve().parents[1]
#: utils/compile-to-object.py, which the build puts into the package.
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


def _run_script(*arguments: Union[str, pathlib.Path]) -> None:
    with subprocess.Popen(
        [sys.executable, _SCRIPT, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            said = process.communicate()[1]
        except BaseException:
            # It ends what it has started, too.
            process.terminate()
            raise
    if process.returncode != 0:
        raise ValueError(f"no object: {said.strip()}")


def save_object(bytecode: bytes, entry: str, path: Path) -> None:
    """Writes the object file `path` and the C header beside it, which declares the
    function: it is called as the file is. ValueError says what is refused."""
    target = pathlib.Path(os.fspath(path))
    if not target.stem.isidentifier() or not target.stem.isascii():
        raise ValueError(
            f"'{target.name}' gives the C function its name, which can't be "
            f"'{target.stem}'"
        )
    with temporary_folder() as folder:
        source = pathlib.Path(folder) / "network.mlirbc"
        source.write_bytes(bytecode)
        made = pathlib.Path(folder) / target.stem
        _run_script(source, "-o", made, "--function", entry, "--build", _tools())
        for suffix in (".h", ".o"):
            data = made.with_suffix(suffix).read_bytes()
            write_file(target.with_suffix(suffix), lambda file: file.write(data))
