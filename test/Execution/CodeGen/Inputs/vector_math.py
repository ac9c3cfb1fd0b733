# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what functions are taken of, or compares with those of double.

    vector_math.py FOLDER [--write]
"""

import math
import pathlib
import sys

import numpy as np

EDGES = [0.0, -0.0, 1e-3, 0.5, -0.5, 4.25, 3.92, 1e-38, -3e-39, 1e30, -1e30, 88.0, -104.0]


def main():
    folder = pathlib.Path(sys.argv[1])
    if "--write" in sys.argv:
        random = np.random.default_rng(7)
        x = np.concatenate([random.uniform(-5, 5, 40000), random.uniform(-0.6, 0.6, 20000),
                            random.choice([-1, 1], 5536 - len(EDGES)) *
                            10 ** random.uniform(-30, 1.9, 5536 - len(EDGES)), EDGES])
        np.savez(folder / "x.npz", x=x.astype(np.float32)[None])
        return
    with np.load(folder / "x.npz") as file:
        x = file["x"][0]
    with np.load(folder / "y.npz") as file:
        results = [file[name][0] for name in file.files]
    for function, got in zip((math.exp, math.tanh, math.erf), results):
        with np.errstate(over="ignore"):
            want = np.array([math.inf if function is math.exp and v > 700 else function(v)
                             for v in map(float, x)]).astype(np.float32)
        near = (got == want) | (got == np.nextafter(want, np.float32(np.inf))) | (
            got == np.nextafter(want, np.float32(-np.inf)))
        near &= np.signbit(got) == np.signbit(want)
        # One in ten thousand may be the other neighbour.
        others = np.count_nonzero(got != want)
        print(f"{function.__name__}: {np.count_nonzero(~near)} of {len(x)} beyond a neighbour")
        if others > len(x) // 10000:
            sys.exit(f"{function.__name__}: {others} are the other neighbour")


if __name__ == "__main__":
    main()
