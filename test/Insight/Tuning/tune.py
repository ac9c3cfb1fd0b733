# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""qbackend-tune finds a small change, which --apply-backend takes.

usage: tune.py SOURCE FOLDER
"""

import itertools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))
from tools import run  # noqa: E402

SOURCE, FOLDER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
IMAGES = SOURCE / "examples/data/mnist_digits.npz"
SAMPLES = [f"--input={IMAGES}:test_images", f"--labels={IMAGES}:test_labels",
           "--input-scale=1/255", "--samples=100"]
NAMES = ["conv1", "pool1", "conv2", "pool2", "flatten", "fc1", "fc2", "fc3"]


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
    """A network whose channels differ needs no operator in floats."""
    folder = FOLDER / "channels"
    run(sys.executable, SOURCE / "test/Insight/Corrections/Inputs/unequal.py", "channels", folder)
    tuned = folder / "tuned.mlir"
    text = run("qbackend-tune", folder / "net.mlir", "--keep-sqnr=25",
               f"--data={folder}/calibration.npy", f"--input={folder}/test.npy", "-o", tuned)
    check("held: " in text and ", 0 of 3 operators float" in text, text)
    check("cross-layer-equalization" in tuned.read_text(), tuned.read_text())
    check(not list(folder.glob("*.partial")), "something partial is left")
    # Without names, operators are selected by those that tables print.
    unnamed = folder / "unnamed.mlir"
    unnamed.write_text(re.sub(r' loc\("\w+"\)', "", (folder / "net.mlir").read_text()))
    text = run("qbackend-tune", unnamed, "--keep-sqnr=200",
               f"--data={folder}/calibration.npy", f"--input={folder}/test.npy", "-o", tuned)
    check("held: inf dB on 6 samples held back, 3 of 3 operators float" in text, text)
    check("nothing is quantized" in text, text)
    check('module_name "conv2d+relu_1" none' in tuned.read_text(),
          tuned.read_text())


def latency():
    """A program that is fast enough, and what is done where there is none."""
    folder = FOLDER / "channels"
    tuned, journal = folder / "tuned.mlir", folder / "tuned.mlir.partial"
    command = ["qbackend-tune", folder / "net.mlir", "--keep-sqnr=25",
               f"--data={folder}/calibration.npy", f"--input={folder}/test.npy", "-o", tuned]
    text = run(*command, "--target-latency=1.5s")
    check(re.search(r"held: \S+ dB on 6 samples held back, 0 of 3 operators float, \S+ ms a call", text), text)
    check("all operators in integers: " in text, text)
    check(" ms a call; float" in tuned.read_text(), tuned.read_text())
    # No program takes a picosecond: the fastest that keeps the SQNR is written.
    text = run(*command, "--target-latency=0.000001us", code=2)
    check(re.search(r"not held: (\S+) dB on 6 samples held back, . of 3", text), text)
    check("the SQNR is kept, but nothing that keeps it takes at most" in text, text)
    check(re.search("all operators in integers take .* ms, as the mapping is", text), text)
    check("not what was wanted" in tuned.read_text(), tuned.read_text())
    check(not journal.exists(), "the journal is left")
    # An SQNR that no integers keep: nothing is measured for the target.
    text = run(*command[:2], "--keep-sqnr=25", *command[3:], "--max-time=0.001s",
               "--target-latency=1us", code=2)
    check("no program keeps the SQNR, so that none was measured" in text, text)
    # The times that are known decide: here all are, and any two layers in real
    # numbers are fast.
    known = json.loads(journal.read_text())
    name = "cross-layer-equalization: "
    known["seconds"] = {"as it is:": 1.0, "cross-layer-equalization:": 5.0}
    for size, seconds in ((1, 4.0), (2, 0.5), (3, 9.0)):
        for layers in itertools.combinations("012", size):
            known["seconds"][name + " ".join(layers)] = seconds
    journal.write_text(json.dumps(known))
    text = run(*command, "--target-latency=600ms", "--resume")
    check("1 of 3 operators float: " in text and "kept, but too slow" in text, text)
    check(", 2 of 3 operators float (84.9 % of the multiply-accumulates), 500.000 ms a call" in text, text)
    check(len(get_real(tuned)) == 2, tuned.read_text())


def interrupt():
    """Within a second of Ctrl-C all ends, and the best so far is on disk."""
    net, data = FOLDER / "net.mlir", FOLDER / "many.npz"
    arrays = numpy.load(IMAGES)
    numpy.savez(data, x=numpy.concatenate([arrays["test_images"]] * 10))
    tuned = FOLDER / "interrupted.mlir"
    samples = [f"--input={data}", "--input-scale=1/255"]

    def seconds_to_end(command, until):
        process = subprocess.Popen([str(part) for part in command],
                                   stdout=subprocess.PIPE, text=True, preexec_fn=listen)
        if until:
            for line in process.stdout:
                if until in line:
                    break
        else:
            time.sleep(2)
        check(process.poll() is None, f"{command} ends by itself")
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=200)
        return time.monotonic() - begin, process.returncode, rest

    # Who runs tests may ignore it, and children with them.
    def listen():
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    # A machine that is busy gets another try.
    limit = 5 if "ASAN_OPTIONS" in os.environ else 1
    tune = ["qbackend-tune", net, *samples, f"--data={IMAGES}:calib_images",
            "--keep-sqnr=300", "-o", tuned]
    for command, until, wanted in (
            (tune, "best so far", 130),
            (tune[:-1] + [FOLDER / "never.mlir"], None, 130),
            (["qbackend-run", net, "--sensitivity", *samples, "-o", FOLDER / "s.json"],
             None, -signal.SIGINT)):
        found = []
        while len(found) < 3 and not (found and found[-1] < limit):
            seconds, code, rest = seconds_to_end(command, until)
            found.append(seconds)
            check(code == wanted, f"{command[0]} ends with {code}")
        check(found[-1] < limit, f"{command[0]} ends {found} s after Ctrl-C")
        if until:
            check("--resume goes on" in rest, rest)
            check("qconfig_mapping @tuned" in tuned.read_text(), "nothing is on disk")
    check(not (FOLDER / "s.json").exists(), "half of a result is on disk")


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
    print("float:", found)
    check(0 < len(found) <= 2, f"{found} are float\n{text}")
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
    process.communicate(timeout=200)
    code = process.returncode
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
    check("8 of 8 operators float" in text, text)


FOLDER.mkdir(parents=True, exist_ok=True)
channels()
latency()
resume(cut_range())
interrupt()
