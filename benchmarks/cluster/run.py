#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much faster a sensitivity is on two workers than on one, each a process with one
thread, in turns; and that the results are equal.

usage: PYTHONPATH=build/python benchmarks/cluster/run.py NETWORK [--samples 64]
           [--rounds 3] [--workers 2]
"""

import argparse
import concurrent.futures
import statistics
import time

import numpy as np
import qbackend


def measure(model, data, workers):
    """Seconds, and what was found, with workers that are there before."""
    with concurrent.futures.ProcessPoolExecutor(workers) as executor:
        list(executor.map(time.sleep, [0.1] * workers))
        begin = time.monotonic()
        found = model.sensitivity(data, threads=1, executor=executor)
        return time.monotonic() - begin, found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("network")
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    model = qbackend.load(args.network)
    random = np.random.default_rng(0)
    (entry,) = model.inputs
    shape = (args.samples, *entry.shape[1:])
    data = random.uniform(0, 1, shape).astype(entry.dtype)
    model.calibrate(data)
    seconds = {1: [], args.workers: []}
    results = []
    for _ in range(args.rounds):
        for workers, times in seconds.items():
            spent, found = measure(model, data, workers)
            times.append(spent)
            results.append(found)
    if any(found != results[0] for found in results):
        raise SystemExit("the results differ")
    for workers, times in seconds.items():
        print(f"{workers} workers: {', '.join(f'{t:.2f}' for t in times)} s")
    one, more = (statistics.median(times) for times in seconds.values())
    print(f"{len(results[0].operators)} operators, median ratio {one / more:.2f}")


if __name__ == "__main__":
    main()
