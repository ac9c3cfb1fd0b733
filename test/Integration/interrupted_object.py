# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interrupts a compilation to an object while a tool runs.

    interrupted_object.py SCRIPT NETWORK BUILD FOLDER

BUILD/bin/qbackend-opt is one that writes BUILD/bin/begun and doesn't end.
"""

import os
import pathlib
import signal
import subprocess
import sys
import time


def main(script: str, network: str, build: str, folder: str) -> None:
    begun = pathlib.Path(build, "bin", "begun")
    process = subprocess.Popen(
        [sys.executable, script, network, "-o", pathlib.Path(folder, "net"), "--build",
         build], stderr=subprocess.PIPE, start_new_session=True,
        # Shells have it ignored in what they start with &.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    while not begun.exists() and process.poll() is None:
        time.sleep(0.02)
    # As a terminal does: what it has started gets it, too.
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    left = os.listdir(folder)
    print(f"ended by {-process.returncode}, said {said.decode() or 'nothing'}, "
          f"left {' '.join(left) or 'nothing'}")


main(*sys.argv[1:])
