#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the networks of this folder and what PyTorch's quantizers say of them.

    PYTHONPATH=build/python write.py ARCHIVES ANNOTATIONS.json

ARCHIVES is a folder with NAME.pt2, programs of `torch.export`, and
ANNOTATIONS.json what `prepare_pt2e` of PyTorch 2.6 made of each of them. The
networks become networks.tar.gz, with the names of PyTorch's nodes as locations
and three numbers in all float parameters, since only the places of observers
are compared; the annotations become annotations.json.gz, with what is compared.
"""

import argparse
import gzip
import io
import json
import pathlib
import sys
import tarfile
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


def write_network(path, output):
    from qbackend import importers
    from qbackend.importers import builder
    from qbackend.importers.pt2 import importer

    counts = []

    def parameter(self, array, element, original=builder.Builder.parameter):
        if array.size > 1 and array.dtype == np.float32:
            # One number would be a scalar, and equal ones one parameter.
            counts.append(array)
            array = np.resize(np.float32([0.25, 0.75, 0.5])
                              + np.float32(len(counts) % 97 / 512), array.shape)
        return original(self, array, element)

    builder.Builder.parameter = parameter
    importer.Importer._path = lambda self, node: node.name
    importers.from_pt2(str(path)).save(str(output))


CONFIGURATIONS = ("xnnpack", "xnnpack_per_channel", "xnnpack_dynamic",
                  "xnnpack_qat", "x86", "x86_dynamic")

CLASSES = {
    "HistogramObserver": "histogram", "MinMaxObserver": "min_max",
    "PerChannelMinMaxObserver": "per_channel_min_max",
    "MovingAverageMinMaxObserver": "moving_average_min_max",
    "MovingAveragePerChannelMinMaxObserver":
        "moving_average_per_channel_min_max",
    "PlaceholderObserver": "placeholder",
    "FusedMovingAvgObsFakeQuantize": "moving_average_min_max",
}
DTYPES = {"int8": "si8", "uint8": "ui8"}


def describe(spec):
    """A spec as --qbackend-print-observers prints observers."""
    kind = spec["observer"]
    text = (CLASSES[spec.get("observer_observer", kind)] + " "
            + DTYPES[spec["dtype"]])
    if spec["is_dynamic"]:
        text += " dynamic"
    text += (f" [{spec['quant_min']}, {spec['quant_max']}] {spec['qscheme']}"
             f" eps {spec['observer_eps']:.9g}")
    if kind == "FusedMovingAvgObsFakeQuantize":
        text += " fused_moving_avg_obs_fake_quantize"
    return text


def reduce(configuration, graph, specs):
    """What is compared: which nodes have a spec, and each observer instance with
    the places where it stands, [value, how many observers the value went through
    before, readers]."""
    operators = {node[0]: node[1] for node in graph}
    observers = {o["name"]: o for o in configuration["observers"]}
    own = {}
    for annotated in configuration["annotated"]:
        node = annotated["node"]
        for source, spec in annotated.get("inputs", {}).items():
            own[f"{source}->{node}"] = spec
        own[node] = annotated.get("output")
    groups, weights = {}, []
    for observer in configuration["observers"]:
        source, before = observer["observes"], 0
        while source in observers:
            source, before = observers[source]["observes"], before + 1
        members = {source} | {f"{source}->{user}" for user in observer["users"]}
        group = next(group for group in configuration["groups"]
                     if members & set(group))
        spec = describe(specs[next(own[member] for member in group
                                   if isinstance(own.get(member), int))])
        if "symmetric" in spec:
            weights += [[user, spec] for user in observer["users"]]
            continue
        groups.setdefault(observer["instance"], [spec]).append(
            [source, before, sorted(observer["users"])])
    annotated = [each["node"] for each in configuration["annotated"]
                 if each.get("output") is not None or any(
                     spec is not None
                     for spec in each.get("inputs", {}).values())]
    return {"annotated": annotated, "groups": list(groups.values()),
            "weights": weights}


def rename(trained, folded):
    """Names of the graph for training as those of the one with folded batch
    norms: by operator, module and order. A batch norm behind a convolution is
    that one."""
    nodes = {node[0]: node for node in trained}
    constant = set()
    for name, operator, inputs, _ in trained:
        if operator == "get_attr" or (
                operator != "placeholder" and constant.issuperset(inputs)):
            constant.add(name)

    def ordered(graph):
        result = {}
        for name, operator, inputs, path in graph:
            if operator != "get_attr" and name not in constant:
                result.setdefault((operator, path), []).append(name)
        return result

    names, theirs, ours = {}, ordered(trained), {}
    for name, operator, _, path in folded:
        if operator != "get_attr":
            ours.setdefault((operator, path), []).append(name)
    for key, each in theirs.items():
        if len(each) == len(ours.get(key, [])):
            names.update(zip(each, ours[key]))
    for name, operator, inputs, _ in trained:
        if operator != "aten.batch_norm.default":
            continue
        before = inputs[0]
        while nodes[before][1] in ("aten.div.Tensor", "aten.add.Tensor"):
            before = nodes[before][2][0]
        if "conv" in nodes[before][1]:
            names[name] = names.get(before, before)
    return names


def renamed(value, names):
    if isinstance(value, list):
        return [renamed(each, names) for each in value]
    return names.get(value, value) if isinstance(value, str) else value


def write_annotations(annotations):
    """The least of them that a comparison needs."""
    result = {}
    for name, network in annotations.items():
        # The values that each node reads, but for parameters.
        graph = network["graphs"][0] if network["graphs"] else []
        parameters = {node[0] for node in graph if node[1] == "get_attr"}
        result[name] = {"inputs": {
            node[0]: [each for each in node[2] if each not in parameters]
            for node in graph if node[0] not in parameters}}
        for which in CONFIGURATIONS:
            configuration = network[which]
            if "error" in configuration:
                result[name][which] = {"error": configuration["error"]}
                continue
            same = network[configuration.get("same_as", which)]
            if not same.get("observers"):
                result[name][which] = {"annotated": [], "groups": [],
                                       "weights": []}
                continue
            graphs = network["graphs"]
            reduced = reduce(same, graphs[same["graph"]],
                             configuration["specs"])
            if which == "xnnpack_qat" and same["graph"]:
                names = rename(graphs[same["graph"]], graphs[0])
                reduced = {key: renamed(each, names)
                           for key, each in reduced.items()}
            result[name][which] = reduced
    write(HERE / "annotations.json.gz",
          json.dumps(result, sort_keys=True).encode())


def write(path, data):
    """The same bytes whenever it is written."""
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archives", type=pathlib.Path)
    parser.add_argument("annotations", type=pathlib.Path)
    arguments = parser.parse_args()
    annotations = json.loads(arguments.annotations.read_text())
    write_annotations(annotations)
    archive = io.BytesIO()
    with tempfile.TemporaryDirectory() as directory, tarfile.open(
            fileobj=archive, mode="w") as tar:
        for name in sorted(annotations):
            file = pathlib.Path(directory) / f"{name}.mlir"
            write_network(arguments.archives / f"{name}.pt2", file)
            entry = tarfile.TarInfo(file.name)
            entry.size = file.stat().st_size
            tar.addfile(entry, file.open("rb"))
    write(HERE / "networks.tar.gz", archive.getvalue())


if __name__ == "__main__":
    sys.exit(main())
