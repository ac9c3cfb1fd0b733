# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One network through each entry point: the same operators, observers and results.

usage: entry_points.py FOLDER NET.mlir SAMPLES.npz [KEY=VALUE...]

Keys are those of --apply-backend. FOLDER is for what is written. With QBACKEND_PYTHON=1
in the environment, the Python package is one of them.
"""

import collections
import ctypes
import os
import pathlib
import re
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from tools import run  # noqa: E402

BUILD = pathlib.Path(os.environ["QBACKEND_BUILD"])


def join(keys):
    return " ".join(f"{key}={value}" for key, value in keys.items())


def only(keys, *names):
    return {name: keys[name] for name in names if name in keys}


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("length", ctypes.c_size_t)]


def apply_by_c(net, keys):
    library = ctypes.CDLL(str(BUILD / "lib" / "libQBackendCAPI.so"))
    library.qbackendApplyBackend.argtypes = [Text, Text, Text,
                                             ctypes.POINTER(ctypes.c_void_p),
                                             ctypes.c_void_p, ctypes.c_void_p]
    library.qbackendFree.argtypes = [ctypes.c_void_p]
    text, options = net.read_bytes(), join(keys).encode()
    output = ctypes.c_void_p()
    if library.qbackendApplyBackend(Text(text, len(text)), Text(None, 0),
                                    Text(options, len(options)),
                                    ctypes.byref(output), None, None):
        sys.exit(f"the C interface fails with {join(keys)}")
    result = ctypes.string_at(output.value).decode()
    library.qbackendFree(output)
    return result


def apply_by_python(net, keys):
    sys.path.insert(0, str(BUILD / "python"))
    import qbackend
    options = {key.replace("-", "_"): value for key, value in keys.items()}
    return qbackend.apply_backend(net.read_text(), **options)


def apply_by_pipelines(net, keys):
    """The registered pipelines, which apply-backend consists of."""
    passes = [
        f"qbackend-prepare-pipeline{{{join(only(keys, 'backend', 'qconfig', 'entry'))}}}",
        f"qbackend-calibrate{{{join(only(keys, 'data', 'entry'))}}}",
        f"qbackend-kernel-pipeline{{{join(only(keys, 'backend', 'lower-to'))}}}",
        f"qbackend-lowering-pipeline{{{join(only(keys, 'lower-to'))}}}"]
    return run("qbackend-opt", f"--pass-pipeline=builtin.module({','.join(passes)})", net)


def apply_by_table(net, keys, table):
    options = [f"--{key}={value}" for key, value in
               only(keys, "backend", "qconfig", "entry").items()]
    run("qbackend-run", net, "--calibrate", f"--input={keys['data']}", *options, "-o", table)
    keys = {**keys, "calibration": table}
    del keys["data"]
    return run("qbackend-opt", f"--apply-backend={join(keys)}", net)


def get_kinds(lines, pattern):
    """How often each kind is in the lines that `pattern` finds it in."""
    found = collections.Counter()
    for line in lines.splitlines():
        match = re.match(pattern, line)
        # What has a question mark is no operator.
        if match and " ? " not in line:
            found.update(match.group(1).split("+"))
    return found


def compare(what, a, b):
    if a != b:
        sys.exit(f"other {what}:\n{a}\nand\n{b}")


def main():
    folder, net, data, *rest = sys.argv[1:]
    folder, net = pathlib.Path(folder), pathlib.Path(net)
    keys = {"backend": "qnnpack", "lower-to": "linalg", "data": data,
            **dict(pair.split("=", 1) for pair in rest)}
    applied = run("qbackend-opt", f"--apply-backend={join(keys)}", net).rstrip()
    if "quant.uniform" not in applied and "i8" not in applied:
        sys.exit("nothing is quantized")
    ways = {"pipelines": lambda: apply_by_pipelines(net, keys),
            "a table": lambda: apply_by_table(net, keys, folder / "table.json"),
            "C": lambda: apply_by_c(net, keys)}
    if os.environ.get("QBACKEND_PYTHON") == "1":
        ways["Python"] = lambda: apply_by_python(net, keys)
    for name, way in ways.items():
        compare(f"module by {name}", applied, way().rstrip())

    # What is printed is what was observed.
    options = join(only(keys, "backend", "qconfig", "entry"))
    observers = run("qbackend-opt", f"--qbackend-print-observers={options}", net)
    prepared = folder / "prepared.mlir"
    run("qbackend-opt", f"--qbackend-prepare-pipeline={options}", net,
        "--mlir-print-debuginfo", "-o", prepared)
    compare("observers", observers,
            run("qbackend-opt", f"--qbackend-print-observers={options}", prepared))
    compare("observers of the module",
            sorted(set(re.findall(r"qbackend.observer @(\S+)", prepared.read_text()))),
            sorted(re.findall(r"(?m)^@(\S+):", observers)))
    named = join(only(keys, "backend"))
    operators = run("qbackend-opt", f"--qbackend-print-operators={named}", net)
    compare("operators", get_kinds(operators, r'\d+: (?:op<")?([\w.+]+)'),
            get_kinds(observers, r"\d+: .* = ([\w.+]+)\("))
    raised = folder / "raised.mlir"
    run("qbackend-opt", f"--qbackend-raise-pipeline={named}", net,
        "--mlir-print-debuginfo", "-o", raised)
    compare("operators of raised ones", operators,
            run("qbackend-opt", f"--qbackend-print-operators={named}", raised))

    # The results of a module of each stage; quantized, they are near.
    entry = [f"--entry={keys['entry']}"] if "entry" in keys else []
    results = []
    for stage, text in [("real", net.read_text()), ("applied", applied),
                        ("observed", prepared.read_text())]:
        module = folder / f"{stage}.mlir"
        module.write_text(text)
        output = folder / f"{stage}.npz"
        run("qbackend-run", module, f"--input={data}", *entry, "-o", output)
        results.append(np.load(output)["output0"])
    real, integers, observed = results
    # An observer that knows its parameters doesn't round, nor limit, by them.
    if "quant." not in net.read_text() and not np.array_equal(real, observed):
        sys.exit("observers change the results")
    if np.abs(real - integers).max() > 0.05 * max(1.0, np.abs(real).max()):
        sys.exit(f"results far off:\n{real}\nand\n{integers}")
    count = sum(get_kinds(operators, r"\d+: ([\w.+]+)").values())
    print(f"{len(ways) + 1} entry points, {count} operators")


main()
