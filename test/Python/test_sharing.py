# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which values share an observer, in `calibrate` and in `quantize`."""

import re
import warnings

import numpy as np
import pytest
import qbackend
from qbackend import Model


SHARED = """
func.func @main(%x: tensor<1x4x4x2xf32> loc("x")) -> tensor<1x2x2x4xf32> {
  %e = tensor.empty() : tensor<1x4x4x2xf32>
  %a = linalg.add ins(%x, %x : tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>)
    outs(%e : tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> loc("a")
  %low = arith.constant dense<0xFF800000> : tensor<1x2x2x2xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %p = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
    ins(%a, %w : tensor<1x4x4x2xf32>, tensor<2x2xf32>)
    outs(%low : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("pool")
  %q = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
    ins(%x, %w : tensor<1x4x4x2xf32>, tensor<2x2xf32>)
    outs(%low : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("pool2")
  %f = tensor.empty() : tensor<1x2x2x2xf32>
  %b = linalg.mul ins(%q, %q : tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>)
    outs(%f : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("b")
  %y = tensor.concat dim(3) %b, %p :
    (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x2x4xf32> loc("cat")
  return %y : tensor<1x2x2x4xf32>
}
"""


def test_a_table_is_of_its_sharing(tmp_path):
    """Averages of a table are those of the values that shared an observer when it
    was made: with another `sharing` there are none, which a warning says."""
    mapping = qbackend.QConfigMapping().set_global(
        qbackend.QConfig(
            qbackend.MovingAverageMinMaxObserver.with_args(averaging_constant=0.5),
            qbackend.default_weight_observer,
        )
    )
    sizes = np.array([1, 4, 2, 1], np.float32).reshape(4, 1, 1, 1)
    x = np.random.default_rng(0).uniform(-1, 1, (4, 4, 4, 2)).astype("f4") * sizes
    np.savez(tmp_path / "x.npz", x=x)

    def scales(model):
        model.save(str(tmp_path / "q.mlir"))
        text = (tmp_path / "q.mlir").read_text()
        return sorted(set(re.findall(r"u8:f32, ([\d.e+-]+)", text)))

    def calibrated(**options):
        return Model(SHARED).calibrate(x, qconfig=mapping, batch_size=1, **options)

    wanted = {
        sharing: scales(
            Model(SHARED).quantize(
                qconfig=mapping,
                sharing=sharing,
                data=str(tmp_path / "x.npz"),
                batch_size=1,
                lower_to="reference",
            )
        )
        for sharing in ("fx", "groups")
    }
    assert wanted["fx"] != wanted["groups"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for sharing in ("fx", "groups"):
            model = calibrated(sharing=sharing)
            assert scales(model.quantize(lower_to="reference")) == wanted[sharing]
    # All that has the options of `quantize`; a table of another run is its own.
    model = calibrated(sharing="fx")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.stages(lower_to="reference")
        assert model.explain_operator("a")
        path = tmp_path / "groups.json"
        path.write_text(calibrated().calibration)
        quantized = model.quantize(calibration=str(path), lower_to="reference")
        assert scales(quantized) == wanted["groups"]
    for ask in (model.sensitivity, lambda x: model.tune(
            x, str(tmp_path / "tuned.mlir"), keep_sqnr=10)):
        with pytest.raises(ValueError, match="sharing='fx'"):
            ask(x)
    model.calibration = path.read_text()
    assert scales(model.quantize(lower_to="reference")) == wanted["groups"]
    with pytest.warns(UserWarning, match=r"averages of '\w+' only with .*sharing="):
        calibrated().quantize(sharing="fx", lower_to="reference")
    with pytest.raises(Exception, match="sharing is 'all', expected groups or fx"):
        calibrated(sharing="all")
