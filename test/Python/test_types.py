# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types of the package, checked by mypy where it is installed."""

import importlib.util
import pathlib
import subprocess
import sys

import pytest
import qbackend


@pytest.mark.skipif(
    importlib.util.find_spec("mypy") is None, reason="mypy isn't installed"
)
def test_package_is_typed(tmp_path):
    package = pathlib.Path(qbackend.__file__).parent
    # What reads other formats is typed less strictly.
    files = [
        str(path)
        for path in sorted([*package.rglob("*.py"), *package.rglob("*.pyi")])
        if "importers" not in path.relative_to(package).parts
    ]
    # PyTorch need not be there.
    options = ["--strict", "--ignore-missing-imports", "--follow-imports=silent"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "--cache-dir", str(tmp_path), *files],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_name_all_that_the_compiler_has():
    import ast

    stub = pathlib.Path(qbackend.__file__).parent / "_native.pyi"
    named = {
        node.name
        for node in ast.parse(stub.read_text()).body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }
    from qbackend import _native

    assert named == {name for name in vars(_native) if not name.startswith("_")}
    methods = {
        node.name
        for node in ast.walk(ast.parse(stub.read_text()))
        if isinstance(node, ast.ClassDef)
        for node in node.body
        if isinstance(node, ast.FunctionDef)
    }
    assert methods - {"__init__"} == {
        name for name in vars(_native.Observer) if not name.startswith("_")
    }
