# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calibrates on more samples than anybody waits for: interrupted.py FOLDER"""

import pathlib
import signal
import sys
import time

import numpy as np
import qbackend

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Faults"))
import faults  # noqa: E402

folder = pathlib.Path(sys.argv[1])
network = faults.write_network(folder / "network.mlir", 200)
np.savez(folder / "samples.npz", x=np.zeros((200000, 200), dtype="f4"))
# Who runs tests may ignore it, and children with them.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.alarm(300)
print("begins", flush=True)
try:
    qbackend.apply_backend(network.read_text(), data=str(folder / "samples.npz"))
except KeyboardInterrupt:
    print(f"interrupted {time.time()}", flush=True)
    # The next call is not.
    network = faults.write_network(folder / "small.mlir", 4)
    assert "qnnpack.linear" in qbackend.apply_backend(network.read_text(), samples=2)
