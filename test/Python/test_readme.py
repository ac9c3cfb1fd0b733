# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What README shows is what comes, from a directory as its reader has it."""

import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BUILD = pathlib.Path(shutil.which("qbackend-opt")).parents[1]
TEXT = (ROOT / "README.md").read_text()


def blocks(heading, language):
    section = TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```", section, flags=re.M | re.S)


@pytest.fixture
def checkout(tmp_path):
    """A directory with the build and the examples, where commands may write."""
    (tmp_path / "build").symlink_to(BUILD)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    return tmp_path


def run(command, folder):
    return subprocess.run(["bash", "-e", "-c", command], cwd=folder, check=True,
                          capture_output=True, text=True)


def test_network_is_the_file():
    network, _ = blocks("In, and out", "mlir")
    assert network == (ROOT / "examples" / "first" / "net.mlir").read_text()


def test_command_gives_what_is_shown(checkout):
    (command,) = blocks("In, and out", "sh")
    _, shown = blocks("In, and out", "mlir")
    done = run(command, checkout)
    body = done.stdout.partition("{\n    %0")[2].partition("    return")[0]
    assert ("%0" + body).replace("\n    ", "\n") == shown
    (remark,) = blocks("In, and out", "text")
    assert remark.strip() in done.stderr


def test_doors_lead_to_the_same_integers(checkout):
    (commands,) = blocks("Three doors", "sh")
    done = run(commands, checkout)
    assert "output0" in done.stdout
    quantize = blocks("In, and out", "sh")[0].replace("examples/first/net.mlir", "{}")
    assert (checkout / "net.int8.onnx").stat().st_size > 0
    # The argument of the network that was written by hand has no name, and only a .pt2
    # says of what classes its modules are.
    modules = {
        re.sub(r" attributes \{qbackend.module_types.*\}(?= \{\n)| \{qbackend.name = .*?\}",
               "", run(quantize.format(f"examples/first/net.{form}"), checkout).stdout)
        for form in ("pt2", "onnx", "mlir")
    }
    assert len(modules) == 1
