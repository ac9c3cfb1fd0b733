# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the tools."""

import subprocess
import sys


def run(*command):
    """What `command` says on stderr; ends the test if it fails."""
    result = subprocess.run([str(part) for part in command],
                            capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{result.stderr[:3000]}")
    return result.stderr
