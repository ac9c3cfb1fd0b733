#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the tables of benchmarks/peers and benchmarks/kernels.

    plot.py TABLE.md -o PLOT.svg

Of peers: the time of each engine over the first one's, which is ours. Of kernels: the
share of what the processor's products reach in registers. Takes Debian's
python3-matplotlib. The same table gives the same bytes.
"""

import argparse
import pathlib
import re

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "qbackend"

from matplotlib import pyplot  # noqa: E402


def read(path):
    """The first line, the columns, and the rows."""
    lines = path.read_text().splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in lines if line.startswith("|")]
    return lines[0], rows[0], rows[2:]


def draw_peers(axes, columns, rows):
    width = 0.8 / len(columns[1:])
    axes.set_prop_cycle(color=pyplot.get_cmap("tab20").colors)
    for k, name in enumerate(columns[1:], 1):
        ratios = [float(re.search(r"\(([\d.]+)[,)]", row[k])[1]) for row in rows]
        axes.bar([i + (k - 1) * width for i in range(len(rows))], ratios, width, label=name)
    axes.set_yscale("log")
    axes.axhline(1, color="black", linewidth=0.5)
    axes.set_xticks([i + 0.4 - width / 2 for i in range(len(rows))], [row[0] for row in rows])
    axes.set_ylabel("time over ours")
    axes.legend(fontsize="x-small", ncols=2)


def draw_kernels(axes, columns, rows):
    column = columns.index("share of the peak")
    shares = [float(row[column].rstrip(" %")) for row in rows]
    axes.barh([row[0] for row in rows], shares)
    axes.invert_yaxis()
    axes.axvline(100, color="black", linewidth=0.5)
    axes.set_xlabel("share of the peak, %")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("-o", dest="output", type=pathlib.Path, required=True)
    args = parser.parse_args()
    title, columns, rows = read(args.table)
    figure, axes = pyplot.subplots(figsize=(10, 5), layout="constrained")
    if "share of the peak" in columns:
        draw_kernels(axes, columns, rows)
    else:
        draw_peers(axes, columns, rows)
    axes.set_title(title.split("; ms")[0], fontsize="small")
    figure.savefig(args.output, metadata={"Date": None})


if __name__ == "__main__":
    main()
