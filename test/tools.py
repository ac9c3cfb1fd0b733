# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the scripts of tests run tools. From test/FOLDER/script.py:

    sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
    from tools import run  # noqa: E402
"""

import subprocess
import sys


def run(*command, text=None, code=0):
    """What `command` says on the standard output, with `text` on its standard input;
    ends the test if it doesn't exit with `code`."""
    return _run(command, text, code).stdout


def run_for_remarks(*command):
    """What `command` says on the standard error; ends the test if it fails."""
    return _run(command, None, 0).stderr


def _run(command, text, code):
    done = subprocess.run([str(part) for part in command], input=text,
                          capture_output=True, text=True)
    if done.returncode != code:
        sys.exit(f"{' '.join(map(str, command))} gives {done.returncode}\n"
                 f"{done.stdout[:1000]}{done.stderr[:4000]}")
    return done
