# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The keys of `PROGRAM --help` are the options of the pass apply-backend.

usage: keys.py PROGRAM
"""

import re
import subprocess
import sys


def main():
    program = sys.argv[1]
    text = subprocess.run([program, "--help"], capture_output=True, text=True,
                          check=True).stdout
    keys = re.findall(r"^  ([a-z-]+)=", text.split("Keys of")[1], re.M)
    # What the pass itself prints are all of its options but empty lists.
    printed = subprocess.run(
        [program, "--pass-pipeline=builtin.module(apply-backend)",
         "--dump-pass-pipeline", "-o", "/dev/null"],
        input="", capture_output=True, text=True).stderr
    options = re.findall(r"(?:[{ ])([a-z-]+)=", printed)
    lists = {"corrections", "keep-float", "quantized-inputs", "quantized-outputs"}
    if not options or sorted(keys) != sorted({*options, *lists}):
        sys.exit(f"keys {sorted(keys)}, options {sorted(options)}")


main()
