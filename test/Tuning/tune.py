# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""qbackend-tune finds a small change, which --apply-backend takes.

usage: tune.py SOURCE FOLDER
"""

import itertools
import json
import pathlib
import re
import signal
import subprocess
import sys

SOURCE, FOLDER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
IMAGES = SOURCE / "examples/data/mnist_digits.npz"
SAMPLES = [f"--input={IMAGES}:test_images", f"--labels={IMAGES}:test_labels",
           "--input-scale=1/255", "--samples=100"]
NAMES = ["conv1", "pool1", "conv2", "pool2", "flatten", "fc1", "fc2", "fc3"]


def run(*command, code=0):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != code:
        sys.exit(f"{' '.join(map(str, command))} gives {done.returncode}\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout


def check(condition, message):
    if not condition:
        sys.exit(f"FAILED: {message}")


def compare(net, mapping, source):
    output = FOLDER / "int.mlir"
    run("qbackend-opt", f"--apply-backend=qnnpack qconfig={mapping} {source}", net, "-o", output)
    text = run("qbackend-run", net, f"--compare={output}", *SAMPLES)
    return (float(re.search(r"SQNR (\S+) dB", text).group(1)),
            *map(float, re.search(r"accuracy (\S+) and (\S+)", text).groups()))


def get_real(mapping):
    return re.findall(r'module_name "([^"]+)" none', mapping.read_text())


def channels():
    """A network whose channels differ needs no operator in real numbers."""
    folder = FOLDER / "channels"
    run(sys.executable, SOURCE / "test/Pipelines/Inputs/unequal.py", "channels", folder)
    tuned = folder / "tuned.mlir"
    text = run("qbackend-tune", folder / "net.mlir", "--keep-sqnr=25",
               f"--data={folder}/calibration.npy", f"--input={folder}/test.npy", "-o", tuned)
    check("held: " in text and ", 0 of 3 operators real-valued" in text, text)
    check("cross-layer-equalization" in tuned.read_text(), tuned.read_text())
    check(not list(folder.glob("*.partial")), "something partial is left")
    # Without names, operators are selected by their number.
    unnamed = folder / "unnamed.mlir"
    unnamed.write_text(re.sub(r' loc\("\w+"\)', "", (folder / "net.mlir").read_text()))
    text = run("qbackend-tune", unnamed, "--keep-sqnr=200",
               f"--data={folder}/calibration.npy", f"--input={folder}/test.npy", "-o", tuned)
    check("held: inf dB, 3 of 3 operators real-valued" in text, text)
    check('module_name_object_type_order "", "conv2d", 2 none' in tuned.read_text(),
          tuned.read_text())


def cut_range():
    """A range in the table that is far too small: no observer helps."""
    net, table, tuned = FOLDER / "net.mlir", FOLDER / "table.json", FOLDER / "tuned.mlir"
    run(sys.executable, SOURCE / "examples/export.py",
        SOURCE / "examples/networks/lenet5.npz", "lenet5", "--spelling", "linalg", "-o", net)
    entries = [{"name": "x", "scale": 1 / 255, "zero_point": 0}]
    for name, largest in (("conv1", 3.0), ("conv2", 6.5), ("fc1", 10.0), ("fc2", 9.0)):
        entries.append({"name": name, "kind": "min_max", "zero_point": 0,
                        "scale": largest / 255 / (50 if name == "fc1" else 1)})
    for name, shared in (("pool1", "conv1"), ("pool2", "conv2"), ("flatten", "conv2")):
        entries += [{**entry, "name": name} for entry in entries if entry["name"] == shared]
    entries.append({"name": "fc3", "kind": "min_max", "scale": 0.2, "zero_point": 100})
    for entry in entries:
        entry.setdefault("kind", "min_max")
    table.write_text(json.dumps({"version": 1, "entries": entries}))
    source = f"calibration={table}"
    command = ["qbackend-tune", net, f"--calibration={table}", *SAMPLES, "-o", tuned]
    text = run(*command, "--keep-accuracy=0.2")
    found = get_real(tuned)
    print("real-valued:", found)
    check(0 < len(found) <= 2, f"{found} are real-valued\n{text}")
    _, real, integers = compare(net, tuned, source)
    check(integers >= real - 0.002, f"accuracy {integers}, real {real}")
    # No smaller set holds it.
    base = tuned.read_text()
    for name in found:
        base = re.sub(rf'.*module_name "{name}" none\n', "", base)
    for size in range(len(found)):
        for names in itertools.combinations(NAMES, size):
            other = FOLDER / "other.mlir"
            lines = "".join(f'    qbackend.qconfig module_name "{name}" none\n'
                            for name in names)
            end = base.rindex("  }\n}")
            other.write_text(base[:end] + lines + base[end:])
            _, real, integers = compare(net, other, source)
            check(integers < real - 0.002, f"{names} hold it, too")
    return command


def resume(command):
    """What is interrupted has its best on disk, and goes on to the same end."""
    tuned = FOLDER / "tuned.mlir"
    expected = tuned.read_text()
    tuned.unlink()
    command = [str(part) for part in command] + ["--keep-accuracy=0.2"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    for line in process.stdout:
        if "best so far" in line:
            break
    process.send_signal(signal.SIGINT)
    process.stdout.read()
    code = process.wait()
    if code == 130:
        check(tuned.exists(), "nothing is on disk")
        check(tuned.with_suffix(".mlir.partial").exists(), "nothing to go on from")
        compare(FOLDER / "net.mlir", tuned, f"calibration={FOLDER}/table.json")
    else:
        check(code == 0, f"interrupted, it ends with {code}")
    run(*command, "--resume")
    check(tuned.read_text() == expected, "another end, when resumed")
    # Of other options it can't go on.
    run(*command, "--max-time=0.001s", code=2)
    run(*command[:-1], "--keep-sqnr=90", "--samples=20", "--resume", code=1)
    text = run(*command[:-1], "--keep-sqnr=200", code=0)
    check("8 of 8 operators real-valued" in text, text)


FOLDER.mkdir(parents=True, exist_ok=True)
channels()
resume(cut_range())
