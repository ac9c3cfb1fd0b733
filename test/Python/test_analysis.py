# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a network says about its operators: errors, sensitivity, cost, tuning."""

import dataclasses
import json
import math
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest
import qbackend
from networks import DIGITS, export, linear, samples
from qbackend import Model

X = samples()
SCALE = "1/255"


@pytest.fixture(scope="module")
def digits():
    arrays = np.load(DIGITS)
    return arrays["test_images"][:40], arrays["test_labels"][:40]


@pytest.fixture(scope="module")
def lenet(tmp_path_factory, digits):
    path = export("lenet5", tmp_path_factory.mktemp("lenet"))
    model = qbackend.load(path)
    return model.calibrate(digits[0], input_scale=SCALE)


@pytest.fixture(scope="module")
def int8(lenet):
    return lenet.quantize()


# Layers ---------------------------------------------------------------------


def page_data(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


def test_layers(lenet, int8, digits, tmp_path):
    images, labels = digits
    report = int8.compare_layers(lenet, images, labels, input_scale=SCALE, title="LeNet")
    # The results are those of a comparison of the networks.
    (whole,) = int8.compare(lenet, images, input_scale=SCALE)
    assert report.outputs[0].sqnr == pytest.approx(whole.sqnr, abs=1e-9)
    right = [
        float(model.evaluate(images, labels, input_scale=SCALE)) for model in (lenet, int8)
    ]
    assert list(report.accuracies[0]) == pytest.approx(right)
    names = {layer.name for layer in report}
    assert {"conv1", "conv2", "fc1", "fc2", "fc3"} <= names and not report.missing
    scores = [layer.score for layer in report]
    assert scores == sorted(scores, reverse=True)
    conv = report["conv2"]
    assert conv.kind == "conv2d+relu" and conv.selector == 'module_name "conv2"'
    assert conv.kernel.startswith("qnnpack.conv2d") and conv.macs > 0
    parts = (conv.weight_percent, conv.bias_percent, conv.clip_percent, conv.round_percent)
    assert sum(parts) == pytest.approx(100)
    # With all before it there is more noise than alone.
    assert conv.cumulative.sqnr < conv.local.sqnr
    assert conv.range.dtype == "ui8" and conv.range.lowest <= 0 < conv.range.highest
    # The last one's result is the network's.
    assert report["fc3"].cumulative.sqnr == pytest.approx(whole.sqnr, abs=1e-3)
    with pytest.raises(KeyError, match="no operator 'conv9'; there are .*conv1"):
        report["conv9"]
    table = str(report).splitlines()
    assert table[1].startswith("operator") and table[2].startswith(report.layers[0].name)
    assert "<td>conv2</td>" in report._repr_html_()
    report.save(tmp_path / "layers.html")
    page = (tmp_path / "layers.html").read_text(encoding="utf-8")
    assert page_data(page)["title"] == "LeNet"
    assert len(page_data(page)["operators"]) == len(report)


def test_layers_name_a_fault(lenet, digits):
    """The range of one layer, cut to a tenth."""
    table = json.loads(lenet.calibration)
    for entry in table["entries"]:
        if entry["name"] == "fc1":
            entry.clear()
            entry.update(name="fc1", kind="min_max", scale=1.0 / 255, zero_point=0)
    faulty = Model(lenet.bytecode())
    faulty.calibration = json.dumps(table)
    report = faulty.quantize().compare_layers(lenet, digits[0], input_scale=SCALE)
    assert report.layers[0].name == "fc1" and report.layers[0].cause == "clipping"
    assert "fc1" in report.layers[0].suggestion


@pytest.mark.parametrize("kept", [["conv2"], ["conv1", "fc2"], ["fc1", "fc2", "fc3"]])
def test_layers_around_what_stays_real(kept, lenet, digits):
    """What is fused in one network, and one by one in the other, hides nothing."""
    mixed = lenet.quantize(keep_float=kept)
    report = mixed.compare_layers(lenet, digits[0], input_scale=SCALE)
    assert not report.missing
    quantized = {"conv1", "conv2", "fc1", "fc2", "fc3"} - set(kept)
    for name in quantized:
        assert report[name].local is not None and report[name].kernel, name
    # Their results are compared, too.
    assert all(report[name].cumulative is not None for name in kept)


def test_suggestions_begin_with_what_was_chosen(lenet, digits):
    """The mapping is that of quantize, not of calibrate."""
    chosen = lenet.quantize(qconfig="per_channel")
    report = chosen.compare_layers(lenet, digits[0], input_scale=SCALE)
    weights = [layer.suggestion for layer in report if "weight = " in layer.suggestion]
    assert all("per_channel" in suggestion for suggestion in weights)
    other = chosen.compare_layers(
        lenet, digits[0], input_scale=SCALE, backend="qnnpack", qconfig="default"
    )
    assert other["conv1"].local == report["conv1"].local


def test_layers_of_another_network(lenet, int8):
    with pytest.raises(ValueError, match="argument 0 is .* in one network"):
        int8.compare_layers(Model(linear()).calibrate(X), X)
    with pytest.raises(TypeError, match="found a str to compare with, expected a Model"):
        int8.compare_layers("net.mlir", X)
    with pytest.raises(ValueError, match="there are 3 labels for 2 samples"):
        int8.compare_layers(lenet, np.zeros((2, 1, 28, 28), "f4"), [1, 2, 3])


# What is wrong --------------------------------------------------------------


def test_doctor_of_a_sound_network(lenet, int8, digits, tmp_path):
    found = lenet.doctor(*digits, input_scale=SCALE)
    assert not found and not found.is_wrong and not found.faults
    (whole,) = int8.compare(lenet, digits[0], input_scale=SCALE)
    assert found.sqnr == pytest.approx(whole.sqnr, abs=1e-3)
    assert "nothing is wrong" in str(found)
    judged = lenet.doctor(*digits, quantized=int8, input_scale=SCALE)
    assert judged.sqnr == found.sqnr
    with pytest.raises(TypeError, match="quantized is a str, expected a Model"):
        lenet.doctor(*digits, quantized="int8.mlir", input_scale=SCALE)


def test_doctor_mends(lenet, digits, tmp_path):
    """An observer that cuts four of ten values off, of one layer."""
    path = tmp_path / "cut.mlir"
    weight = "weight = <min_max, si8, per_tensor_symmetric>"
    path.write_text(f"""qbackend.qconfig_mapping @cut {{
      qbackend.qconfig global <activation = <histogram, ui8>, {weight}>
      qbackend.qconfig module_name "fc1" <activation = <percentile, ui8, percentile = 60.0>, {weight}>
    }}""")
    found = lenet.doctor(digits[0], calibration_data=digits[0], qconfig=path,
                         input_scale=SCALE)
    assert found and found.faults[0].operator == "fc1" and found.faults[0].gain >= 3
    assert "fc1" in str(found) and "tried: +" in str(found)
    found.save(tmp_path / "fix.mlir")
    fixed = lenet.doctor(digits[0], calibration_data=digits[0],
                         qconfig=tmp_path / "fix.mlir", input_scale=SCALE)
    assert not fixed
    assert fixed.sqnr == pytest.approx(found.mended_sqnr, abs=0.5)
    with pytest.raises(ValueError, match="no mapping mends anything"):
        dataclasses.replace(found, mapping="").save(tmp_path / "none.mlir")


# Sensitivity and tuning -----------------------------------------------------


def test_sensitivity(lenet, int8, digits):
    images, labels = digits
    found = lenet.sensitivity(images, labels, input_scale=SCALE)
    costs = [op.alone.sqnr for op in found.operators]
    assert costs == sorted(costs) and len(found.curve) == len(costs) + 1
    assert {"conv1", "fc3"} <= {op.name for op in found.operators}
    # All quantized, and none.
    (whole,) = int8.compare(lenet, images, input_scale=SCALE)
    assert found.curve[0].sqnr == pytest.approx(whole.sqnr, abs=0.1)
    assert math.isinf(found.curve[-1].sqnr) and found.curve[-1].accuracy is not None
    assert str(found).startswith("operator") and "float" in str(found)
    assert found.changes == []


def test_changes(lenet, digits):
    """What each change of all operators gives, with a table and with samples."""
    plain = Model(lenet.bytecode())
    known = lenet.sensitivity(digits[0], input_scale=SCALE, changes=True)
    found = plain.sensitivity(digits[0], input_scale=SCALE, changes=True)
    scores = {change.name: change.score.sqnr for change in found.changes}
    assert next(iter(scores)) == "none"
    assert scores["none"] == pytest.approx(found.curve[0].sqnr, abs=1e-9)
    assert set(scores) - {change.name for change in known.changes} == {
        "adaptive-rounding",
        "bias-correction",
    }
    int8 = plain.calibrate(digits[0], input_scale=SCALE).quantize(qconfig="per_channel")
    (whole,) = int8.compare(plain, digits[0], input_scale=SCALE)
    assert scores["per-channel weights"] == pytest.approx(whole.sqnr, abs=0.1)
    assert "per-channel weights  " in str(found)


def test_tune(lenet, digits, tmp_path):
    images, labels = digits
    path = tmp_path / "tuned.mlir"
    (whole,) = lenet.quantize().compare(lenet, images, input_scale=SCALE)
    wanted = whole.sqnr + 4
    tuned = lenet.tune(
        images, path, labels, keep_sqnr=wanted, target_latency=3600, input_scale=SCALE
    )
    assert tuned.is_held and tuned.is_kept and tuned.is_complete and tuned.is_written
    assert tuned.score.sqnr >= wanted and 0 < tuned.seconds < 60
    assert "best so far" in tuned.log and str(tuned).startswith("held: ")
    assert 0 < tuned.real_macs < tuned.macs or tuned.real_valued == 0
    # Every fourth sample is held back; the file says it to quantize.
    assert tuned.held_back == len(images) // 4
    assert f" on {tuned.held_back} samples held back" in str(tuned)
    again = lenet.quantize(qconfig=str(path))
    (found,) = again.compare(lenet, images[3::4], input_scale=SCALE)
    if "corrections" not in path.read_text():
        assert found.sqnr == pytest.approx(tuned.score.sqnr, abs=1e-6)
    kept = sum(row.verdict == "float" for row in again.explain())
    assert kept == tuned.real_valued


def test_tune_to_both(lenet, digits, tmp_path):
    images, labels = digits
    path = tmp_path / "tuned.mlir"
    goals = dict(keep_sqnr=20, keep_accuracy=5)
    tuned = lenet.tune(images, path, labels, input_scale=SCALE, **goals)
    assert tuned.is_held and tuned.real_valued == tuned.real_macs == 0
    assert tuned.score.accuracy >= tuned.real.accuracy - 0.05
    # The score is that of what the search didn't see.
    again = lenet.quantize(qconfig=str(path))
    (found,) = again.compare(lenet, images[3::4], input_scale=SCALE)
    assert tuned.score.sqnr == pytest.approx(found.sqnr, abs=1e-6)
    (found,) = again.compare(lenet, images, input_scale=SCALE)
    assert tuned.score.sqnr != pytest.approx(found.sqnr, abs=1e-3)
    # Where only floats keep one of both, that is said.
    goals["keep_sqnr"] = 200
    tuned = lenet.tune(images, path, labels, input_scale=SCALE, **goals)
    assert tuned.real_valued == tuned.operators and tuned.real_macs == tuned.macs > 0
    assert str(tuned).startswith("held, but nothing is quantized: ")


def test_tune_refuses(lenet, digits, tmp_path):
    images, labels = digits
    path = tmp_path / "tuned.mlir"
    for arguments, message in [
        (dict(), "say what is to be kept"),
        (dict(keep_sqnr=1, keep_accuracy=1), "pass labels"),
        (dict(keep_accuracy=1), "pass labels"),
        (dict(keep_sqnr=1, target_latency=0), "target_latency is 0, expected seconds"),
        (dict(keep_sqnr=1, max_seconds=-1), "max_seconds is -1, expected seconds"),
    ]:
        with pytest.raises(ValueError, match=message):
            lenet.tune(images, path, **arguments)
    with pytest.raises(ValueError, match="path is 'a.json', expected a name that ends"):
        lenet.tune(images, "a.json", keep_sqnr=1)
    with pytest.raises(FileNotFoundError, match="the folder of .* isn't there"):
        lenet.tune(images, tmp_path / "nowhere" / "a.mlir", keep_sqnr=1)
    with pytest.raises(ValueError, match="array 'x' is uint8, the network takes float32"):
        lenet.tune(images, path, keep_sqnr=1)
    assert not path.exists()


def test_tune_goes_on(lenet, digits, tmp_path):
    images, _ = digits
    # For minutes, if it isn't stopped.
    many = np.concatenate([images] * 10)
    path = tmp_path / "tuned.mlir"
    options = dict(keep_sqnr=300, input_scale=SCALE)
    # A second ends before the search has begun where the machine is slow.
    journal, seconds = tmp_path / "tuned.mlir.partial", 1
    while not journal.exists():
        assert seconds < 300
        assert not lenet.tune(many, path, max_seconds=seconds, **options).is_complete
        seconds *= 2
    # The same samples are in another file.
    lenet.tune(many, path, resume=True, max_seconds=1, **options)
    with pytest.raises(qbackend.CompilerError, match="of another network"):
        lenet.tune(many * 2, path, resume=True, **options)


def test_fixed_arguments(tmp_path):
    network = tmp_path / "masked.mlir"
    network.write_text(MASKED)
    model = qbackend.load(network)
    samples = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)
    mask = np.ones((1, 4), np.float32)
    report = model.sensitivity([(samples, mask)], sample_arguments=[0])
    assert {op.kind for op in report.operators} == {"linear", "mul"}
    with pytest.raises(ValueError):
        model.sensitivity([(samples, mask)])


MASKED = """
func.func @main(%x: tensor<1x4xf32>, %m: tensor<1x4xf32>) -> tensor<1x2xf32> {
  %w = arith.constant dense<[[1.0, -2.0], [3.0, 4.0], [0.5, 0.25], [-1.0, 2.0]]> : tensor<4x2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  %s = tensor.empty() : tensor<1x4xf32>
  %p = linalg.mul ins(%x, %m : tensor<1x4xf32>, tensor<1x4xf32>) outs(%s : tensor<1x4xf32>) -> tensor<1x4xf32>
  %y = linalg.matmul ins(%p, %w : tensor<1x4xf32>, tensor<4x2xf32>) outs(%i : tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}
"""

INTERRUPTED = """
import signal, sys, threading, time
import numpy, qbackend
signal.signal(signal.SIGINT, signal.default_int_handler)
network, data, path, kind = sys.argv[1:]
model = qbackend.load(network)
images = numpy.load(data)["test_images"]
model.calibrate(images[:8], input_scale="1/255")
sent = 0
def interrupt():
    global sent
    time.sleep(1.5)
    sent = time.monotonic()
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
try:
    # For minutes.
    images = numpy.concatenate([images] * 10)
    if kind == "tune":
        model.tune(images, path, keep_sqnr=300, input_scale="1/255")
    else:
        model.sensitivity(images, input_scale="1/255")
    print("not interrupted")
except KeyboardInterrupt:
    print(time.monotonic() - sent)
"""


@pytest.mark.parametrize("kind", ["tune", "sensitivity"])
def test_interrupted(kind, lenet, tmp_path):
    network = tmp_path / "net.mlirbc"
    lenet.save(network)
    limit = 5 if "ASAN_OPTIONS" in os.environ else 1
    times = []
    # A machine that is busy gets another try.
    while len(times) < 3 and not (times and times[-1] < limit):
        done = subprocess.run(
            [sys.executable, "-c", INTERRUPTED, network, DIGITS]
            + [tmp_path / "tuned.mlir", kind],
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        times.append(float(done.stdout))
    assert times[-1] < limit


# Cost, one operator, stages -------------------------------------------------


def test_cost(lenet, int8, digits):
    before, after = lenet.cost(), int8.cost(digits[0], input_scale=SCALE)
    assert (before.integer_macs, before.real_macs) == (0, 416520)
    assert (after.integer_macs, after.real_macs) == (416520, 0)
    assert before.parameter_bytes > 3 * after.parameter_bytes
    assert before.live_bytes > after.live_bytes > 0 and after.live_at
    assert after.bytes_moved == sum(op.bytes_moved for op in after.operators)
    assert after.conversions == 2
    assert before.measured_seconds is None and after.measured_seconds > 0
    assert all(op.measured_seconds is not None for op in after.operators)
    assert "multiply-accumulates of integers  416520" in str(after)
    with pytest.raises(ValueError, match="1 samples are too few"):
        int8.cost(digits[0][:1], input_scale=SCALE)


def test_cost_of_islands():
    cost = Model(linear()).calibrate(X).quantize().cost()
    # The sine is behind the integers.
    (island,) = cost.islands
    assert [op.name for op in island.operators] == ["head.wave"]
    assert all(op.is_conversion for op in island.conversions) and island.conversions


def test_explain_operator(lenet):
    text = lenet.explain_operator("conv1")
    assert text.startswith("conv1: conv2d<") and "qnnpack.conv2d" in text
    assert "shared with pool1" in text
    # Another mapping, and no ranges.
    plain = Model(lenet.bytecode())
    text = plain.explain_operator("conv1", qconfig="per_channel")
    assert "per_channel" in text and "not known without ranges" in text
    with pytest.raises(qbackend.CompilerError, match="conv1"):
        lenet.explain_operator("conf1")


def test_stages(lenet, tmp_path):
    stages = lenet.stages(title="LeNet")
    names = [stage.name for stage in stages]
    assert names[0] == "input" and "qbackend-fuse" in names and len(stages) == len(names)
    assert all(stage.summary for stage in stages)
    kinds = {op.kind for op in stages.stages[-1].ops}
    assert any(kind.startswith("qnnpack.conv2d") for kind in kinds)
    origins = {name for op in stages.stages[-1].ops for name in op.origins}
    assert "conv1" in origins
    stages.save(tmp_path / "stages.html")
    assert "LeNet" in (tmp_path / "stages.html").read_text(encoding="utf-8")
    with pytest.raises(qbackend.CompilerError, match="there is no backend|nobackend"):
        lenet.stages(backend="nobackend")
