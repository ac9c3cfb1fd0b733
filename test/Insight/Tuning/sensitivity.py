# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What --sensitivity says is what fake quantization by a mapping gives.

usage: sensitivity.py SOURCE FOLDER
"""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
from tools import run  # noqa: E402

SOURCE, FOLDER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
QCONFIG = ("<activation = <histogram, ui8>, "
           "weight = <min_max, si8, per_tensor_symmetric>>")
IMAGES = SOURCE / "examples/data/fashion_mnist.npz"
SAMPLES = [f"--input={IMAGES}:test_images", "--input-scale=1/255", "--samples=20",
           f"--labels={IMAGES}:test_labels"]


def fake_quantize(net, entries):
    """SQNR and accuracy of a mapping with these entries."""
    mapping = FOLDER / "mapping.mlir"
    lines = "\n".join(f"  qbackend.qconfig {entry}" for entry in entries)
    mapping.write_text(f"qbackend.qconfig_mapping @m {{\n{lines}\n}}\n")
    output = FOLDER / "fake.mlir"
    run("qbackend-opt", f"--apply-backend=qnnpack qconfig={mapping} mode=fake-quant "
        f"calibration={FOLDER}/table.json", net, "-o", output)
    text = run("qbackend-run", net, f"--compare={output}", *SAMPLES)
    sqnr = re.search(r"SQNR (\S+) dB", text).group(1)
    accuracy = re.search(r"accuracy \S+ and (\S+)", text).group(1)
    return float(sqnr), float(accuracy)


def check(name, found, expected, tolerance=0.006):
    print(f"{name}: {found['sqnr']:.2f} dB, {found['accuracy']:.4f}")
    if (abs(found["sqnr"] - expected[0]) > tolerance
            or abs(found["accuracy"] - expected[1]) > 5e-5):
        sys.exit(f"FAILED: {name} is {found}, by a mapping {expected}")


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    net = FOLDER / "net.mlir"
    run(sys.executable, SOURCE / "examples/export.py",
        SOURCE / "examples/networks/resnet8.npz", "resnet8", "--spelling", "tosa", "-o", net)
    run("qbackend-run", net, "--calibrate", *SAMPLES[:3], "-o", FOLDER / "table.json")
    text = run("qbackend-run", net, "--sensitivity", *SAMPLES,
               f"--calibration={FOLDER}/table.json", "-o", FOLDER / "s.json")
    found = json.loads((FOLDER / "s.json").read_text())
    operators = {each["name"]: each for each in found["operators"]}
    if len(operators) != 15 or len(found["curve"]) != 16:
        sys.exit(f"FAILED: {len(operators)} operators")
    costs = [each["alone"]["sqnr"] for each in found["operators"]]
    if costs != sorted(costs):
        sys.exit("FAILED: the worst doesn't come first")
    if found["curve"][-1]["sqnr"] is not None:
        sys.exit("FAILED: something is quantized at the end of the curve")
    for name in operators:
        if f"\n{name} " not in text:
            sys.exit(f"FAILED: {name} is not in the table:\n{text}")
    on = f"global {QCONFIG}"
    # What each change of all operators gives.
    if "changes" in found:
        sys.exit("FAILED: changes that nobody asked for")
    text = run("qbackend-run", net, "--sensitivity", "--changes", *SAMPLES,
               f"--calibration={FOLDER}/table.json", "-o", FOLDER / "c.json")
    changes = {each["name"]: each["score"]
               for each in json.loads((FOLDER / "c.json").read_text())["changes"]}
    if changes["none"] != found["curve"][0]:
        sys.exit(f"FAILED: no change gives {changes['none']}")
    per_channel = QCONFIG.replace("<min_max, si8, per_tensor_symmetric>",
                                  "<per_channel_min_max, si8, per_channel_symmetric>")
    check("per-channel weights", changes["per-channel weights"],
          fake_quantize(net, [f"global {per_channel}"]), tolerance=0.05)
    for name in ("observer mse", "cross-layer-equalization", "bias-absorption",
                 "adaptive-rounding", "bias-correction"):
        if f"\n{name}  " not in text or name not in changes:
            sys.exit(f"FAILED: {name} is missing:\n{text}")
    check("all", found["curve"][0], fake_quantize(net, [on]))
    # A layer whose result is read twice, and an addition.
    for name in ("conv1", "layer1.relu2"):
        check(f"{name} alone", operators[name]["alone"],
              fake_quantize(net, ["global none", f'module_name "{name}" {QCONFIG}']))
        check(f"all but {name}", operators[name]["without"],
              fake_quantize(net, [on, f'module_name "{name}" none']))
    worst = [each["name"] for each in found["operators"][:3]]
    check("without the first three", found["curve"][3],
          fake_quantize(net, [on] + [f'module_name "{name}" none' for name in worst]))


main()
