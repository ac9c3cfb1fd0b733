# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs ONNX files in ONNX Runtime, by its npm package."""

import json
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np

SCRIPT = pathlib.Path(__file__).with_name("onnx_runtime.js")


def missing():
    """Why it can't be used, or nothing."""
    if shutil.which("node") is None:
        return "node is not installed"
    probe = subprocess.run(["node", "-e", "require('onnxruntime-node')"],
                           capture_output=True, cwd=SCRIPT.parent)
    if probe.returncode:
        return ("node finds no onnxruntime-node: npm install --ignore-scripts "
                "onnxruntime-node, and NODE_PATH")
    return None


def run(jobs, level="all", runs=1):
    """For each job, a model's bytes and its inputs, the list of its outputs'
    bytes, or the message of what failed. With several `runs` each gets an equal
    part of the inputs, and outputs are one after the other."""
    with tempfile.TemporaryDirectory() as temporary:
        requests = []
        for number, (model, inputs) in enumerate(jobs):
            folder = pathlib.Path(temporary, str(number))
            folder.mkdir()
            (folder / "model.onnx").write_bytes(model)
            given = []
            for i, array in enumerate(inputs):
                array = np.ascontiguousarray(array)
                (folder / f"input{i}").write_bytes(array.tobytes())
                shape = list(array.shape)
                if runs > 1:
                    shape[0] //= runs
                given.append({"type": array.dtype.name, "shape": shape,
                              "file": str(folder / f"input{i}")})
            requests.append({"model": str(folder / "model.onnx"), "level": level,
                             "inputs": given, "folder": str(folder),
                             "runs": runs})
        result = subprocess.run(["node", str(SCRIPT)], text=True,
                                input=json.dumps(requests), capture_output=True)
        if result.returncode:
            raise RuntimeError(result.stderr)
        for request in requests:
            folder = pathlib.Path(request["folder"])
            if (folder / "error").exists():
                yield (folder / "error").read_text()
                continue
            outputs = []
            while (folder / str(len(outputs))).exists():
                outputs.append((folder / str(len(outputs))).read_bytes())
            yield outputs
