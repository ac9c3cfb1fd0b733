#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures what corrections give: the table of docs/Tuning.md.

    corrections.py BIN [--network=lenet5]

The networks and images of examples/, quantized for QNNPACK: the accuracy on 1000
test images, and the signal-to-noise ratio of their logits against the float
network.
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
KEYS = {
    "none": "",
    "`mse-ranges`": "corrections=mse-ranges",
    "`cross-layer-equalization`": "corrections=cross-layer-equalization",
    "the same and `bias-absorption`":
        "corrections=cross-layer-equalization,bias-absorption",
    "`adaptive-rounding`": "corrections=adaptive-rounding",
    "`bias-correction`": "corrections=bias-correction",
    "both of these": "corrections=adaptive-rounding,bias-correction",
    "per-channel weights": "qconfig=per_channel",
    "per-channel weights and these":
        "qconfig=per_channel corrections=adaptive-rounding,bias-correction",
}


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def measure(tools, network, keys, folder):
    data = ROOT / "examples" / "data" / DATA[network]
    module, quantized = folder / f"{network}.mlir", folder / "quantized.mlir"
    if not module.exists():
        run(sys.executable, ROOT / "examples/export.py",
            ROOT / f"examples/networks/{network}.npz", network,
            "--spelling", "linalg", "-o", module)
    run(tools / "qbackend-opt",
        f"--apply-backend=qnnpack {keys} data={data}:calib_images input-scale=1/255",
        module, "-o", quantized)
    text = run(tools / "qbackend-run", module, f"--compare={quantized}",
               f"--input={data}:test_images", "--input-scale=1/255",
               f"--labels={data}:test_labels")
    ratio = re.search(r"SQNR (\S+) dB", text)
    accuracy = re.search(r"accuracy (\S+) and (\S+)", text)
    return f"{float(accuracy[2]):.3f}, {float(ratio[1]):.1f} dB"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--network", choices=DATA, action="append")
    args = parser.parse_args()
    networks = args.network or list(DATA)
    print("| corrections | " + " | ".join(networks) + " |")
    print("| --- " * (len(networks) + 1) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for name, keys in KEYS.items():
            cells = [measure(args.bin, network, keys, pathlib.Path(folder))
                     for network in networks]
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


main()
