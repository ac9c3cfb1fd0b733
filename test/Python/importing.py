# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what was imported."""

import subprocess

import numpy as np


def run(module, folder, **arrays):
    """The results of a module on one sample, in order."""
    network, data, results = (
        str(folder / name) for name in ("net.mlirbc", "in.npz", "out.npz"))
    module.save(network)
    np.savez(data, **arrays)
    done = subprocess.run(
        ["qbackend-run", network, f"--input={data}", "-o", results],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    with np.load(results) as found:
        return [found[name] for name in found.files]


def operators(module, folder):
    """What `--qbackend-print-operators` says, line by line."""
    network = str(folder / "net.mlirbc")
    module.save(network)
    done = subprocess.run(["qbackend-opt", "--qbackend-print-operators", network],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


def close(got, want, tolerance=1e-5):
    """Equal relative to the range of what is wanted."""
    want = np.asarray(want)
    got = np.asarray(got).reshape(want.shape)
    if want.dtype.kind in "biu":
        return np.array_equal(got, want)
    finite = np.isfinite(want)
    same = np.array_equal(np.isfinite(got), finite) and np.array_equal(
        got[~finite], want[~finite], equal_nan=True)
    if not finite.any():
        return same
    most = max(np.abs(want[finite]).max(), 1e-6)
    return same and np.abs(got[finite] - want[finite]).max() <= tolerance * most
