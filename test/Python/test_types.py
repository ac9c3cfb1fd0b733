# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types of the package, checked by mypy where it is installed."""

import doctest
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest
import qbackend


PACKAGE = pathlib.Path(qbackend.__file__).parent
ROOT = pathlib.Path(__file__).parents[2]
#: PyTorch need not be there.
OPTIONS = ["--strict", "--ignore-missing-imports", "--follow-imports=silent"]


def documented():
    """The examples of the documents, and the script that is one."""
    for name in ("README.md", "docs/Python.md", "docs/Importing.md"):
        text = (ROOT / name).read_text()
        yield from re.findall(r"^```python\n(.*?)^```", text, flags=re.M | re.S)
        for block in re.findall(r"^```text\n(>>> .*?)^```", text, flags=re.M | re.S):
            yield doctest.script_from_examples(block)
    yield (ROOT / "examples" / "quantize.py").read_text()


@pytest.mark.skipif(
    importlib.util.find_spec("mypy") is None, reason="mypy isn't installed"
)
def test_package_and_documented_examples_are_typed(tmp_path):
    # What reads other formats is typed less strictly.
    files = [
        path
        for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")])
        if "importers" not in path.relative_to(PACKAGE).parts
        # A script that is no module.
        and path.stem.isidentifier()
    ]
    for i, source in enumerate(documented()):
        files.append(tmp_path / f"example_{i}.py")
        files[-1].write_text(source)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            *OPTIONS,
            "--cache-dir",
            tmp_path / "cache",
            *files,
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
    )
    # Parts of examples name what the text around them is about.
    missing = re.compile(r"/example_\d+\.py:\d+: error: Name .* \[name-defined\]$")
    errors = [
        line
        for line in done.stdout.splitlines()
        if ": error:" in line and not missing.search(line)
    ]
    assert not errors, "\n".join(errors)
    assert done.stdout.splitlines()[-1].endswith(f"{len(files)} source files)") or (
        "no issues found" in done.stdout
    ), done.stdout + done.stderr


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
    for node in ast.parse(stub.read_text()).body:
        if isinstance(node, ast.ClassDef):
            methods = {f.name for f in node.body if isinstance(f, ast.FunctionDef)}
            assert methods - {"__init__"} == {
                name
                for name in vars(getattr(_native, node.name))
                if not name.startswith("_")
            }
