# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What three tutorials of PyTorch do with torch.ao.quantization, as docs/
MovingOffTorchAo.md moves it: static, dynamic, and with a backend of one's own.
Networks are archives of torch.export.save."""

import numpy as np
import pytest

import qbackend
import qbackend.torch as torch
from qbackend.torch import nn
from qbackend.torch.ao.quantization import (
    MinMaxObserver,
    QConfig,
    QConfigMapping,
    default_dynamic_qconfig,
    default_weight_observer,
    float_qparams_weight_only_qconfig,
    get_default_qconfig_mapping,
)
from qbackend.torch.ao.quantization.backend_config import (
    BackendConfig,
    BackendPatternConfig,
    DTypeConfig,
    DTypeWithConstraints,
    ObservationType,
    get_qnnpack_backend_config,
)

from exported import Network

RNG = np.random.default_rng(33)


def array(*shape, scale=1.0):
    return (scale * RNG.uniform(-1, 1, shape)).astype("f4")


def classifier(path, channels=(3, 8), classes=5):
    """Convolution, relu, pool, linear layer: the head of an image classifier."""
    net = Network()
    before, after = channels
    weights = {
        "conv": (net.weight("conv.weight", array(after, before, 3, 3, scale=0.3)),
                 net.weight("conv.bias", array(after))),
        "fc": (net.weight("fc.weight", array(classes, after, scale=0.5)),
               net.weight("fc.bias", array(classes))),
    }
    x = net.input("x", [4, before, 8, 8])
    w, b = weights["conv"]
    y = net.node("aten.conv2d.default", [4, after, 8, 8], "conv",
                 "torch.nn.modules.conv.Conv2d", input=x, weight=w, bias=b,
                 stride=[1, 1], padding=[1, 1])
    y = net.node("aten.relu.default", [4, after, 8, 8], "relu",
                 "torch.nn.modules.activation.ReLU", self=y)
    y = net.node("aten.mean.dim", [4, after], self=y, dim=[2, 3])
    w, b = weights["fc"]
    net.outputs = [net.node("aten.linear.default", [4, classes], "fc",
                            "torch.nn.modules.linear.Linear", input=y, weight=w,
                            bias=b)]
    return net.save(path)


def language_model(path, words=16, width=8):
    """An embedding and a decoder."""
    net = Network()
    table = net.weight("encoder.weight", array(words, width))
    weight = net.weight("decoder.weight", array(words, width, scale=0.5))
    bias = net.weight("decoder.bias", array(words))
    x = net.input("x", [4, 6], "int64")
    y = net.node("aten.embedding.default", [4, 6, width], "encoder",
                 "torch.nn.modules.sparse.Embedding", weight=table, indices=x)
    net.outputs = [net.node("aten.linear.default", [4, 6, words], "decoder",
                            "torch.nn.modules.linear.Linear", input=y, weight=weight,
                            bias=bias)]
    return net.save(path)


def verdicts(quantized):
    return {row.name: row.is_quantized for row in quantized.explain()}


def sqnr(quantized, model, data):
    return min(d.sqnr for d in quantized.compare(model, data))


def test_static_quantization(tmp_path):
    model = qbackend.load(classifier(tmp_path / "net.pt2"))
    mapping = get_default_qconfig_mapping("qnnpack")
    loader = [(array(4, 3, 8, 8), np.zeros(4, int)) for _ in range(6)]
    model.calibrate(loader, backend=get_qnnpack_backend_config(), qconfig=mapping)
    quantized = model.quantize()
    images = np.concatenate([x for x, _ in loader])
    assert all(verdicts(quantized).values())
    assert sqnr(quantized, model, images) > 25
    # float32 to int8: a quarter, and scales.
    summary = quantized.summary()
    assert summary.bytes_after < 0.5 * summary.bytes_before
    quantized.save(tmp_path / "net.int8.mlirbc")
    again = qbackend.load(tmp_path / "net.int8.mlirbc")
    np.testing.assert_array_equal(again(images), quantized(images))
    # Without the default mapping: the classifier stays in float.
    mapping.set_module_name("fc", None)
    kept = verdicts(model.quantize(qconfig=mapping))
    assert not kept.pop("fc") and all(kept.values())


def test_dynamic_quantization(tmp_path):
    model = qbackend.load(language_model(tmp_path / "net.pt2"))
    mapping = (
        QConfigMapping()
        .set_object_type(nn.Embedding, float_qparams_weight_only_qconfig)
        .set_object_type(nn.LSTM, default_dynamic_qconfig)
        .set_object_type(nn.Linear, default_dynamic_qconfig)
    )
    # Nothing is observed: there is nothing to calibrate.
    quantized = model.quantize("qnnpack", mapping)
    assert verdicts(quantized) == {"encoder": True, "decoder": True}
    words = RNG.integers(0, 16, (8, 6))
    assert sqnr(quantized, model, words) > 30
    assert quantized(words).shape == (8, 6, 16)


def own_backend():
    """Linear layers and convolutions with relu, of int8 with a fixed range of
    weights."""
    weighted = DTypeConfig(
        input_dtype=torch.quint8,
        output_dtype=torch.quint8,
        weight_dtype=DTypeWithConstraints(
            dtype=torch.qint8, quant_min_lower_bound=-128, quant_max_upper_bound=127
        ),
        bias_dtype=torch.float,
    )
    shared = DTypeConfig(input_dtype=torch.quint8, output_dtype=torch.quint8)

    def fuse(is_qat, conv, relu):
        return torch.ao.nn.intrinsic.ConvReLU2d(conv, relu)

    different = ObservationType.OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT
    return BackendConfig("mine").set_backend_pattern_configs([
        BackendPatternConfig(nn.Linear)
        .set_observation_type(different)
        .add_dtype_config(weighted)
        .set_root_module(nn.Linear),
        BackendPatternConfig((nn.Conv2d, nn.ReLU))
        .set_observation_type(different)
        .add_dtype_config(weighted)
        .set_fused_module(torch.ao.nn.intrinsic.ConvReLU2d)
        .set_fuser_method(fuse),
        BackendPatternConfig(nn.MaxPool2d)
        .set_observation_type(ObservationType.OUTPUT_SHARE_OBSERVER_WITH_INPUT)
        .add_dtype_config(shared),
    ])


@pytest.mark.parametrize("has_linear", [True, False])
def test_backend_of_ones_own(tmp_path, has_linear):
    model = qbackend.load(classifier(tmp_path / "net.pt2"))
    backend = own_backend()
    if not has_linear:
        backend = BackendConfig("less").set_backend_pattern_configs(
            [c for c in backend.configs if c.pattern != nn.Linear])
    qconfig = QConfig(
        activation=MinMaxObserver.with_args(dtype=torch.quint8),
        weight=default_weight_observer,
    )
    mapping = QConfigMapping().set_global(qconfig)
    x = array(24, 3, 8, 8)
    quantized = model.calibrate(x, backend=backend, qconfig=mapping).quantize(
        lower_to="reference")
    found = verdicts(quantized)
    # The relu is in the convolution, and no pattern has the mean.
    assert found == {"conv": True, "mean_2": False, "fc": has_linear}
    assert sqnr(quantized, model, x) > 25
