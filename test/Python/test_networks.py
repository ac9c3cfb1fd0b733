# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The trained networks of the examples, from a file to integers in a few lines."""

import subprocess

import networks
import numpy as np
import pytest
import qbackend
from qbackend import Model

DATA = networks.ROOT / "examples" / "data"


@pytest.mark.parametrize(
    "name, data, real, integer",
    # PyTorch's accuracies: test/Integration/reference, configuration `default`.
    [
        ("lenet5", "mnist_digits", 0.980, 0.980),
        ("resnet8", "fashion_mnist", 0.931, 0.928),
        ("mbv2tiny", "fashion_mnist", 0.905, 0.905),
    ],
)
def test_trained_network(tmp_path, name, data, real, integer):
    path = networks.export(name, tmp_path)
    samples = np.load(DATA / f"{data}.npz")
    images, labels = samples["test_images"], samples["test_labels"]

    model = qbackend.load(path).calibrate(samples["calib_images"], input_scale="1/255")
    q = model.quantize("qnnpack")
    assert float(model.evaluate(images, labels, input_scale="1/255")) == real
    assert float(q.evaluate(images, labels, input_scale="1/255")) == integer
    assert not q.explain().missed() and q.summary().quantized_percent == 100
    (difference,) = q.compare(model, images, input_scale="1/255")
    assert difference.sqnr > 32

    # What the command line makes of the same samples, bit for bit.
    np.save(tmp_path / "x.npy", samples["calib_images"])
    text = qbackend.apply_backend(
        path.read_text(), data=str(tmp_path / "x.npy"), input_scale="1/255"
    )
    (tmp_path / "int.mlir").write_text(text)
    printed = subprocess.run(
        ["qbackend-run", path, f"--compare={tmp_path}/int.mlir", "--input-scale=1/255",
         f"--input={DATA}/{data}.npz:test_images"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert str(difference).replace(
        f", cosine {difference.cosine:.6f}", ""
    ) == printed.stdout.strip().split(", accuracy")[0]
    x = images[:50]
    np.testing.assert_array_equal(
        q.run(x, input_scale="1/255"), Model(text).run(x, input_scale="1/255")
    )
