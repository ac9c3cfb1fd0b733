# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a peer in Python answers to run.py."""

import sys
import time


def serve(runs):
    """Calls each of `runs` once, says so, and then for each line "INDEX CALLS" prints
    the seconds of the processor that one call of that run took."""
    for run in runs:
        run()
    print("ready", flush=True)
    for line in sys.stdin:
        index, calls = map(int, line.split())
        begin = time.process_time()
        for _ in range(calls):
            runs[index]()
        print((time.process_time() - begin) / calls, flush=True)
