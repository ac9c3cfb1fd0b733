#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies between few planes and their elements side by side, against NumPy.

    interleave.py FOLDER

Vectors of two to four planes are interleaved in registers, and taken apart; with
whole vectors and last ones of each length, of several types, with something computed
on the way, and where there is an offset.
"""

import pathlib
import subprocess
import sys

import numpy as np

TYPES = {"i8": np.int8, "i16": np.int16, "f32": np.float32, "f64": np.float64}
COMPUTED = {"i8": "arith.addi %a, %a : i8", "f32": "arith.addf %a, %a : f32"}


def tensor(shape, element):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


class Module:
    def __init__(self):
        self.functions, self.cases = [], []

    def add(self, shape, element, permutation, computed=False, begin=0):
        """Transposes what is behind the first `begin` elements of dimension 0."""
        name = f"f{len(self.cases)}"
        count = np.prod(shape, dtype=int)
        if element[0] == "f":
            array = np.arange(count, dtype=TYPES[element])
        else:
            array = (np.arange(count) * 37 + 11).astype(TYPES[element])
        array = array.reshape(shape)
        part = [shape[0] - begin, *shape[1:]]
        result = [part[i] for i in permutation]
        dims = ", ".join(f"d{i}" for i in range(len(shape)))
        moved = ", ".join(f"d{permutation.index(i)}" for i in range(len(shape)))
        kinds = ", ".join(['"parallel"'] * len(shape))
        whole, after = tensor(shape, element), tensor(result, element)
        source = "%x"
        lines = [f"func.func @{name}(%x: {whole}) -> {after} {{"]
        if begin:
            source = "%p"
            zeros = ", ".join(["0"] * (len(shape) - 1))
            ones = ", ".join(["1"] * len(shape))
            lines.append(
                f"  %p = tensor.extract_slice %x[{begin}, {zeros}] "
                f"[{', '.join(map(str, part))}] [{ones}] : {whole} to "
                f"{tensor(part, element)}")
        value = f"    %r = {COMPUTED[element]}\n" if computed else ""
        lines.append(
            f"  %e = tensor.empty() : {after}\n"
            f"  %0 = linalg.generic {{indexing_maps = [affine_map<({dims}) -> ({moved})>, "
            f"affine_map<({dims}) -> ({dims})>], iterator_types = [{kinds}]}} "
            f"ins({source} : {tensor(part, element)}) outs(%e : {after}) {{\n"
            f"  ^bb0(%a: {element}, %o: {element}):\n{value}"
            f"    linalg.yield {'%r' if computed else '%a'} : {element}\n"
            f"  }} -> {after}\n  return %0 : {after}\n}}")
        self.functions.append("\n".join(lines))
        want = array[begin:].transpose(permutation)
        self.cases.append((name, array, want + want if computed else want))


    def add_narrowed(self, shape):
        """Reals to bytes, from channels last to channels first: the last vector has one
        lane, and what is behind it belongs to the next channel."""
        name = f"f{len(self.cases)}"
        array = np.random.default_rng(1).uniform(-120, 120, shape).astype(np.float32)
        whole, after = tensor(shape, "f32"), tensor(shape[::-1], "i8")
        self.functions.append(f"""func.func @{name}(%x: {whole}) -> {after} {{
  %e = tensor.empty() : {after}
  %0 = linalg.generic {{indexing_maps = [affine_map<(c, p) -> (p, c)>, affine_map<(c, p) -> (c, p)>], iterator_types = ["parallel", "parallel"]}} ins(%x : {whole}) outs(%e : {after}) {{
  ^bb0(%a: f32, %o: i8):
    %r = math.roundeven %a : f32
    %w = arith.fptosi %r : f32 to i32
    %n = arith.trunci %w : i32 to i8
    linalg.yield %n : i8
  }} -> {after}
  return %0 : {after}
}}""")
        self.cases.append((name, array, np.rint(array).astype(np.int8).T))

    def add_rows_of_groups(self):
        """Four neighbours of one operand are the rows of another."""
        name = f"f{len(self.cases)}"
        random = np.random.default_rng(2)
        array = random.integers(-60, 60, (16, 3, 4)).astype(np.int8)
        groups = random.integers(-60, 60, (16, 4)).astype(np.int8)
        self.functions.append(f"""func.func @{name}(%x: tensor<16x3x4xi8>) -> tensor<4x3x16xi8> {{
  %g = arith.constant dense<{groups.tolist()}> : tensor<16x4xi8>
  %e = tensor.empty() : tensor<4x3x16xi8>
  %0 = linalg.generic {{indexing_maps = [affine_map<(f, m, v) -> (v, f)>, affine_map<(f, m, v) -> (v, m, f)>, affine_map<(f, m, v) -> (f, m, v)>], iterator_types = ["parallel", "parallel", "parallel"]}} ins(%g, %x : tensor<16x4xi8>, tensor<16x3x4xi8>) outs(%e : tensor<4x3x16xi8>) {{
  ^bb0(%a: i8, %b: i8, %o: i8):
    %p = arith.extsi %a : i8 to i64
    %q = arith.extsi %b : i8 to i64
    %s = arith.muli %p, %q : i64
    %c5 = arith.constant 5 : i64
    %h = arith.shrsi %s, %c5 : i64
    %t = arith.trunci %h : i64 to i8
    linalg.yield %t : i8
  }} -> tensor<4x3x16xi8>
  return %0 : tensor<4x3x16xi8>
}}""")
        want = (groups[:, None].astype(int) * array) >> 5
        self.cases.append((name, array, want.transpose(2, 1, 0).astype(np.int8)))


def main():
    folder = pathlib.Path(sys.argv[1])
    module = Module()
    for element in TYPES:
        is_common = element in COMPUTED
        for planes in (2, 3, 4, 5) if is_common else (2, 3):
            for pixels in (1, 7, 17, 64, 129) if is_common else (129,):
                module.add((planes, pixels), element, [1, 0])
                module.add((pixels, planes), element, [1, 0])
    for element in COMPUTED:
        for planes in (2, 3, 4):
            module.add((planes, 203), element, [1, 0], computed=True)
            module.add((203, planes), element, [1, 0], computed=True)
            module.add((planes + 2, 77), element, [1, 0], begin=2)
            module.add((80, planes), element, [1, 0], begin=3)
            # Shuffles of channels, forth and back, of images.
            module.add((2, 5, planes, 29), element, [0, 1, 3, 2])
            module.add((2, 5, 29, planes), element, [0, 1, 3, 2])
            module.add((planes, 3, 2, 40), element, [1, 3, 2, 0], computed=True)
    for shape in ((49, 16), (33, 4), (17, 3), (17, 2)):
        module.add_narrowed(shape)
    module.add_rows_of_groups()
    (folder / "module.mlir").write_text("\n".join(module.functions) + "\n")
    wrong = []
    for name, array, want in module.cases:
        np.savez(folder / "x.npz", x=array)
        subprocess.run(["qbackend-run", folder / "module.mlir", f"--entry={name}",
                        f"--input={folder / 'x.npz'}", "--num-threads=1", "-o", folder / "y.npz"],
                       check=True)
        with np.load(folder / "y.npz") as file:
            got = file[file.files[0]]
        if got.dtype != want.dtype or not np.array_equal(got, want):
            wrong.append(f"{name}: {array.dtype} {array.shape}")
    print(f"{len(module.cases)} copies, {len(wrong)} wrong")
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
