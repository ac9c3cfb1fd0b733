# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks whose weights are in another file."""

import ctypes

import pytest

np = pytest.importorskip("numpy")
import qbackend  # noqa: E402

NETWORK = """
ml_program.global private @w(#ml_program.extern : tensor<4x4xf32>) : tensor<4x4xf32>
func.func @main(%x: tensor<1x4xf32>, %b: tensor<1x4xf32> {qbackend.name = "b"})
    -> tensor<1x4xf32> {
  %w = ml_program.global_load_const @w : tensor<4x4xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x4xf32>, tensor<4x4xf32>)
    outs(%b : tensor<1x4xf32>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}
"""
W = np.arange(16, dtype="f4").reshape(4, 4)
B = np.full((1, 4), 0.5, "f4")
X = np.linspace(-1, 1, 8, dtype="f4").reshape(2, 4)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "net.mlir").write_text(NETWORK)
    np.savez(tmp_path / "w.npz", w=W, b=B)
    np.savez(tmp_path / "few.npz", w=W)
    np.savez(tmp_path / "wide.npz", w=np.zeros((4, 5), "f4"), b=B)
    return tmp_path


def test_weights_are_bound(files):
    model = qbackend.load(files / "net.mlir", weights=files / "w.npz")
    assert [each.name for each in model.inputs] == ["arg0"]
    np.testing.assert_array_equal(model.run(X), X @ W + B)
    # And so they are of what is made of it.
    model.calibrate(X)
    quantized = model.quantize()
    assert "ml_program" not in quantized.text()
    np.testing.assert_allclose(quantized.run(X), X @ W + B, atol=0.3)


def test_some_are_arguments_still(files):
    model = qbackend.load(files / "net.mlir", weights=files / "few.npz")
    assert [each.name for each in model.inputs] == ["arg0", "b"]


def test_an_error_says_where(files):
    with pytest.raises(qbackend.CompilerError, match="4x5 of float32") as caught:
        qbackend.load(files / "net.mlir", weights=files / "wide.npz")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.file.endswith("net.mlir") and diagnostic.line == 2
    with pytest.raises(qbackend.CompilerError, match="cannot read"):
        qbackend.load(files / "net.mlir", weights=files / "none.safetensors")


@pytest.mark.skipif(
    ctypes.CDLL(None).syscall(444, None, 0, 1) < 1, reason="no Landlock"
)
def test_a_sandbox_reads_them(files):
    model = qbackend.load(files / "net.mlir", weights=files / "w.npz", sandbox=True)
    np.testing.assert_array_equal(model.run(X), X @ W + B)
