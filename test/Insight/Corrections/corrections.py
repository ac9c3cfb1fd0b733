# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Corrections help networks that need them, and leave the float one as it is.

usage: corrections.py FOLDER
"""

import pathlib
import re
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
from tools import run  # noqa: E402

HERE = pathlib.Path(__file__).parent
FOLDER = pathlib.Path(sys.argv[1])


def check(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


class Network:
    def __init__(self, kind):
        self.folder = FOLDER / kind
        run(sys.executable, HERE / "Inputs/unequal.py", kind, self.folder)
        self.net = self.folder / "net.mlir"
        self.data = f"data={self.folder}/calibration.npy"
        self.test = f"--input={self.folder}/test.npy"

    def quantize(self, corrections, source=None, name="int.mlir", extra=""):
        output = self.folder / name
        key = f" corrections={corrections}" if corrections else ""
        run("qbackend-opt", f"--apply-backend=qnnpack {source or self.data}{key} {extra}",
            self.net, "-o", output)
        return output

    def calibrate(self, name, *options):
        table = self.folder / name
        run("qbackend-run", self.net, "--calibrate", "--for-corrections",
            "--statistics=mergeable", f"--input={self.folder}/calibration.npy",
            *options, "-o", table)
        return table

    def table(self):
        """What layers read, by parts: the bytes of one run."""
        one = self.calibrate("one.json", "--batch-size=8")
        tables = [self.calibrate(f"{cut}.{i}.json", "--batch-size=8", f"--shard={i}/{cut}")
                  for cut in (3,) for i in range(cut)]
        merged = self.folder / "merged.json"
        run("qbackend-calib", "merge", tables[2], tables[0], tables[1], "-o", merged)
        check('"patches"' in one.read_text(), "nothing is recorded of layers")
        check(one.read_bytes() == merged.read_bytes(), "parts give another table")
        single = self.calibrate("single.json", "--batch-size=8", "--num-threads=1")
        check(one.read_bytes() == single.read_bytes(), "threads give another table")
        return f"calibration={merged}"

    def sqnr(self, corrections, **options):
        output = self.quantize(corrections, **options)
        text = run("qbackend-run", self.net, f"--compare={output}", self.test)
        return float(re.search(r"SQNR (\S+) dB", text).group(1))

    def predict(self, module):
        output = self.folder / "out.npz"
        run("qbackend-run", module, self.test, "-o", output)
        return np.load(output)["output0"]

    def real(self, corrections):
        """The float network, as it is with corrections."""
        prepared = self.folder / "prepared.mlir"
        run("qbackend-opt", "--qbackend-prepare-pipeline=backend=qnnpack",
            f"--qbackend-calibrate={self.data} corrections={corrections}",
            self.net, "-o", prepared)
        return self.predict(prepared)


def relative(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


def channels():
    net = Network("channels")
    before, after = net.sqnr(""), net.sqnr("cross-layer-equalization")
    print(f"channels: {before} dB, equalized {after} dB")
    check(before < 15 and after > 25, f"{before} dB becomes {after} dB")
    expected = net.predict(net.net)
    error = relative(net.real("cross-layer-equalization"), expected)
    print(f"the float network moves by {error:.1e}")
    check(0 < error < 1e-6, "equalization changes the float network")
    # By a table of the network as it was: of channels it has the range alone.
    table = net.folder / "table.json"
    run("qbackend-run", net.net, "--calibrate", f"--input={net.folder}/calibration.npy",
        "-o", table)
    by_table = net.sqnr("cross-layer-equalization", source=f"calibration={table}")
    print(f"by a table {by_table} dB")
    check(by_table > 25, f"{by_table} dB by a table")
    # What layers read is scaled, too.
    source = net.table()
    found = net.sqnr("bias-correction,cross-layer-equalization,adaptive-rounding",
                     source=source)
    print(f"with rounding and bias correction by a table {found} dB")
    check(found > by_table, f"all give {found} dB by a table, equalization {by_table}")
    # All of them together, in whatever order.
    together = net.sqnr("bias-correction,cross-layer-equalization,adaptive-rounding")
    print(f"with rounding and bias correction {together} dB")
    check(together > after, f"all give {together} dB, equalization {after} dB")


def means():
    net = Network("means")
    expected = net.predict(net.net)

    def mean_error(corrections):
        found = net.predict(net.quantize(corrections))
        return np.abs((found - expected).mean((0, 2, 3))).max()

    before, after = net.sqnr(""), net.sqnr("bias-correction")
    print(f"means: {before} dB, corrected {after} dB")
    check(after > before + 3, f"bias correction gives {after} dB, {before} dB without")
    moved, left = mean_error(""), mean_error("bias-correction")
    print(f"channels are off by {moved:.4f} on average, corrected {left:.4f}")
    check(left < moved / 5, f"means are off by {left}, {moved} without")
    rounded = net.sqnr("adaptive-rounding")
    print(f"rounded {rounded} dB")
    check(rounded > before + 2, f"rounding gives {rounded} dB, {before} dB without")
    both = net.sqnr("adaptive-rounding,bias-correction")
    print(f"both {both} dB")
    check(both > after, f"rounding and correction give {both} dB")
    # Whatever the threads.
    one, two = (
        net.quantize("adaptive-rounding,bias-correction", name=f"{threads}.mlir",
                     extra=f"num-threads={threads}").read_bytes()
        for threads in (1, 2)
    )
    check(one == two, "the result depends on the number of threads")
    # Without samples.
    source = net.table()
    corrected = net.sqnr("bias-correction", source=source)
    rounded = net.sqnr("adaptive-rounding", source=source)
    both = net.sqnr("adaptive-rounding,bias-correction", source=source)
    print(f"by a table: corrected {corrected} dB, rounded {rounded} dB, both {both} dB")
    check(corrected > before + 3, f"bias correction gives {corrected} dB by a table")
    check(rounded > before + 2, f"rounding gives {rounded} dB by a table")
    check(both > corrected, f"both give {both} dB by a table")
    # By a table, and tried on samples: on the first ones alone.
    calibration = np.load(f"{net.folder}/calibration.npy")
    rest = np.random.default_rng(0).normal(size=(100, *calibration.shape[1:]))
    more = np.concatenate([calibration, rest]).astype("float32")
    results = []
    for name, data in (("first", more[:64]), ("more", more)):
        np.save(f"{net.folder}/{name}.npy", data)
        tried = f"{source} data={net.folder}/{name}.npy"
        results.append(net.quantize("adaptive-rounding,bias-correction", source=tried)
                       .read_bytes())
    check(results[0] == results[1],
          "corrections by a table depend on more samples than they are tried on")
    judged = net.sqnr("adaptive-rounding,bias-correction",
                      source=f"{source} {net.data}")
    print(f"by a table, tried on samples: {judged} dB")
    check(judged > corrected, f"both give {judged} dB by a table and samples")
    ranges = net.sqnr("mse-ranges", source=source)
    print(f"by a table, of least squared error: {ranges} dB")
    expected = net.sqnr("mse-ranges")
    check(ranges == expected, f"mse-ranges give {ranges} dB, with samples {expected} dB")


def biases():
    net = Network("biases")
    before, after = net.sqnr(""), net.sqnr("bias-absorption")
    print(f"biases: {before} dB, absorbed {after} dB")
    check(after > before + 3, f"absorption gives {after} dB, {before} dB without")
    error = relative(net.real("bias-absorption"), net.predict(net.net))
    print(f"the float network moves by {error:.1e}")
    check(0 < error < 1e-3, "absorption changes the float network")


def trained():
    """A network that needs no correction gets none that would make it worse."""
    folder = FOLDER / "resnet8"
    folder.mkdir()
    examples = HERE.parents[2] / "examples"
    net, data = folder / "net.mlir", examples / "data/fashion_mnist.npz"
    run(sys.executable, examples / "export.py", examples / "networks/resnet8.npz",
        "resnet8", "--spelling", "tosa", "-o", net)

    images = f"data={data}:calib_images input-scale=1/255 samples=64"

    def sqnr(key, source=images):
        output = folder / "int.mlir"
        run("qbackend-opt", f"--apply-backend=qnnpack {key} {source}", net, "-o", output)
        text = run("qbackend-run", net, f"--compare={output}", "--samples=64",
                   f"--input={data}:calib_images", "--input-scale=1/255")
        return float(re.search(r"SQNR (\S+) dB", text).group(1))

    # Judged is real arithmetic on the numbers that integers stand for.
    before, after = sqnr(""), sqnr("corrections=bias-correction")
    print(f"resnet8: {before} dB, corrected {after} dB")
    check(after > before - 0.2, f"bias correction makes {before} dB {after} dB")
    # A table alone can't say that; with samples it is tried.
    table = folder / "table.json"
    run("qbackend-run", net, "--calibrate", "--for-corrections", "--samples=64",
        "--statistics=mergeable", f"--input={data}:calib_images",
        "--input-scale=1/255", "-o", table)
    unjudged, judged = (sqnr("corrections=bias-correction", f"calibration={table} {rest}")
                        for rest in ("", images))
    print(f"resnet8 by a table: {unjudged} dB, tried {judged} dB")
    check(unjudged < before - 1, f"bias correction by a table gives {unjudged} dB")
    check(judged > before - 0.2, f"bias correction makes {before} dB {judged} dB")


channels()
means()
biases()
trained()
