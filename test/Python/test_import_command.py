# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command qbackend-import."""

import os
import resource
import shutil
import signal
import stat
import subprocess
import time

import numpy as np
import pytest

import onnx_writer
import qbackend
from exported import Network


def network(path, operator="aten.relu.default"):
    net = Network()
    x = net.input("x", [1, 4])
    net.outputs = [net.node(operator, [1, 4], "act", "torch.nn.modules.X", self=x)]
    return net.save(path)


def command(*arguments, **options):
    return subprocess.run(["qbackend-import", *map(str, arguments)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          **options)


def test_bytecode_and_text(tmp_path):
    network(tmp_path / "net.pt2")
    for name, head in (("net.mlirbc", b"ML\xefR"), ("net.mlir", b"#loc"),
                       ("net", b"ML\xefR")):
        done = command(tmp_path / "net.pt2", "-o", tmp_path / name)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert (tmp_path / name).read_bytes().startswith(head)
    text = (tmp_path / "net.mlir").read_bytes()
    assert command(tmp_path / "net.pt2").stdout == text
    assert command(tmp_path / "net.pt2", "-o", "-").stdout == text
    # Whoever may read what others write may read this.
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((tmp_path / "net").stat().st_mode) == 0o666 & ~mask


def test_version():
    said = [subprocess.run([program, "--version"], stdout=subprocess.PIPE,
                           text=True, check=True).stdout.splitlines()[-1]
            for program in ("qbackend-import", "qbackend-opt")]
    assert said[0] == said[1].strip() and said[0].startswith("qbackend version ")


def test_the_compiler_takes_it(tmp_path):
    network(tmp_path / "net.pt2")
    command(tmp_path / "net.pt2", "-o", tmp_path / "net.mlirbc")
    done = subprocess.run(
        ["qbackend-opt", "--qbackend-print-operators", tmp_path / "net.mlirbc"],
        stdout=subprocess.PIPE, text=True)
    assert done.stdout.startswith("0: relu")


def test_tools_import_what_they_are_given(tmp_path):
    network(tmp_path / "net.pt2")
    onnx = command(tmp_path / "net.pt2", "-o", tmp_path / "net.onnx", text=True)
    assert onnx.returncode == 0, onnx.stderr
    np.savez(tmp_path / "x.npz", x=np.array([[-1, 2, -3, 4]], "f4"))

    def tool(*arguments, code=0):
        done = subprocess.run([*map(str, arguments)], cwd=tmp_path, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert done.returncode == code, done
        return done.stderr if code else done.stdout

    for name in ("net.pt2", "net.onnx"):
        assert tool("qbackend-opt", "--qbackend-print-operators", name).startswith(
            "0: relu")
        tool("qbackend-run", name, "--input=x.npz", "-o", "y.npy")
        assert np.load(tmp_path / "y.npy").tolist() == [[0, 2, 0, 4]]
        tool("qbackend-translate", "--qbackend-to-onnx", name, "-o", "again.onnx")
        assert (tmp_path / "again.onnx").read_bytes() == (
            tmp_path / "net.onnx").read_bytes()
        assert "qbackend-raise" in tool("qbackend-stages", name)
    # What can't be imported is one line.
    network(tmp_path / "odd.pt2", "acme.swizzle.default")
    assert tool("qbackend-opt", "odd.pt2", code=1) == (
        "qbackend-opt: error: cannot import 'odd.pt2': odd.pt2: operator is not "
        "supported:\n  acme.swizzle.default (once at 'act')\n"
        "program.run_decompositions() before torch.export.save takes those apart that "
        "are made of other operators\n")
    (tmp_path / "text.onnx").write_text("module {}")
    for name in ("text.onnx", "none.pt2"):
        said = tool("qbackend-opt", name, code=1)
        assert name in said and said.count("\n") == 1, said
    # Nothing is left, here or where temporary files are.
    assert not [name for name in os.listdir(tmp_path) if ".tmp" in name]


def test_a_tool_without_an_importer_says_how_to_import(tmp_path):
    network(tmp_path / "net.pt2")
    tool = shutil.which("qbackend-opt")
    # Beside its name isn't beside itself: a copy.
    shutil.copy(tool, tmp_path / "qbackend-opt")
    done = subprocess.run([tmp_path / "qbackend-opt", "net.pt2"], cwd=tmp_path,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and not done.stdout
    assert done.stderr.endswith(
        "error: 'net.pt2' is no MLIR; import it first: "
        "qbackend-import net.pt2 -o net.mlirbc\n")
    # What a pipe gives has no name to tell by.
    data = (tmp_path / "net.pt2").read_bytes()
    done = subprocess.run(["qbackend-opt"], input=data, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert done.returncode == 1 and not done.stdout
    assert b"'<stdin>' is binary, and no MLIR bytecode" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_unknown_operators_are_one_error(tmp_path):
    network(tmp_path / "net.pt2", "acme.swizzle.default")
    done = command(tmp_path / "net.pt2", "-o", tmp_path / "net.mlir", text=True)
    assert done.returncode == 1 and not done.stdout
    assert done.stderr == (
        f"qbackend-import: error: {tmp_path}/net.pt2: operator is not supported:\n"
        "  acme.swizzle.default (once at 'act')\n"
        "program.run_decompositions() before torch.export.save takes those apart that "
        "are made of other operators\n")
    assert os.listdir(tmp_path) == ["net.pt2"]


@pytest.mark.parametrize("name, message", [
    ("missing.pt2", "No such file or directory"),
    (".", "Is a directory"),
    ("empty.pt2", "the file is empty"),
    ("text.onnx", "damaged|no graph"),
])
def test_input_errors(tmp_path, name, message):
    (tmp_path / "empty.pt2").write_bytes(b"")
    (tmp_path / "text.onnx").write_text("hello there, this is no model\n")
    done = command(tmp_path / name, "-o", tmp_path / "net.mlir", text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("qbackend-import: error: ")
    assert any(m in done.stderr for m in message.split("|"))
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "net.mlir").exists()


def test_output_errors(tmp_path):
    network(tmp_path / "net.pt2")
    done = command(tmp_path / "net.pt2", "-o", tmp_path / "no" / "net.mlir",
                   text=True)
    assert done.returncode == 1 and "isn't there" in done.stderr
    # What was there stays when the import fails.
    (tmp_path / "old.mlir").write_text("old")
    done = command(tmp_path / "missing.pt2", "-o", tmp_path / "old.mlir")
    assert done.returncode == 1
    assert (tmp_path / "old.mlir").read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["net.pt2", "old.mlir"]


def test_usage():
    done = command(text=True)
    assert done.returncode == 2 and "usage: qbackend-import" in done.stderr
    assert "--format" in command("--help", text=True).stdout


def test_a_reader_that_stops(tmp_path):
    net = Network()
    x = net.input("x", [1, 500])
    w = np.zeros((500, 500), np.float32)
    w[0, 0] = 1
    net.outputs = [net.node("aten.linear.default", [1, 500], input=x,
                            weight=net.weight("w", w))]
    net.save(tmp_path / "net.pt2")
    done = subprocess.run(f"qbackend-import {tmp_path}/net.pt2 | head -c 10",
                          shell=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert done.stdout == b'#loc0 = lo' and done.stderr == b""


def test_streams_without_room():
    """An error, or nothing where nobody listens; no traceback."""
    for words in ("--help", "--print-manual"):
        with open("/dev/full", "w") as full:
            done = subprocess.run(["qbackend-import", words], stdout=full,
                                  stderr=subprocess.PIPE)
        assert done.returncode == 1
        assert done.stderr == (b"qbackend-import: error: cannot write '-': "
                               b"No space left on device\n")
        done = subprocess.run(f"qbackend-import {words} | true", shell=True,
                              stderr=subprocess.PIPE)
        assert done.stderr == b""


def test_no_room_for_the_module(tmp_path):
    """The error names what is written, not what was read."""
    net = Network()
    net.outputs = [net.node("aten.relu.default", [1, 4], self=net.input("x", [1, 4]))]
    net.save(tmp_path / "net.pt2")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))

    output = tmp_path / "net.mlirbc"
    done = subprocess.run(["qbackend-import", tmp_path / "net.pt2", "-o", output],
                          stderr=subprocess.PIPE, preexec_fn=limit)
    assert done.returncode == 1
    assert done.stderr.decode() == (f"qbackend-import: error: cannot write '{output}': "
                                    "File too large\n")
    assert [path.name for path in tmp_path.iterdir()] == ["net.pt2"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(["qbackend-import", tmp_path / "net.pt2"], stdout=full,
                              stderr=subprocess.PIPE)
    assert done.returncode == 1
    assert done.stderr == (b"qbackend-import: error: cannot write '-': "
                           b"No space left on device\n")


def test_documentation():
    """What the build installs has each option and the choices of --format."""
    manual = command("--print-manual").stdout.decode()
    assert manual.startswith(".TH QBACKEND-IMPORT 1\n.SH NAME\nqbackend\\-import \\- ")
    for text in ("\\fB\\-o\\fR \\fIFILE\\fR", "\\fB\\-\\-format\\fR \\fIonnx|pt2\\fR"):
        assert f".TP\n{text}\n" in manual
    completion = command("--print-completion").stdout.decode()
    assert '  --format) words="onnx pt2" ;;' in completion
    assert completion.endswith(
        "complete -o filenames -F _qbackend_import qbackend-import\n")


def seconds_used(pid):
    """Seconds of the processor that a process has used."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_interrupted(tmp_path):
    """Ends by the signal, without a traceback or a file."""
    graph = onnx_writer.Graph(13)
    x = graph.input("x", [1, 4])
    for i in range(40000):
        x = graph.node("Add", x, graph.constant(np.full(4, i, "f4")))
    graph.output(x)
    graph.save(tmp_path / "long.onnx")
    process = subprocess.Popen(
        ["qbackend-import", tmp_path / "long.onnx", "-o", tmp_path / "out.mlir"],
        stderr=subprocess.PIPE,
        # Who runs tests may ignore it, and children with them.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    # In the middle of its work: that takes much more of the processor.
    end = time.monotonic() + 300
    while seconds_used(process.pid) < 2:
        assert process.poll() is None and time.monotonic() < end
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=20)[1]
    assert (process.returncode, said) == (-signal.SIGINT, b"")
    assert [path.name for path in tmp_path.iterdir()] == ["long.onnx"]


def test_what_is_not_valid_names_its_operator(tmp_path):
    """A fault of the importer's is an error with the operator, whatever the form."""
    module = qbackend.from_pt2(network(tmp_path / "net.pt2"))
    module._lines = [line.replace("arith.maximumf", "arith.maxsi")
                     for line in module._lines]
    for name in ("net.mlir", "net.mlirbc"):
        with pytest.raises(qbackend.ImportFailure, match="'act' became what is not "
                           "valid: .*maxsi.*a fault of this importer"):
            module.save(tmp_path / name)
    assert os.listdir(tmp_path) == ["net.pt2"]
