#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs ONNX's node tests, a folder `onnx/backend/test/data/node` of its sources
(they aren't part of this project), and prints the table of docs/Importing.md: how
many pass, and why the others don't. What isn't compiled with sizes or axes that are
inputs is tried with these inputs as constants.

    PYTHONPATH=build/python test/Python/onnx_nodes.py onnx/backend/test/data/node
"""

import argparse
import collections
import pathlib
import re

import numpy as np

from qbackend import ImportFailure
from qbackend.importers.archive import mapped
from qbackend.importers.module import finished
from qbackend.importers.onnx.importer import Importer
from qbackend.importers.onnx.model import Reader


def tensors(folder, kind):
    """Of test_data_set_0, in order."""
    files = sorted(folder.glob(f"{kind}_*.pb"),
                   key=lambda path: int(path.stem.rpartition("_")[2]))
    return [Reader(None).tensor(mapped(path)) for path in files]


def close(got, want):
    """As onnx.backend.test: 1e-3 relative and 1e-7 absolute."""
    return got.shape == want.shape and got.dtype == want.dtype and bool(
        np.allclose(got, want, 1e-3, 1e-7, equal_nan=True)
        if want.dtype.kind == "f" else np.array_equal(got, want))


def run(folder, with_constants):
    """What is computed, and what should be. `with_constants`: all inputs but the
    first, and all that aren't real, are parts of the model."""
    model = Reader(str(folder)).model(mapped(folder / "model.onnx"))
    data = folder / "test_data_set_0"
    given = [i.name for i in model.graph.inputs if i.name not in model.graph.weights]
    inputs = dict(zip(given, tensors(data, "input")))
    if with_constants:
        for i, (name, tensor) in enumerate(inputs.items()):
            if i or not tensor.element.is_float:
                model.graph.weights[name] = tensor
    module = finished(*Importer(model).run())
    arrays = [t.data.astype(t.data.dtype.newbyteorder("="))
              for name, t in inputs.items() if name not in model.graph.weights]
    found = module.run(*arrays)
    found = list(found) if isinstance(found, (list, tuple)) else [found]
    return found, [t.data for t in tensors(data, "output")]


def judge(folder):
    """"passes", "passes with constants", "differs" or "refused", and why."""
    verdict = "passes"
    try:
        try:
            found, wanted = run(folder, False)
        except ImportFailure as error:
            if "expected a constant" not in str(error):
                raise
            verdict = "passes with constants"
            found, wanted = run(folder, True)
    except (ValueError, TypeError) as error:
        return "refused", str(error)
    for got, want in zip(found, wanted):
        got = np.asarray(got)
        if got.size == 1 and want.ndim == 0:
            got = got.reshape(())  # a result for each sample
        if not close(got, want):
            return "differs", f"{got.dtype}{got.shape} {want.dtype}{want.shape}"
    return verdict, ""


_GROUPS = (
    (r"is of type float8", "8-bit floats"),
    (r"of type string|constant that is no tensor", "strings"),
    (r"is no tensor|is of type 0", "sequences, optionals and loops over them"),
    (r"NaN or infinite", "an input that is NaN or infinite, which no run takes"),
    (r"doesn't say its opset", "operators of other domains than ONNX's own"),
    (r"in training", "training"),
    (r"expected a constant", "a size that isn't known"),
)


def reason_of(text):
    """Without what belongs to one test."""
    listed = re.findall(r"^  (\S+) \(", text, re.MULTILINE)
    if listed:
        return "no operator " + ", ".join(f"`{name}`" for name in sorted(listed))
    text = re.sub(r" at '[^']*'", "", text.splitlines()[0])
    for pattern, reason in _GROUPS:
        if re.search(pattern, text):
            return reason
    return text[:110]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--filter", default="")
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    reasons = collections.defaultdict(list)
    counts = collections.Counter()
    for folder in sorted(given.folder.iterdir()):
        if not re.search(given.filter, folder.name):
            continue
        verdict, text = judge(folder)
        counts[verdict] += 1
        if not verdict.startswith("passes"):
            reasons[verdict, reason_of(text)].append(folder.name)
    print(", ".join(f"{count} {name}" for name, count in counts.most_common()))
    for (verdict, reason), names in sorted(
            reasons.items(), key=lambda item: (item[0][0], -len(item[1]))):
        print(f"| {verdict} | {len(names)} | {reason} |"
              + (f" {' '.join(names)}" if given.verbose else ""))


if __name__ == "__main__":
    main()
