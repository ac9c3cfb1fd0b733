#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does a backend with edges observe as PyTorch's quantizer does?

    pt2e.py [NETWORK ...] [--show] [--update]

Observes each network of networks.tar.gz with each configuration, and compares
with annotations.json.gz: which operators are annotated; each observer's class,
type, range, scheme and eps, and all the places where it stands, with their
readers (the groups of edges and results); and the observers of weights. The lines in which the two differ have to be those of
differences.json, with the reason of each. `--show` prints them, and `--update`
writes them down, keeping the reasons.
"""

import argparse
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from placement import BIN, base, read_observers  # noqa: E402

#: Backend and mapping.
CONFIGURATIONS = {
    "xnnpack": ("xnnpack_pt2e", "default"),
    "xnnpack_per_channel": ("xnnpack_pt2e", "per_channel"),
    "xnnpack_dynamic": ("xnnpack_pt2e", "dynamic"),
    "xnnpack_qat": ("xnnpack_pt2e", "qat"),
    "x86": ("x86_inductor", "default"),
    "x86_dynamic": ("x86_inductor", "dynamic"),
}


def observe(file, backend, qconfig):
    options = f"backend={backend} qconfig={qconfig}"
    result = subprocess.run(
        [str(BIN / "qbackend-opt"), str(file), "--qbackend-raise",
         "--qbackend-normalize-layout", f"--qbackend-fuse=backend={backend}",
         f"--qbackend-observe={options}", f"--qbackend-print-observers={options}",
         "-o", os.devnull], capture_output=True, text=True, timeout=120)
    if result.returncode:
        raise RuntimeError(result.stderr.strip())
    return result.stdout


class Names:
    """PyTorch's nodes as what they are called here: the last operator of each
    unit. `inputs` has what each node reads."""

    def __init__(self, text, inputs):
        self.inputs = inputs
        self.placement, operators = read_observers(text)
        self.anchor, self.floats, self.quantized = {}, set(), set()
        for value, parts in operators:
            for part in parts:
                self.anchor[self.node(part)] = self.node(value)
        for line in text.splitlines():
            if re.match(r"\d+: ", line):
                name = self.node(line.split(": ")[1].split(" = ")[0])
                (self.floats if line.endswith("; float")
                 else self.quantized).add(name)

    def node(self, name):
        """The node that a value is of: several that one node became are
        numbered, conv2d_1_0."""
        name = base(name)
        short = re.sub(r"_\d+$", "", name)
        return short if name not in self.inputs and short in self.inputs else name

    def value(self, name, readers):
        """A value that only its own operator reads is that one's input, in
        another shape."""
        name = self.node(name)
        inputs = self.inputs.get(name, [])
        if readers == {self(name)} and len(inputs) == 1:
            return self(inputs[0])
        return name

    def __call__(self, name):
        return self.anchor.get(name, name)


def ours(names):
    """The facts of what the passes did."""
    lines = {f"annotated {anchor}" for anchor in names.quantized}
    groups = {}
    for (value, before, observer), (instance, readers) in (
            names.placement.sites.items()):
        readers = {names.node(reader) for reader in readers}
        readers = {reader for reader in readers if reader in names.anchor}
        groups.setdefault((instance, observer), []).append(
            (names.value(value, readers), bool(before), readers))
    for (_, observer), sites in groups.items():
        lines.add(group_line(observer, sites))
    for operator, observer in names.placement.weights.items():
        lines.add(f"weight of {names.node(operator)} by {observer}")
    return lines


def group_line(observer, sites):
    return f"{observer}: " + "; ".join(sorted(
        f"{value}{' again' if again else ''} -> {', '.join(sorted(readers))}"
        for value, again, readers in sites))


def theirs(wanted, names):
    """The same of PyTorch's."""
    lines = {f"annotated {names(node)}" for node in wanted["annotated"]}
    for observer, *sites in wanted["groups"]:
        lines.add(group_line(observer, [
            # A number that became a buffer is named by its reader here.
            (f"{names(users[0])}.number" if value.startswith("_tensor_constant_")
             else names(value), bool(before),
             {names(user) for user in users if names(user) in names.anchor})
            for value, before, users in sites]))
    for operator, observer in wanted["weights"]:
        lines.add(f"weight of {names(operator)} by {observer}")
    return lines


#: What the observers of each configuration are called in differences.json.
OBSERVERS = {
    "xnnpack": {
        "activation": "histogram si8 [-128, 127] per_tensor_affine",
        "parameter": "min_max si8 [-127, 127] per_tensor_symmetric"},
    "xnnpack_per_channel": {
        "activation": "histogram si8 [-128, 127] per_tensor_affine",
        "parameter":
            "per_channel_min_max si8 [-127, 127] per_channel_symmetric"},
    "xnnpack_dynamic": {
        "activation": "placeholder si8 dynamic [-128, 127] per_tensor_affine",
        "parameter": "min_max si8 [-127, 127] per_tensor_symmetric"},
    "xnnpack_qat": {
        "activation": "moving_average_min_max si8 [-128, 127] "
                      "per_tensor_affine",
        "parameter": "moving_average_min_max si8 [-127, 127] "
                     "per_tensor_symmetric"},
    "x86": {
        "activation": "histogram ui8 [0, 255] per_tensor_affine",
        "parameter":
            "per_channel_min_max si8 [-128, 127] per_channel_symmetric"},
    "x86_dynamic": {
        "activation": "placeholder ui8 dynamic [0, 255] per_tensor_affine",
        "parameter":
            "per_channel_min_max si8 [-128, 127] per_channel_symmetric"},
}
_END = " eps 0.000244140625"
_TRAINED = " fused_moving_avg_obs_fake_quantize"


def short(which, line):
    """A line with names for the observers."""
    end = _END + (_TRAINED if which == "xnnpack_qat" else "")
    for name, observer in OBSERVERS[which].items():
        line = line.replace(observer + end, name)
    return line


def merge(found):
    """Lines by the configurations that they are the same of."""
    merged = {}
    for which, lines in found.items():
        if lines:
            merged.setdefault(tuple(lines), []).append(which)
    return {" ".join(names): list(lines) for lines, names in merged.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    annotations = json.loads(gzip.decompress(
        (HERE / "annotations.json.gz").read_bytes()))
    path = HERE / "differences.json"
    listed = json.loads(path.read_text()) if path.exists() else {}
    equal = compared = lines = wrong = 0
    updated = {}
    failed = False
    with tempfile.TemporaryDirectory() as directory:
        with tarfile.open(HERE / "networks.tar.gz") as archive:
            archive.extractall(directory)
        for network in arguments.networks or sorted(annotations):
            file = pathlib.Path(directory) / f"{network}.mlir"
            for which, configuration in CONFIGURATIONS.items():
                wanted = annotations[network][which]
                # Of what makes PyTorch fail, there is nothing to compare.
                if "error" in wanted:
                    continue
                names = Names(observe(file, *configuration),
                              annotations[network]["inputs"])
                torch, here = theirs(wanted, names), ours(names)
                found = sorted(
                    short(which, line)
                    for line in [f"PyTorch: {line}" for line in torch - here]
                    + [f"here: {line}" for line in here - torch])
                compared += 1
                equal += not found
                lines += len(torch)
                wrong += len(torch - here)
                if arguments.show and found:
                    print(f"{network}, {which}:", *found, sep="\n  ")
                entry = listed.setdefault(network, {"reason": "", "lines": {}})
                expected = [line for names, each in entry["lines"].items()
                            if which in names.split() for line in each]
                if arguments.update:
                    updated.setdefault(network, {})[which] = found
                    continue
                for line in sorted(set(found) ^ set(expected)):
                    failed = True
                    print(f"{network}, {which}: "
                          f"{'new' if line in found else 'gone'} difference: "
                          f"{line}")
    print(f"{equal} of {compared} equal; {lines - wrong} of {lines} facts")
    for network, found in updated.items():
        listed[network]["lines"] = merge(found)
    if arguments.update:
        path.write_text(json.dumps(
            {network: entry for network, entry in sorted(listed.items())
             if entry["lines"]}, indent=1) + "\n")
    unexplained = [network for network, entry in listed.items()
                   if entry["lines"] and not entry["reason"]]
    if unexplained:
        print("no reason is given for", ", ".join(unexplained))
    return failed or bool(unexplained)


if __name__ == "__main__":
    sys.exit(main())
