# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines of observer-throughput for PyTorch's observers; run.py runs it."""

import time

import torch
from torch.ao.quantization import observer as observers

KINDS = {
    "min_max": "MinMaxObserver",
    "moving_average_min_max": "MovingAverageMinMaxObserver",
    "per_channel_min_max": "PerChannelMinMaxObserver",
    "histogram": "HistogramObserver",
}


def measure(kind, data):
    """Millions of elements a second, and microseconds for the qparams."""
    arguments = {"ch_axis": 1} if kind.startswith("per_channel") else {}
    observer = getattr(observers, KINDS[kind])(**arguments)
    seconds = search = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        observer(data)
        seconds = min(seconds, time.perf_counter() - start)
    start = time.perf_counter()
    observer.calculate_qparams()
    search = time.perf_counter() - start
    return data.numel() / seconds / 1e6, search * 1e6


def main():
    torch.set_num_threads(1)
    torch.manual_seed(1)
    normal = torch.randn(1 << 17, 64)
    for name, data in {"normal": normal, "relu": normal.relu(),
                       "zeros": torch.zeros_like(normal),
                       "denormal": normal * 1e-40}.items():
        for kind in KINDS:
            try:
                speed, search = measure(kind, data)
            except RuntimeError as error:
                print(f"# {kind}, {name}: {str(error)[:60]}")
                continue
            print(f"{kind} {name} {speed:.0f} search {search:.0f}", flush=True)


main()
