#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much faster a sensitivity is on two workers than on one, each a process with one
thread, in turns; and that the results are equal.

    PYTHONPATH=build/python benchmarks/cluster/run.py NETWORK [--samples N] [--rounds N]

Seconds are of a clock, and of processors: those of this process and of the worker that
had most to do, which is what a clock would show on a machine without other work.

Weights that a text has as `dense_resource<__elided__>` are made up: what it costs to
run doesn't depend on them.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import statistics
import tempfile
import time

import numpy as np
import qbackend


def timed(work, folder, task):
    """Does a task, and leaves in a file how long this worker has computed."""
    answer = work(task)
    (pathlib.Path(folder) / str(os.getpid())).write_text(str(time.process_time()))
    return answer


class Timed(concurrent.futures.ProcessPoolExecutor):
    def __init__(self, workers, folder):
        super().__init__(workers)
        self.folder = folder

    def submit(self, work, *arguments):
        if len(arguments) == 1:
            return super().submit(timed, work, self.folder, *arguments)
        return super().submit(work, *arguments)


def measure(model, data, workers):
    """Seconds of the clock and of processors, and what was found."""
    with tempfile.TemporaryDirectory() as folder, Timed(workers, folder) as executor:
        begin, computed = time.monotonic(), time.process_time()
        found = model.sensitivity(data, threads=1, executor=executor)
        seconds = time.monotonic() - begin
        computed = time.process_time() - computed
        others = [float(path.read_text()) for path in pathlib.Path(folder).iterdir()]
        return seconds, computed + max(others), found


def load(path):
    """The network, with weights where the file says that there were some."""
    text = pathlib.Path(path).read_bytes()
    if b"dense_resource<__elided__>" not in text:
        return qbackend.load(path)
    random = np.random.default_rng(1)
    weights = {}

    def name(found):
        shape = [int(extent) for extent in found[1].split("x")]
        # Of few dimensions it may be a variance, which is above 0.
        fan_in = int(np.prod(shape[1:]))
        if fan_in > 1:
            values = random.normal(0, np.sqrt(2 / fan_in), shape)
        else:
            values = random.uniform(0.5, 1.5, shape)
        key = f"w{len(weights)}"
        weights[key] = values.astype("float32")
        return f"dense_resource<{key}> : tensor<{found[1]}xf32>"

    text = re.sub(
        r"dense_resource<__elided__> : tensor<([\dx]+)xf32>", name, text.decode()
    )
    with tempfile.TemporaryDirectory() as folder:
        named, file = f"{folder}/net.mlir", f"{folder}/weights.npz"
        pathlib.Path(named).write_text(text)
        np.savez(file, **weights)
        model = qbackend.load(named, weights=file)
        model.inputs  # Read while the files are there.
        return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("network")
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    model = load(args.network)
    random = np.random.default_rng(0)
    (entry,) = model.inputs
    shape = (args.samples, *entry.shape[1:])
    data = random.uniform(0, 1, shape).astype(entry.dtype)
    model.calibrate(data)
    clock, processor = {}, {}
    results = []
    for _ in range(args.rounds):
        for workers in (1, args.workers):
            seconds, computed, found = measure(model, data, workers)
            clock.setdefault(workers, []).append(seconds)
            processor.setdefault(workers, []).append(computed)
            results.append(found)
    if any(found != results[0] for found in results):
        raise SystemExit("the results differ")
    print(f"{len(results[0].operators)} operators, {args.samples} samples")
    for name, times in (("clock", clock), ("processor", processor)):
        ratios = [a / b for a, b in zip(times[1], times[args.workers])]
        for workers, seconds in times.items():
            print(
                f"{name}, {workers} workers: " + " ".join(f"{t:.2f}" for t in seconds)
            )
        print(f"{name}: median ratio {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
