#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares observers with PyTorch's, on one core, in one run.

Builds nothing: `ninja -C build observer-throughput` does. Without PyTorch
(python3-torch) only our own figures are printed. Ratios are what to look at;
machines and their load differ.
"""

import argparse
import subprocess
import time

TORCH = {
    "min_max": "MinMaxObserver",
    "moving_average_min_max": "MovingAverageMinMaxObserver",
    "per_channel_min_max": "PerChannelMinMaxObserver",
    "histogram": "HistogramObserver",
}


def measure_torch(kind, data, torch, observers):
    """Millions of elements a second, and microseconds for the parameters."""
    arguments = {"ch_axis": 1} if kind.startswith("per_channel") else {}
    observer = getattr(observers, TORCH[kind])(**arguments)
    seconds = search = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        observer(data)
        seconds = min(seconds, time.perf_counter() - start)
    start = time.perf_counter()
    observer.calculate_qparams()
    search = time.perf_counter() - start
    return data.numel() / seconds / 1e6, search * 1e6


def make_data(name, torch):
    torch.manual_seed(1)
    data = torch.randn(1 << 17, 64)
    return {
        "normal": data,
        "relu": data.relu(),
        "zeros": torch.zeros_like(data),
        "denormal": data * 1e-40,
    }[name]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="build/bin/observer-throughput")
    arguments = parser.parse_args()
    try:
        import torch
        from torch.ao.quantization import observer as observers

        torch.set_num_threads(1)
    except ImportError:
        torch = None
        print("PyTorch isn't installed: no comparison")
    output = subprocess.run(
        [arguments.program], check=True, capture_output=True, text=True
    ).stdout
    print(f"{'observer':24} {'data':9} {'M/s':>7} {'search':>9}  PyTorch")
    for line in output.splitlines():
        kind, data, speed, *search = line.split()
        row = f"{kind:24} {data:9} {speed:>7} {search[1] if search else '-':>6} us"
        if torch and kind in TORCH:
            try:
                theirs, their_search = measure_torch(
                    kind, make_data(data, torch), torch, observers
                )
                row += f"  {theirs:.0f} M/s ({float(speed) / theirs:.1f} times)"
                row += f", search {their_search:.0f} us"
            except RuntimeError as error:
                row += f"  fails: {str(error)[:60]}"
        print(row)


if __name__ == "__main__":
    main()
