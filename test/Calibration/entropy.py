#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The entropy observer against NumPy, by the formula of docs/Calibration.md.

    entropy.py QBACKEND_CALIB FOLDER

Writes a table with histograms of known data, lets the tool choose ranges, and
chooses them again here: all candidates, their distributions spelled out.
"""

import json
import pathlib
import subprocess
import sys

import numpy as np

BINS, LEVELS = 2048, 256


def divergence(counts, first, kept):
    """Sum p ln(p / q) of keeping `kept` bins from `first` on."""
    total, inside = counts.sum(), counts[first : first + kept]
    p = inside.copy()
    p[0] += counts[:first].sum()
    p[-1] += counts[first + kept :].sum()
    edges = np.arange(LEVELS + 1) * kept // LEVELS
    q = np.concatenate([
        np.full(end - begin, inside[begin:end].sum())
        / max(np.count_nonzero(p[begin:end]), 1)
        for begin, end in zip(edges, edges[1:])
    ])
    q = np.maximum(q / inside.sum(), 1e-4 / kept)
    p /= total
    seen = p > 0
    return np.sum(p[seen] * np.log(p[seen] / q[seen]))


def choose(data):
    """The ends of the range for bins of `data`."""
    low, high = data.min(), data.max()
    largest = max(-low, high)
    edges = (-largest if low < 0 else 0, largest if high > 0 else 0)
    counts = np.histogram(data, BINS, edges)[0].astype(float)
    zero = {-largest: BINS // 2, 0: 0}[edges[0]] if high > 0 else BINS
    if zero < BINS:
        counts[zero] = min(counts[zero], counts[zero + 1])
    if zero > 0:
        counts[zero - 1] = min(counts[zero - 1], counts[zero - 2])
    first = {0: lambda k: 0, BINS: lambda k: BINS - k}.get(
        zero, lambda k: (BINS - k) // 2
    )
    candidates = range(BINS, LEVELS - 1, -8)
    kept = min(candidates, key=lambda k: (divergence(counts, first(k), k), -k))
    width = (edges[1] - edges[0]) / BINS
    begin = edges[0] + width * first(kept)
    return max(begin, low), min(begin + width * kept, high), kept


def make_data():
    """Values in the middle of cells of 2^-11, so that no bin has to be cut."""
    random = np.random.default_rng(3)
    shapes = {
        "relu": np.maximum(random.normal(size=40000), 0) / 6,
        "relu_and_outliers": np.append(
            np.maximum(random.normal(size=40000), 0) / 30, random.random(20)
        ),
        "relu6": np.clip(random.normal(size=40000), 0, 1),
        "negative": -np.abs(random.laplace(size=40000)) / 15,
        "uniform": random.random(40000),
        "signed": random.laplace(size=40000) / 15,
        "signed_and_zeros": np.append(
            random.normal(size=20000) / 7, np.zeros(30000)
        ),
        "few": random.normal(size=30) / 4,
    }
    for name, values in shapes.items():
        values = np.clip(values, -1, 1)
        # The range is a power of two on each side that there is.
        values = np.append(values, [1.0] if values.max() > 0 else [])
        values = np.append(values, [-1.0] if values.min() < 0 else [])
        yield name, values


def main():
    tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    entries, expected = [], {}
    for name, values in make_data():
        signed = values.min() < 0 < values.max()
        # Cells as a grid has them: at most 4096, and 0 is an edge.
        exponent = -10 if signed else -11
        width = 2.0**exponent
        cells = np.trunc(np.abs(values) / width).astype(int)
        cells = np.where(values < 0, -1 - cells, cells)
        first = int(cells.min())
        counts = np.bincount(cells - first)
        entries.append({
            "name": name, "kind": "min_max", "elements": len(values),
            "min": float(values.min()), "max": float(values.max()),
            "grid": {
                "exponent": exponent, "first": first, "counts": counts.tolist()
            },
        })
        expected[name] = choose(values)
    table = folder / "table.json"
    table.write_text(json.dumps({"version": 2, "entries": entries}))
    text = subprocess.run(
        [tool, "export", "--format=aimet", "--observer=entropy", table],
        check=True, capture_output=True, text=True,
    ).stdout
    found = json.loads(text)["activation_encodings"]
    failed = 0
    for name, (low, high, kept) in expected.items():
        low, high = min(low, 0), max(high, 0)
        scale = found[name][0]["scale"]
        right = abs(scale - (high - low) / 255) <= 1e-5 * scale
        failed += not right
        print(f"{name}: {kept} of {BINS} bins, scale {scale:.6g}",
              "" if right else f"expected {(high - low) / 255:.6g}")
    print(f"{failed} of {len(expected)} differ")


if __name__ == "__main__":
    main()
