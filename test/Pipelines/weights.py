#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights from outside, by name: arguments, extern globals and resources without data,
from .safetensors and .npz, give what the same weights as attributes give, byte for byte;
each element type has its bytes; what doesn't fit is one error that says what to do.

    weights.py WORK
"""

import json
import pathlib
import re
import struct
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from tools import run  # noqa: E402

RANDOM = np.random.default_rng(3)
WEIGHTS = {"fc.weight": RANDOM.normal(size=(4, 8)).astype("<f4"),
           "fc.bias": RANDOM.normal(size=4).astype("<f4")}


def header(tensors):
    """The entries of a .safetensors file, and its data."""
    entries, data = {}, b""
    for name, (dtype, array) in tensors.items():
        raw = array.tobytes()
        entries[name] = {"dtype": dtype, "shape": list(array.shape),
                         "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    return entries, data


def pack(entries, data, pad=0):
    text = json.dumps(entries) if isinstance(entries, dict) else entries
    text = text.encode() + b" " * pad
    return struct.pack("<Q", len(text)) + text + data


def write(path, tensors, pad=0):
    path.write_bytes(pack(*header(tensors), pad))
    return path


#: How a network gets a tensor: what stands before the function, its argument, and the
#: code that makes it the value `%name`.
WAYS = {
    "attribute": lambda name, kind, array: (
        "", "", f"%{name} = arith.constant dense<\"0x{array.tobytes().hex().upper()}\"> "
        f": {kind}"),
    "qbackend": lambda name, kind, _: (
        "", f"%{name}: {kind} {{qbackend.name = \"fc.{name}\"}}", ""),
    "iree": lambda name, kind, _: (
        "", f"%{name}: {kind} {{iree.abi.name = \"fc.{name}\"}}", ""),
    "ml_program": lambda name, kind, _: (
        "", f"%{name}: {kind} {{ml_program.identifier = \"fc.{name}\"}}", ""),
    "location": lambda name, kind, _: ("", f"%{name}: {kind} loc(\"fc.{name}\")", ""),
    "global": lambda name, kind, _: (
        f"ml_program.global private @fc.{name}(#ml_program.extern : {kind}) : {kind}", "",
        f"%{name} = ml_program.global_load_const @fc.{name} : {kind}"),
    "elements": lambda name, kind, array: (
        f"ml_program.global private @fc.{name}(dense<\"0x"
        f"{array.tobytes().hex().upper()}\"> : {kind}) : {kind}", "",
        f"%{name} = ml_program.global_load_const @fc.{name} : {kind}"),
    "resource": lambda name, kind, _: (
        "", "", f"%{name} = arith.constant dense_resource<fc.{name}> : {kind}"),
}


#: Of these, what the module has itself.
WHOLE = {"attribute", "elements"}


def network(way):
    weight, bias = [WAYS[way](name, kind, WEIGHTS["fc." + name]) for name, kind in
                    (("weight", "tensor<4x8xf32>"), ("bias", "tensor<4xf32>"))]
    arguments = [weight[1], "%x: tensor<1x8xf32>", bias[1]]
    return f"""
{weight[0]}
{bias[0]}
func.func @main({', '.join(filter(None, arguments))}) -> tensor<1x4xf32> {{
  {weight[2]}
  {bias[2]}
  %e0 = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%weight : tensor<4x8xf32>) outs(%e0 : tensor<8x4xf32>)
    permutation = [1, 0]
  %e = tensor.empty() : tensor<1x4xf32>
  %i = linalg.broadcast ins(%bias : tensor<4xf32>) outs(%e : tensor<1x4xf32>)
    dimensions = [0]
  %y = linalg.matmul ins(%x, %t : tensor<1x8xf32>, tensor<8x4xf32>)
    outs(%i : tensor<1x4xf32>) -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}}"""


def check_ways(work):
    samples = work / "x.npz"
    np.savez(samples, x=RANDOM.normal(size=(9, 8)).astype("f4"))
    stored = {name: ("F32", array) for name, array in WEIGHTS.items()}
    # The data begins at an odd address.
    pad = 1 - len(pack(*header(stored))) % 2
    files = [write(work / "odd.safetensors", stored, pad), work / "w.npz"]
    np.savez(files[1], **WEIGHTS)
    outputs, floats = set(), set()
    for way in WAYS:
        net = work / f"{way}.mlir"
        net.write_text(network(way))
        for file in files:
            key = [] if way in WHOLE else [f"weights={file}"]
            quantized = work / "quantized.mlir"
            run("qbackend-opt", "--apply-backend=qnnpack", "lower-to=linalg",
                f"data={samples}", *key, net, "-o", quantized)
            outputs.add(quantized.read_text())
            run("qbackend-run", net, f"--input={samples}", *(f"--{k}" for k in key),
                "-o", work / "y.npz")
            floats.add(np.load(work / "y.npz")["output0"].tobytes())
        if way not in WHOLE:
            # Twice in one context, where MLIR calls the second resource another name.
            said = run("qbackend-run", net, f"--weights={files[0]}", f"--compare={net}",
                       f"--compare-weights={files[1]}", f"--input={samples}")
            assert "SQNR inf dB" in said, said
    assert len(outputs) == 1 and "i8" in outputs.pop(), f"{len(outputs) + 1} outputs"
    assert len(floats) == 1, f"{len(floats)} results"
    print(f"{len(files) * len(WAYS.keys() - WHOLE)} ways to bind weights, the same integers")


def check_table(work):
    """A table is of the code with the weights that are bound to it."""
    samples = work / "x.npz"
    net, table = work / "table.mlir", work / "table.json"
    net.write_text(network(next(way for way in WAYS if way not in WHOLE)))
    other = work / "other.npz"
    np.savez(other, **{name: array * 2 for name, array in WEIGHTS.items()})
    file = work / "w.npz"
    run("qbackend-run", net, "--calibrate", "--statistics=mergeable",
        f"--weights={file}", f"--input={samples}", "-o", table)
    for weights, isOther in ((work / "odd.safetensors", False), (other, True)):
        said = subprocess.run(
            ["qbackend-opt", "--apply-backend=qnnpack", f"calibration={table}",
             f"weights={weights}", net, "-o", work / "quantized.mlir"],
            capture_output=True, text=True).stderr
        assert ("made of another module" in said) == isOther, said
    print("a table of these weights")


#: MLIR's types, those of the file, and NumPy's of the same bytes.
TYPES = [("f64", "F64", "<f8"), ("f32", "F32", "<f4"), ("f16", "F16", "<f2"),
         ("bf16", "BF16", "<u2"), ("i64", "I64", "<i8"), ("i32", "I32", "<i4"),
         ("i16", "I16", "<i2"), ("i8", "I8", "i1"), ("i8", "U8", "u1"),
         ("ui8", "U8", "u1"), ("si8", "I8", "i1"), ("ui16", "U16", "<u2"),
         ("i64", "U64", "<u8")]


def check_types(work):
    for element, dtype, kind in TYPES:
        array = np.frombuffer(RANDOM.bytes(6 * np.dtype(kind).itemsize), kind)
        file = write(work / "type.safetensors", {"w": (dtype, array.reshape(2, 3))})
        for declared in ("2x3", "?x3"):
            kind = f"tensor<{declared}x{element}>"
            text = run("qbackend-opt", f"--qbackend-bind-parameters=weights={file}", text=(
                f"func.func @main(%w: {kind} {{qbackend.name = \"w\"}}) -> {kind} {{\n"
                f"  return %w : {kind}\n}}\n"))
            assert f"@main() -> {kind}" in text, text
            assert f"dense_resource<w> : tensor<2x3x{element}>" in text, text
            data = re.search(r'w: "0x([0-9A-F]+)"', text)[1]
            # Four bytes of alignment stand in front.
            assert bytes.fromhex(data)[4:] == array.tobytes(), (element, text)
    print(f"{len(TYPES)} types")
    # Bools, a single number, and nothing at all.
    file = write(work / "few.safetensors", {
        "a": ("BOOL", np.array([True, False, True])), "b": ("F32", np.float32(0.5)),
        "c": ("F32", np.zeros((0, 4), "<f4"))})
    kinds = "tensor<3xi1>", "tensor<f32>", "tensor<0x4xf32>"
    places = ", ".join(f"%{n}: {k} {{qbackend.name = \"{n}\"}}"
                       for n, k in zip("abc", kinds))
    net = work / "few.mlir"
    net.write_text(f"func.func @main({places}, %x: tensor<3xf32>) -> tensor<3xf32> {{\n"
                   "  %e = tensor.empty() : tensor<3xf32>\n"
                   "  %r = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, "
                   "affine_map<(d) -> (d)>, affine_map<(d) -> ()>, affine_map<(d) -> (d)>]"
                   ', iterator_types = ["parallel"]} ins(%x, %a, %b : tensor<3xf32>, '
                   "tensor<3xi1>, tensor<f32>) outs(%e : tensor<3xf32>) {\n"
                   "  ^bb0(%v: f32, %p: i1, %q: f32, %o: f32):\n"
                   "    %s = arith.select %p, %v, %q : f32\n    linalg.yield %s : f32\n"
                   "  } -> tensor<3xf32>\n  return %r : tensor<3xf32>\n}\n")
    np.savez(work / "three.npz", x=np.array([1, 2, 3], "f4"))
    as_arguments = net.read_text()
    as_resources = re.sub(r'%. ?: tensor<.{3,7}> \{qbackend.name = ".*?"\}, ', "",
                          as_arguments)
    as_resources = as_resources.replace("  %e =", "\n".join(
        f"  %{n} = arith.constant dense_resource<{n}> : {k}"
        for n, k in zip("abc", kinds)) + "\n  %e =")
    assert "qbackend.name" not in as_resources
    for text in as_arguments, as_resources:
        net.write_text(text)
        run("qbackend-run", net, f"--weights={file}", f"--input={work / 'three.npz'}",
            "-o", work / "y.npz")
        found = np.load(work / "y.npz")["output0"]
        assert found.tolist() == [1, 0.5, 3], found


def list_damaged():
    """Files that are no .safetensors of these weights, and what is said of each."""
    entries, data = header({n: ("F32", a) for n, a in WEIGHTS.items()})
    whole = pack(entries, data)

    def changed(**fields):
        return pack({**entries, "fc.bias": {**entries["fc.bias"], **fields}}, data)

    return [
        (b"", "has 0 bytes, expected a .safetensors file"),
        (b"1234567", "has 7 bytes"),
        (b"x" * 100, "is neither a .safetensors nor a .npz file"),
        (struct.pack("<Q", 2**63) + whole[8:], "a header of 9223372036854775808 bytes"),
        (struct.pack("<Q", len(whole)) + whole[8:], "bytes follow; write or copy"),
        (whole[:-1], "at the bytes 128 to 144, but 143 bytes follow the header"),
        (whole + b"\0", "has 145 bytes of data, of which the tensors are 144"),
        (pack('{"a": ', b""), "has a header that is no JSON"),
        (pack('{"a": 1}', b""), "a tensor 'a' without a dtype"),
        (pack("{" * 70000, b""), "has a header that is no JSON"),
        (pack('{"a": {}, "a": {}}', b""), "has a header that is no JSON"),
        (pack(b'{"\xff": {}}'.decode("latin1"), b"")[:8] + b'{"\xff": {} }',
         "has a header that is no JSON"),
        (changed(shape=[-4]), "a tensor 'fc.bias' without a dtype, a shape"),
        (changed(shape=[4.5]), "a tensor 'fc.bias' without a dtype, a shape"),
        (changed(shape=[2**62, 2**62]), "which its shape and F32 don't need"),
        (changed(shape=[5]), "of 16 bytes, which its shape and F32 don't need"),
        (changed(data_offsets=[144, 128]), "at the bytes 144 to 128"),
        (changed(data_offsets=[128, 2**62]), "but 144 bytes follow the header"),
        (changed(data_offsets=[128]), "and two data_offsets"),
        (changed(data_offsets=[112, 128]),
         "'fc.bias' that begins at byte 112, where byte 128 is the next one"),
        (pack({**entries, "fc.weight": {**entries["fc.weight"],
                                        "data_offsets": [8, 136]}}, data),
         "begins at byte 8, where byte 0 is the next one"),
        (pack(*header({"b": ("BOOL", np.array([2], "u1"))})), "bytes other than 0 and 1"),
        (b"PK\3\4" + b"\0" * 30, "damaged"),
    ]


def check_errors(work):
    count = 0

    def refuse(net, file, *expected):
        nonlocal count
        output = work / "no.mlir"
        done = subprocess.run(
            ["qbackend-opt", "--apply-backend=qnnpack", "calibration=ranges",
             f"weights={file}", "-", "-o", output], input=net, text=True,
            capture_output=True)
        errors = re.findall("error: .*", done.stderr)
        assert done.returncode == 1 and len(errors) == 1, (expected, done)
        for part in expected:
            assert part in errors[0], (part, errors[0])
        assert not output.exists()
        count += 1
        return done.stderr

    file = work / "bad.safetensors"
    refuse(network("global"), "", "key 'weights' has no value")
    done = subprocess.run(["qbackend-run", "--weights=", "-", f"--input={work / 'x.npz'}",
                           "-o", work / "y.npz"], input=network("attribute"), text=True,
                          capture_output=True)
    assert done.returncode == 1 and "--weights is empty" in done.stderr, done
    for data, expected in list_damaged():
        file.write_bytes(data)
        refuse(network("global"), file, "cannot bind weights: '", expected)
    refuse(network("global"), work / "none.safetensors", "cannot read '", "No such file")
    refuse(network("global"), work, "cannot read '")

    good = {name: ("F32", array) for name, array in WEIGHTS.items()}
    # Names: missing in the file, missing in the module, nearly right.
    for way, what in (("global", "global @fc.bias"), ("resource", "resource 'fc.bias'")):
        write(file, {**{"fc.weight": good["fc.weight"], "fc.bais": good["fc.bias"]}})
        said = refuse(network(way), file, f"has no tensor for {what}",
                      "did you mean 'fc.bais'?")
        assert re.search(r"<stdin>:\d+:\d+: error", said), said
    write(file, {"fc.weight": good["fc.weight"]})
    refuse(network("resource"), file, "save one under that name")
    write(file, {**good, **{f"x{i}": good["fc.bias"] for i in range(7)}})
    for way in ("qbackend", "global", "resource"):
        refuse(network(way), file, "has 'x0', 'x1', 'x2', 'x3', 'x4' and 2 more, which no "
               "argument of a public function")
    # Shapes and types.
    for way in ("qbackend", "global", "resource"):
        write(file, {**good, "fc.weight": ("F32", WEIGHTS["fc.weight"].T.copy())})
        refuse(network(way), file, "tensor<4x8xf32>", "has 8x4 of F32 under that name",
               "export both from one network")
        write(file, {**good, "fc.weight": ("F16", WEIGHTS["fc.weight"].astype("<f2"))})
        refuse(network(way), file, "has 4x8 of F16", "convert it before it is saved")
    write(file, {**good, "fc.weight": ("F8_E4M3", np.zeros((4, 8), "u1"))})
    refuse(network("global"), file, "has 4x8 of F8_E4M3")
    np.savez(work / "bad.npz", **{**WEIGHTS, "fc.bias": np.zeros(4)})
    refuse(network("global"), work / "bad.npz", "has 4 of float64 under that name")
    # A tensor without a name is not that of an argument without one.
    write(file, {"": good["fc.bias"]})
    refuse("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
           "  return %x : tensor<4xf32>\n}", file, "has '', which no argument")
    # One key of two types, and an argument that comes from a call.
    write(file, good)
    two = network("resource").replace("return", "%no = arith.constant "
                                      "dense_resource<fc.bias> : tensor<2xf64>\n  return")
    refuse(two, file, "resource 'fc.bias' is a 'tensor<2xf64>'")
    called = network("qbackend") + """
func.func @outer(%x: tensor<1x8xf32>, %w: tensor<4x8xf32>, %b: tensor<4xf32>)
    -> tensor<1x4xf32> {
  %y = call @main(%w, %x, %b) : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<4xf32>)
    -> tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}"""
    refuse(called, file, "argument 'fc.weight' of @main comes from calls")
    print(f"{count} errors")


def check_dynamic(work):
    """A global of unknown extents gets a constant of known ones."""
    net = work / "dynamic.mlir"
    net.write_text("""
ml_program.global private @w(#ml_program.extern : tensor<?xf32>) : tensor<?xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<?xf32> {
  %w = ml_program.global_load_const @w : tensor<?xf32>
  %r = arith.addf %w, %w : tensor<?xf32>
  return %r : tensor<?xf32>
}""")
    file = write(work / "dynamic.safetensors", {"w": ("F32", WEIGHTS["fc.bias"])})
    run("qbackend-opt", f"--qbackend-bind-parameters=weights={file}", net, "-o",
        work / "bound.mlir")
    assert "tensor.cast" in (work / "bound.mlir").read_text()


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    check_ways(work)
    check_table(work)
    check_types(work)
    check_errors(work)
    check_dynamic(work)


if __name__ == "__main__":
    main()
