#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares observers with PyTorch's, on one core, in one run.

    run.py build/bin/observer-throughput [--python "chroot ROOT /usr/bin/python3"]

Builds nothing: `ninja -C build observer-throughput` does. --python is the command of a
Python that has PyTorch, as that of a Debian 13 in a folder. Ratios are what to look at;
machines and their load differ.
"""

import argparse
import pathlib
import shlex
import subprocess
import sys


def read(command, **arguments):
    """Speed and search by kind and data; nothing if the command fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, **arguments)
    if done.returncode:
        print(f"{command[0]} failed: no comparison", file=sys.stderr)
    rows = {}
    for line in done.stdout.splitlines():
        kind, data, speed, *search = line.split()
        if kind == "#":
            print(line)
            continue
        rows[kind, data] = float(speed), float(search[1]) if search else 0.0
    return rows


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program", help="build/bin/observer-throughput")
    parser.add_argument("--python", default=sys.executable, help="with PyTorch")
    arguments = parser.parse_args()
    peer = pathlib.Path(__file__).with_name("torch_peer.py").read_text()
    theirs = read([*shlex.split(arguments.python), "-W", "ignore", "-"], input=peer)
    print(f"{'observer':24} {'data':9} {'M/s':>7} {'search':>9}  PyTorch")
    for key, (speed, search) in read([arguments.program]).items():
        row = f"{key[0]:24} {key[1]:9} {speed:7.0f} {search:6.0f} us"
        if key in theirs:
            speed_there, search_there = theirs[key]
            row += (f"  {speed_there:.0f} M/s ({speed / speed_there:.1f} times), "
                    f"search {search_there:.0f} us")
        print(row)


if __name__ == "__main__":
    main()
