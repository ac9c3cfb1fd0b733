# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ends a compilation to an object while a tool runs.

    interrupted_object.py SCRIPT NETWORK BUILD FOLDER

BUILD/bin/qbackend-opt is one that writes its number to BUILD/bin/begun and doesn't
end.
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time


def is_running(process: int) -> bool:
    try:
        # Whoever adopted it may not have waited for it yet.
        return " Z " not in pathlib.Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False


def interrupt(number: int, script: str, network: str, build: str, folder: str) -> str:
    begun = pathlib.Path(build, "bin", "begun")
    begun.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        process = subprocess.Popen(
            [sys.executable, script, network, "-o", pathlib.Path(folder, "net"),
             "--build", build], stderr=subprocess.PIPE, start_new_session=True,
            env={**os.environ, "TMPDIR": scratch},
            # Shells have it ignored in what they start with &.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        end = time.monotonic() + 300
        while not (begun.exists() and begun.read_text().endswith("\n")) \
                and process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        tool = int(begun.read_text())
        if number == signal.SIGINT:
            # As a terminal does: what it has started gets it, too.
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        process.wait(timeout=60)
        still = is_running(tool)
        if still:
            os.killpg(process.pid, signal.SIGKILL)
        said = process.stderr.read().decode() or "nothing"
        left = sorted(os.listdir(folder)) + sorted(os.listdir(scratch))
        return (f"ended by {-process.returncode}, said {said}, "
                f"left {' '.join(left) or 'nothing'}, "
                f"{'still runs' if still else 'nothing runs'}")


for each in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
    print(interrupt(each, *sys.argv[1:]), flush=True)
