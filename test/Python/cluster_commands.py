# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All that runs in parts, on the workers of an engine: writes to FOLDER/ENGINE.json
what each command gives, as text.

usage: cluster_commands.py FOLDER ENGINE WORKERS
"""

import hashlib
import json
import pathlib
import sys

import numpy as np
import qbackend

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "examples" / "cluster"))
from calibrate import open_engine  # noqa: E402

def run(folder, executor, name):
    calibration = np.load(folder / "calib.npz")["x"]
    test = np.load(folder / "test.npz")["x"]
    labels = np.load(folder / "labels.npy")
    model = qbackend.load(folder / "net.mlir")
    model.calibrate(
        calibration, statistics="mergeable", for_corrections=True, executor=executor
    )
    quantized = model.quantize(corrections="bias-correction,adaptive-rounding")
    layers = quantized.compare_layers(model, test, labels, executor=executor)
    page = folder / f"{name}.html"
    layers.save(page)
    tuned = folder / f"{name}.mlir"
    found = model.tune(test, tuned, keep_sqnr=55, executor=executor)
    return {
        "calibrate": model.calibration,
        "corrections": quantized.text(),
        "evaluate": str(model.evaluate(test, labels, executor=executor)),
        "layers": f"{layers}\n{hashlib.sha256(page.read_bytes()).hexdigest()}",
        "sensitivity": repr(
            model.sensitivity(test, labels, changes=True, executor=executor)
        ),
        "tune": found.log + tuned.read_text(),
    }


def main():
    folder, engine, workers = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    with open_engine(engine, workers, None) as executor:
        results = run(folder, executor, f"{engine}{workers}")
    (folder / f"{engine}{workers}.json").write_text(json.dumps(results))


if __name__ == "__main__":
    main()
