#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Is each observer updated as often as PyTorch updates it, and are the results its own?

    updates.py                      the networks of updates.json
    updates.py --networks DIR [--seeds N,...] [--show] [--record FILE]

Without arguments, compares the numbers of updates in one batch with those that
updates.json has of PyTorch 2.6. With what fx_networks.py has written to DIR also scales
and zero points after some batches, and the results of the converted network: integers
have to be equal where both sides have PyTorch's ranges. --record writes FILE, as
updates.json, of --seeds. Both sides share observers as FX does. Those of PyTorch with
which no operator that is quantized has to do (movements between functions that no
configuration has) may see less here (QB119). Networks with a remark that FX observes
other values (QB127, QB128) or quantizes what is float here (QB119, and a layer norm, which
PyTorch lowers between quantized operators: QB103) are counted apart.
"""

import argparse
import collections
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import numpy as np
import placement

HERE = pathlib.Path(__file__).resolve().parent
FIXED = {"sigmoid": (0.00390625, 0), "hardsigmoid": (0.00390625, 0),
         "softmax": (0.00390625, 0), "tanh": (0.0078125, 128)}
WEIGHT = "weight = <min_max, si8, per_tensor_symmetric>"
MAPPING = "\n".join([
    "qbackend.qconfig_mapping @averages {",
    f"  qbackend.qconfig global <activation = <moving_average_min_max, ui8>, {WEIGHT}>",
    *[f'  qbackend.qconfig object_type "{kind}" <activation = <fixed_qparams, ui8, '
      f"scale = {scale}, zero_point = {zero_point}>, {WEIGHT}>"
      for kind, (scale, zero_point) in FIXED.items()],
    "}\n"])
OBSERVER = re.compile(
    r"(qbackend.observer @(\S+) <moving_average.*?) range .*? "
    r"scale (\S+) zero_point (-?\d+)",
    re.M,
)
#: What is said where FX observes other values, or quantizes what is float here.
OTHER_OBSERVERS = re.compile(
    r"Name: +QB(?:12[78]|119|103\n(?:(?!\.\.\.).*\n)*?.*Operator: +(?:layer_norm|square))")


def observe(network, folder, data=None):
    """The observers here: name to updates, scale and zero point, without data the
    updates alone. Those with fixed parameters see nothing."""
    mapping, out = folder / "mapping.mlir", folder / "observed.mlir"
    mapping.write_text(MAPPING)
    options = f"backend=qnnpack qconfig={mapping} sharing=fx"
    passes = [f"--qbackend-prepare-pipeline={options}",
              f"--qbackend-print-observers={options}"]
    if data:
        passes.append(f"--qbackend-calibrate=data={data} batch-size=1")
    text = placement.run(network, *passes, "-o", out, "--remark-format=yaml",
                         "--remarks-filter=qbackend",
                         f"--remarks-output-file={folder / 'remarks'}")
    found, name = {}, None
    for line in text.splitlines():
        if line.startswith("@"):
            name, kind = line[1:].split(": ", 1)
            if kind.startswith("fixed_qparams"):
                name = None
            else:
                found[name] = 0
        elif name and (site := placement._SITE.match(line)) and not site[3]:
            found[name] += int(site[4] or 1)
    if not data:
        return [(updates,) for updates in found.values()]
    return [(found[name], to_float(scale), int(zero_point))
            for _, name, scale, zero_point in OBSERVER.findall(out.read_text())]


def take_ranges(calibrated, observers, here):
    """`calibrated` with PyTorch's numbers: the last bits of averages differ, and then
    integers of values that are in the middle of two do, too."""

    def replace(match):
        updates = next(each[0] for each in here if each[1:] == (
            to_float(match[3]), int(match[4])))
        found = (updates, to_float(match[3]), int(match[4]))
        close = [each for each in observers if "range" in each and is_same(
            (each["updates"], each["scale"], each["zero_point"]), found)]
        if not close:
            return match[0]
        best = min(close, key=lambda each: abs(each["scale"] - found[1]))
        low, high = (f"{x:.17e}" for x in best["range"])
        return (f"{match[1]} range [{low}, {high}] scale {best['scale']:.17e} "
                f"zero_point {best['zero_point']}")

    return OBSERVER.sub(replace, calibrated)


def count_other_results(folder, inputs, expected):
    """How many elements of the results of observed.mlir are others than `expected`.
    Those of float functions differ in their last bits."""
    kernels, results = folder / "kernels.mlir", folder / "results.npz"
    form = "backend=qnnpack lower-to=qnnpack"
    placement.run(folder / "observed.mlir", f"--qbackend-kernel-pipeline={form}",
                  f"--qbackend-lowering-pipeline={form}", "-o", kernels)
    subprocess.run([placement.BIN / "qbackend-run", kernels, f"--input={inputs}", "-o",
                    results], check=True, capture_output=True)
    with np.load(results) as found, np.load(expected) as wanted:
        pairs = [(found[a], wanted[b]) for a, b in
                 zip(found.files, wanted.files, strict=True)]
    return sum(int((~np.isclose(a.reshape(b.shape), b, 0, 1e-5 * np.abs(b).max(
        initial=1e-3))).sum()) for a, b in pairs)


def to_float(text):
    """A number as MLIR prints it: large ones by their bits."""
    return (struct.unpack(">d", bytes.fromhex(text[2:]))[0] if text.startswith("0x")
            else float(text))


def is_same(a, b):
    """Sums of floats may differ by their order."""
    return a[0] == b[0] and (len(a) == 1 or (
        abs(a[1] - b[1]) <= 1e-5 * a[1] and abs(a[2] - b[2]) <= 1))


def compare(torch, optional, here):
    """What either side has more; `optional` may have fewer updates here, or none."""
    missing, more = list(torch), list(here)
    for wanted in torch:
        if found := next((each for each in more if is_same(wanted, each)), None):
            missing.remove(wanted)
            more.remove(found)
    for wanted in sorted(optional):
        if fewer := [each for each in more if each[0] <= wanted[0]]:
            more.remove(max(fewer))
    return missing, more


def compare_networks(arguments):
    counts, recorded = collections.Counter(), {}
    files = sorted(arguments.networks.glob("*.json"), key=lambda file: int(file.stem))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file in files:
            if arguments.seeds and int(file.stem) not in arguments.seeds:
                continue
            known = json.loads(file.read_text())
            network = folder / f"{file.stem}.mlir"
            subprocess.run([placement.BIN / "qbackend-import", file.with_suffix(".pt2"),
                            "-o", network], check=True)
            sides = {True: [], False: []}
            for each in known["observers"].values():
                sides[each["computes"]].append(
                    (each["updates"], each["scale"], each["zero_point"]))
            here = observe(network, folder, file.with_suffix(".npz"))
            missing, more = compare(sides[True], sides[False], here)
            is_counted = not any(compare([(e[0],) for e in sides[True]],
                                        [(e[0],) for e in sides[False]],
                                        [(e[0],) for e in here]))
            verdict = ("same" if not missing and not more else
                       "other scales" if is_counted else "other updates")
            remarks = (folder / "remarks").read_text()
            remarked = ", as remarked" if OTHER_OBSERVERS.search(remarks) else ""
            results = file.with_suffix(".results.npz")
            if verdict == "same" and results.exists():
                observed = folder / "observed.mlir"
                observed.write_text(take_ranges(
                    observed.read_text(), known["observers"].values(), here))
                if count := count_other_results(
                        folder, file.with_suffix(".npz"), results):
                    verdict = "other results"
                    print(f"{file.stem}: {count} elements differ{remarked}")
            elif verdict == "same":
                verdict = "PyTorch can't run it"
            if verdict.startswith("other"):
                verdict += remarked
            if missing or more:
                print(f"{file.stem}: {verdict}; PyTorch {missing}, here {more}")
            counts[verdict] += 1
            if arguments.show:
                print(json.dumps(known, indent=1))
            recorded[file.stem] = {
                # Names, without the places in fx_networks.py.
                "network": re.sub(r'\("[^"]*":\d+:\d+\)', "",
                                  network.read_text()).splitlines(),
                "updates": [e[0] for e in sides[True]],
                "optional": [e[0] for e in sides[False]]}
    print(dict(counts))
    if arguments.record:
        arguments.record.write_text(json.dumps(recorded, indent=1) + "\n")
    return counts["other updates"] + counts["other results"]


def compare_recorded():
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        recorded = json.loads((HERE / "updates.json").read_text())
        for seed, known in recorded.items():
            network = folder / f"{seed}.mlir"
            network.write_text("\n".join(known["network"]))
            missing, more = compare([(n,) for n in known["updates"]],
                                    [(n,) for n in known["optional"]],
                                    observe(network, folder))
            if missing or more:
                failed += 1
                print(f"{seed}: updates of PyTorch {missing}, here {more}")
    print(f"{len(recorded)} networks, {failed} have other updates")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--networks", type=pathlib.Path)
    parser.add_argument("--seeds", type=lambda text: {int(n) for n in text.split(",")})
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--record", type=pathlib.Path)
    arguments = parser.parse_args()
    return bool(compare_networks(arguments) if arguments.networks
                else compare_recorded())


if __name__ == "__main__":
    sys.exit(main())
