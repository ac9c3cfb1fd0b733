# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of strangers are parsed, compiled and run in a child process."""

import ctypes
import os
import signal
import socket
import subprocess
import threading
import weakref

import pytest

np = pytest.importorskip("numpy")
import qbackend  # noqa: E402
from qbackend.model import sandbox as sandboxes  # noqa: E402

# landlock_create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION)
if ctypes.CDLL(None).syscall(444, None, 0, 1) < 1:
    pytest.skip("this system has no Landlock", allow_module_level=True)

NETWORK = """
func.func @main(%x: tensor<1x4xf32> {qbackend.name = "x"}) -> tensor<1x4xf32> {
  %w = arith.constant dense<[[0.5, -1.0, 0.25, 0.0], [1.0, 0.5, -0.5, 0.25],
    [0.5, 0.25, 1.0, 0.0], [0.0, 1.0, 0.5, -1.0]]> : tensor<4x4xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x4xf32>, tensor<4x4xf32>)
    outs(%f : tensor<1x4xf32>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}
"""


@pytest.fixture
def network(tmp_path):
    path = tmp_path / "net.mlir"
    path.write_text(NETWORK)
    return path


SAMPLES = np.random.default_rng(3).normal(size=(40, 4)).astype("f4")


def test_a_model_in_a_sandbox_is_the_same(network):
    plain, boxed = (qbackend.load(network, sandbox=box) for box in (False, True))
    assert boxed.inputs == plain.inputs and boxed.text() == plain.text()
    np.testing.assert_array_equal(boxed.run(SAMPLES), plain.run(SAMPLES))
    assert boxed.calibrate(SAMPLES).calibration == plain.calibrate(SAMPLES).calibration
    mine, other = boxed.quantize(), plain.quantize()
    np.testing.assert_array_equal(mine.run(SAMPLES), other.run(SAMPLES))
    assert mine.explain() == other.explain()


def test_the_child_can_do_nothing_else(network):
    sandbox = qbackend.load(network, sandbox=True)._native.sandbox
    with open(f"/proc/{sandbox._process.pid}/status", encoding="ascii") as status:
        assert "Seccomp:\t2\n" in status.readlines()
    (network.parent / "secret.mlir").write_text("module {}")
    with pytest.raises(ValueError, match="cannot read|ermission|not a built-in"):
        sandbox.ask(None, "backend_to_json", [str(network.parent / "secret.mlir")])


def test_errors_are_those_of_the_compiler(network):
    network.write_text("func.func @main(")
    with pytest.raises(qbackend.CompilerError) as error:
        qbackend.load(network, sandbox=True)
    assert error.value.diagnostics[0].line == 1
    with pytest.raises(FileNotFoundError):
        qbackend.load(network.parent / "missing.mlir", sandbox=True)


def test_division_by_zero_in_an_affine_map(network):
    network.write_text(
        """
func.func @main(%x: tensor<1xindex>) -> tensor<1xindex> {
  %c0 = arith.constant 0 : index
  %i = tensor.extract %x[%c0] : tensor<1xindex>
  %q = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%i)[%i]
  %y = tensor.from_elements %q : tensor<1xindex>
  return %y : tensor<1xindex>
}"""
    )
    for sandbox in (False, True):
        model = qbackend.load(network, sandbox=sandbox)
        with pytest.raises(qbackend.CompilerError, match="isn't known to be positive"):
            model.run(np.zeros(1, "i8"))


def test_the_end_of_a_child_is_an_error(network):
    model = qbackend.load(network, sandbox=True)
    # A signal that sanitizers leave alone.
    os.kill(model._native.sandbox._process.pid, signal.SIGKILL)
    with pytest.raises(qbackend.CompilerError, match=r"the sandbox ended \(SIGKILL\)"):
        model.run(SAMPLES)


def test_nothing_of_it_is_compiled_outside(network, tmp_path):
    model = qbackend.load(network, sandbox=True)
    for name in ("net.o", "net.onnx"):
        with pytest.raises(ValueError, match="outside of the model's sandbox"):
            model.save(tmp_path / name)
    plain = qbackend.load(network)
    with pytest.raises(TypeError, match="outside of this model's sandbox"):
        model._native.report("compare_operators", plain._loaded(), {}, {})


def test_children_end_with_their_models(network):
    model = qbackend.load(network, sandbox=True)
    process = model._native.sandbox._process
    del model
    assert process.poll() is not None


@pytest.mark.parametrize("said", [("value",), "text", ("other", 1)])
def test_an_answer_that_is_none(network, monkeypatch, said):
    model = qbackend.load(network, sandbox=True)
    sandbox = model._native.sandbox
    monkeypatch.setattr("qbackend.model.sandbox._receive", lambda *rest: said)
    with pytest.raises(qbackend.CompilerError, match="said what is no answer"):
        model.run(SAMPLES)
    assert sandbox._process.poll() is not None


def test_nothing_is_imported_from_the_current_folder(network, tmp_path, monkeypatch):
    folder = tmp_path / "here"
    folder.mkdir()
    mark = folder / "imported"
    (folder / "json.py").write_text(f"open({str(mark)!r}, 'w')\nraise ImportError\n")
    monkeypatch.chdir(folder)
    assert qbackend.load(network, sandbox=True).text()
    assert not mark.exists()


@pytest.fixture
def taken_over():
    """A sandbox, and what its child says by."""
    ours, theirs = socket.socketpair()
    box = sandboxes.Sandbox.__new__(sandboxes.Sandbox)
    box._process = subprocess.Popen(["sleep", "60"])
    box._connection, box._lock = ours, threading.Lock()
    box._end = weakref.finalize(box, sandboxes._end, box._process, ours)
    with theirs:
        yield box, theirs
    box._end()


def raw(head, size=None):
    return (len(head) if size is None else size).to_bytes(8, "little") + head


@pytest.mark.parametrize(
    "said",
    [
        raw(b'[{"tuple": ["value", {"bytes": null}]}, []]'),
        raw(b'[{"tuple": ["value", {"array": ["f4,(", [1]]}]}, [4]]') + b"1234",
        raw(b'[{"tuple": ["value", {"array": ["f4", {}]}]}, [4]]') + b"1234",
        raw(b'[{"tuple": ["value", {}]}, []]'),
        raw(b'[["refused", [[1, 2]]], []]'),
        raw(b"", 1 << 63),
    ],
    ids=range(6),
)
def test_bytes_that_are_no_answer(taken_over, said):
    box, theirs = taken_over
    theirs.sendall(said)
    with pytest.raises(qbackend.CompilerError, match="said what is no answer"):
        box.ask(None, "text", [])
    assert box._process.poll() is not None


def test_a_child_that_closes_and_stays(taken_over, monkeypatch):
    box, theirs = taken_over
    monkeypatch.setattr(sandboxes, "_LAST_SECONDS", 0.1)
    theirs.close()
    with pytest.raises(qbackend.CompilerError, match=r"ended \(SIGKILL\)"):
        box.ask(None, "text", [])


def test_an_end_by_a_signal_without_a_name(taken_over):
    box, theirs = taken_over
    theirs.close()
    os.kill(box._process.pid, signal.SIGRTMIN + 6)
    with pytest.raises(qbackend.CompilerError, match=r"ended \(signal \d+\)"):
        box.ask(None, "text", [])


def test_an_interrupt_while_it_is_asked(taken_over, monkeypatch):
    box, _ = taken_over

    def interrupted(*rest):
        raise KeyboardInterrupt

    monkeypatch.setattr(sandboxes, "_send", interrupted)
    with pytest.raises(KeyboardInterrupt):
        box.ask(None, "text", [])
    assert box._process.poll() is not None
