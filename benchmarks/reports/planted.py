#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What advice is worth: faults planted into networks, found, and mended as it is said.

    planted.py --networks FOLDER [--bin build/bin] [--only NETWORK[:FAULT]]

FOLDER is what planted_networks.py writes. Eight faults are planted into each of the
five networks, and `--doctor` and `--layers` are asked for the culprit. Its first
suggestion is pasted as it is printed, and the network quantized with it: once with new
samples, once with the table as it was. `mended` is half of the lost decibels, or all but
3 of them. For faults that quantizing again mends, that is the advice.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

PER_TENSOR = "<min_max, si8, per_tensor_symmetric>"
# Where faults are planted: two operators of each network, and that whose weight
# planted_networks.py has changed in `-outlier`.
PLACES = {"preactivation": ("block2.conv1", "block1.conv2", "block2.conv1"),
          "squeeze": ("conv2", "conv1", "conv2"), "twice": ("enter", "body_0", "body"),
          "inception": ("mix", "three", "three"), "transformer": ("up", "v", "up")}
# The culprit of samples unlike those of the test.
CALIBRATION = "calibration"
FAULTS = ("cut", "coarse", "percentile", "weight", "other-weight", "narrow", "data", "spike")


class Network:
    def __init__(self, args, name, work):
        self.bin, self.folder, self.name, self.work = args.bin, args.networks, name, work
        self.real = self.read(name)
        self.data = self.folder / f"{name}.npz"
        self.mapping = self.write_mapping([])
        self.finest = self.write_mapping([], "finest", weight="<per_channel_min_max, si8, "
                                         "per_channel_symmetric>")

    def read(self, name):
        path = self.work / f"{name}.mlir"
        self.run(self.bin / "qbackend-import", self.folder / f"{name}.pt2", "-o", path)
        return path

    def run(self, *command, statuses=(0,)):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if done.returncode not in statuses:
            raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stderr}")
        return done.stdout

    def write_mapping(self, entries, name="m", weight=PER_TENSOR):
        path = self.work / f"{self.name}-{name}.mlir"
        entries = [f"qbackend.qconfig global <activation = <min_max, ui8>, weight = {weight}>",
                   *entries]
        path.write_text("qbackend.qconfig_mapping @m {\n  " + "\n  ".join(entries) + "\n}\n")
        return path

    def quantize(self, source, mapping, real=None):
        self.run(self.bin / "qbackend-opt", f"--apply-backend=qnnpack qconfig={mapping} {source}",
                 real or self.real, "-o", self.work / "int8.mlir")
        return self.work / "int8.mlir"

    def compare(self, int8, *options, real=None):
        return json.loads(self.run(
            self.bin / "qbackend-run", real or self.real, f"--compare={int8}", "--format=json",
            f"--input={self.data}:test", *options, statuses=(0, 2)))

    def measure(self, source, mapping, real=None):
        found = self.compare(self.quantize(source, mapping, real), real=real)
        return min(get_sqnr(output) for output in found["outputs"])

    def write_table(self, place, factor):
        """The table of the calibration, with the range of `place`, and of what shares it,
        times `factor`; and what that is."""
        path, places = self.work / "table.json", {place}
        self.run(self.bin / "qbackend-run", self.real, "--calibrate",
                 f"--qconfig={self.mapping}", f"--input={self.data}:calib", "-o", path)
        table = json.loads(path.read_text())
        for entry in table["entries"]:
            if place in entry.get("group", []):
                places.update(entry["group"])
        kept = []
        for entry in table["entries"]:
            names = entry.get("group", [entry["name"]])
            entry = {key: entry[key] for key in ("name", "group", "kind", "min", "max")
                     if key in entry}
            if places.intersection(names):
                entry["min"], entry["max"] = entry["min"] * factor, entry["max"] * factor
            kept.append(entry)
        path.write_text(json.dumps({"version": table["version"], "entries": kept}))
        return path, places


def get_sqnr(output):
    return {None: np.inf, "-inf": -np.inf}.get(output["sqnr"], output["sqnr"])


def plant(network, fault):
    """The source of ranges, the mapping, the network, that which is quantized, the
    culprits, and the source of ranges of those who quantize it again."""
    first, second, outlier = PLACES[network.name]
    source, mapping, real, given = f"data={network.data}:calib", network.mapping, None, None
    again = f"data={network.data}:test"
    if fault in ("cut", "coarse"):
        place = first if fault == "cut" else second
        # What shares its range is named with it.
        path, culprits = network.write_table(place, 1 / 20 if fault == "cut" else 60)
        source = f"calibration={path}"
    elif fault == "percentile":
        mapping = network.write_mapping(
            [f'qbackend.qconfig module_name "{first}" <activation = <percentile, ui8, '
             "percentile = 70.0>, weight = <min_max, si8, per_tensor_symmetric>>"], fault)
        culprits = {first}
    elif fault == "narrow":
        mapping = network.write_mapping(
            [f'qbackend.qconfig module_name "{second}" <activation = <min_max, ui8>, weight = '
             "<min_max, si8, per_tensor_symmetric, quant_min = -2, quant_max = 2>>"], fault)
        culprits = {second}
    elif fault == "weight":
        real, culprits = network.read(f"{network.name}-outlier"), {outlier}
    elif fault == "other-weight":
        given, culprits = network.read(f"{network.name}-other"), {second}
    elif fault == "data":
        samples = np.load(network.data)
        np.savez(network.work / "small.npz", calib=samples["calib"] / 30)
        source, culprits = f"data={network.work}/small.npz:calib", {"x", CALIBRATION}
    else:
        samples = np.load(network.data)
        calib = samples["calib"].copy()
        calib.reshape(-1)[1234] = 300.0
        np.savez(network.work / "spike.npz", calib=calib)
        source, culprits = f"data={network.work}/spike.npz:calib", {"x", CALIBRATION}
    return source, mapping, real, given, culprits, again


def paste(network, mapping, finding):
    """The mapping with the suggestion's lines, or none if it has none of a mapping."""
    lines = finding["suggestion"].splitlines()
    if not lines or not all(line.startswith("qbackend.qconfig") for line in lines):
        return None
    text = mapping.read_text().rstrip().removesuffix("}")
    path = network.work / f"{network.name}-pasted.mlir"
    # What is said of an operator before is replaced.
    keys = [line.split("<")[0].split(" none")[0].strip() for line in lines]
    kept = [line for line in text.splitlines()
            if not any(line.strip().startswith(key) for key in keys)]
    path.write_text("\n".join([*kept, *("  " + line for line in lines), "}", ""]))
    return path


def enter(network, source, found):
    """The source of ranges with the first entry for a table that --layers has, or none."""
    path = pathlib.Path(source.removeprefix("calibration="))
    table = json.loads(path.read_text())
    for number in found["ranking"]:
        for line in found["operators"][number]["suggestion"].splitlines():
            if not line.startswith("{"):
                return None
            entry = json.loads(line)
            kept = [e for e in table["entries"] if e["name"] != entry["name"]]
            table["entries"] = [*kept, entry]
        break
    path.write_text(json.dumps(table))
    return source


def examine(network, fault):
    source, mapping, real, given, culprits, again = plant(network, fault)
    sound = network.measure(f"data={network.data}:calib", network.finest if fault == "weight"
                            else network.mapping, real)
    int8 = network.quantize(source, mapping, given or real)
    found = network.compare(int8, "--doctor", f"--qconfig={mapping}", real=real)
    layers = network.compare(int8, "--layers", f"--qconfig={mapping}", real=real)
    broken = min(get_sqnr(output) for output in found["outputs"])
    findings = found["faults"] + found["improvements"]
    first = findings[0] if findings else None
    # A module that is called twice has two operators.
    named = found["is_calibration_wrong"] and CALIBRATION in culprits or bool(first) and any(
        first["operator"] in (place, place + "_0") for place in culprits)
    # Quantizing again is all that there is to say of another weight, and of other samples.
    pasted = paste(network, mapping, first) if first else None
    calibrates = found["is_calibration_wrong"] or fault == "other-weight"

    def fits(sqnr):
        return sqnr >= min(sound - 3, (sound + broken) / 2)

    after = network.measure(again, pasted or mapping, real) if pasted or calibrates else broken
    # An entry is for the table, a mapping for both; samples unlike those of the test
    # have no table that could stay.
    table = after
    if source.startswith("calibration="):
        entered = enter(network, source, layers)
        table = network.measure(entered, mapping, real) if entered else broken
    elif pasted and not found["is_calibration_wrong"]:
        table = network.measure(source, pasted, real)
    return sound, broken, first, named, after, fits(after), table, fits(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/bin"))
    parser.add_argument("--networks", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    only, _, only_fault = args.only.partition(":")
    total = np.zeros(4, int)
    with tempfile.TemporaryDirectory() as folder:
        for name in PLACES:
            if only not in ("", name):
                continue
            network = Network(args, name, pathlib.Path(folder))
            for fault in FAULTS:
                if only_fault not in ("", fault):
                    continue
                sound, broken, first, named, after, good, table, kept = examine(network, fault)
                total += [1, named, good, kept]
                what = "-"
                if first:
                    what = " ".join([first["operator"], first["cause"],
                                     *first["suggestion"].splitlines()[:1]])
                print(f"{name:14} {fault:12} {sound:6.1f} {broken:6.1f} "
                      f"{'named' if named else '-----'} {after:6.1f} {'mended' if good else '------'} "
                      f"{table:6.1f} {'mended' if kept else '------'}  {what}", flush=True)
    print(f"{total[0]} faults: {total[1]} named first, {total[2]} mended with new samples, "
          f"{total[3]} with the table as it is")


main()
