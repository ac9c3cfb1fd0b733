#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what each observer of activations costs: the table of docs/Calibration.md.

    observers.py BIN [--network=lenet5] [--observer=entropy]

The networks and images of examples/, quantized for QNNPACK with weights per
tensor: the accuracy on 1000 test images, and the signal-to-noise ratio of their
logits against the float network.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
DATA = {
    "lenet5": "mnist_digits.npz",
    "resnet8": "fashion_mnist.npz",
    "mbv2tiny": "fashion_mnist.npz",
}
OBSERVERS = [
    "histogram",
    "min_max",
    "moving_average_min_max",
    "percentile",
    "entropy",
    "mse",
]
QCONFIG = """
qbackend.qconfig_mapping @measured {{
  qbackend.qconfig global <activation = <{}, ui8>,
                           weight = <min_max, si8, per_tensor_symmetric>>
}}
"""


def run(*command):
    result = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True
    )
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stderr}")
    return result.stdout


def measure(tools, network, observer, folder):
    """Accuracy before and after, and the ratio in dB."""
    data = ROOT / "examples" / "data" / DATA[network]
    module, quantized = folder / "network.mlir", folder / "quantized.mlir"
    run(
        sys.executable, ROOT / "examples" / "export.py",
        ROOT / "examples" / "networks" / f"{network}.npz", network,
        "--spelling", "linalg", "-o", module,
    )  # fmt: skip
    configured = folder / "configured.mlir"
    configured.write_text(
        module.read_text().replace("module {", "module {" + QCONFIG.format(observer), 1)
    )
    run(
        tools / "qbackend-opt",
        f"--apply-backend=qnnpack qconfig=@measured data={data}:calib_images "
        "input-scale=1/255",
        configured, "-o", quantized,
    )  # fmt: skip
    text = run(
        tools / "qbackend-run", module, f"--compare={quantized}",
        f"--input={data}:test_images", "--input-scale=1/255",
        f"--labels={data}:test_labels",
    )  # fmt: skip
    ratio = re.search(r"SQNR (\S+) dB", text)
    accuracy = re.search(r"accuracy (\S+) and (\S+)", text)
    if not ratio or not accuracy:
        sys.exit(f"qbackend-run printed {text!r}, expected SQNR and accuracies")
    return float(accuracy[1]), float(accuracy[2]), float(ratio[1])


def print_row(first, *cells):
    print(f"| {' | '.join([first, *cells])} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path, help="folder of the tools")
    parser.add_argument("--network", choices=DATA, action="append")
    parser.add_argument("--observer", choices=OBSERVERS, action="append")
    args = parser.parse_args()
    networks = args.network or list(DATA)
    print_row("observer", *networks)
    print_row(*["---"] * (len(networks) + 1))
    real = {}
    with tempfile.TemporaryDirectory() as folder:
        for observer in args.observer or OBSERVERS:
            cells = []
            for network in networks:
                real[network], accuracy, ratio = measure(
                    args.bin, network, observer, pathlib.Path(folder)
                )
                cells.append(f"{accuracy:.3f}, {ratio:.1f} dB")
            print_row(f"`{observer}`", *cells)
    print_row("none: floats", *(f"{real[name]:.3f}" for name in networks))


if __name__ == "__main__":
    main()
