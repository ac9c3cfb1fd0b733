# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the system gives few threads, or none but one, calls do with them."""

import os
import pathlib
import resource
import subprocess
import sys

import pytest
import qbackend

pytest.importorskip("numpy")

SCRIPT = """\
import networks, numpy, qbackend
model = qbackend.Model(networks.linear())
x = networks.samples()
print(numpy.allclose(model.run(x, threads=4), networks.expected(x), atol=1e-5))
try:
    int8 = model.calibrate(x, threads=4).quantize()
    print(numpy.abs(int8.run(x, threads=4) - networks.expected(x)).max() < 0.1)
except qbackend.CompilerError as error:
    print("cannot start a process to read it in" in str(error))
"""


def is_open_to_all(*folders):
    """Whether every user may go to each of them and read."""
    return all(
        pathlib.Path(folder).resolve().stat().st_mode & 0o5 == 0o5
        and all(parent.stat().st_mode & 1 for parent in pathlib.Path(folder).resolve().parents)
        for folder in folders
    )


@pytest.mark.parametrize("most", [1, 2, 3, 9])
def test_calls_do_with_few_threads(most):
    is_root = os.geteuid() == 0
    if most > 1 and not is_root:
        pytest.skip("other processes of this user count, too")

    if is_root and not is_open_to_all(os.path.dirname(__file__), *qbackend.__path__):
        pytest.skip("the files are where another user may not look")

    def limit():
        if is_root:  # Which has no limit.
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))

    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        timeout=300,
        cwd=os.path.dirname(__file__),
        env={
            **os.environ,
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONPATH": os.path.dirname(qbackend.__path__[0]),
        },
    )
    assert (done.returncode, done.stdout) == (0, "True\nTrue\n"), done.stderr[-2000:]
