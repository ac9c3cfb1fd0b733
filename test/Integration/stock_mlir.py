#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the linalg form of a network with nothing but the packaged MLIR.

    stock_mlir.py NETWORK.mlir DATA.npz --bin DIR --llvm DIR --work DIR

mlir-opt bufferizes and lowers the module, mlir-runner runs it on one image, and
the bits of the result have to be those of qbackend-run.
"""

import argparse
import pathlib
import re
import sys

import numpy as np

from linalg_to_llvm import PIPELINE

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from tools import run  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("module", type=pathlib.Path)
    parser.add_argument("data")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--llvm", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)

    image = np.load(args.data)["test_images"][:1].astype(np.float32) / 255
    np.save(args.work / "image.npy", image)
    run(f"{args.bin}/qbackend-run", args.module,
        f"--input={args.work / 'image.npy'}", "-o", args.work / "out.npz")
    expected = np.load(args.work / "out.npz")["output0"]

    # A main that calls the network and prints the bits of its result.
    text = args.module.read_text().replace("@main(", "@network(", 1)
    count = expected.size
    shape = "x".join(map(str, image.shape))
    result = "x".join(map(str, expected.shape))
    main_function = f"""
  func.func private @printMemrefI32(tensor<*xi32>)
  func.func @main() {{
    %image = arith.constant dense<"0x{image.tobytes().hex().upper()}"> : tensor<{shape}xf32>
    %logits = call @network(%image) : (tensor<{shape}xf32>) -> tensor<{result}xf32>
    %bits = arith.bitcast %logits : tensor<{result}xf32> to tensor<{result}xi32>
    %any = tensor.cast %bits : tensor<{result}xi32> to tensor<*xi32>
    call @printMemrefI32(%any) : (tensor<*xi32>) -> ()
    return
  }}
"""
    end = text.rindex("}")
    text = text[:end] + main_function + "}\n"
    text = run(args.llvm / "mlir-opt", *PIPELINE, text=text)
    library = args.llvm.parent / "lib"
    output = run(
        args.llvm / "mlir-runner", "-e", "main", "--entry-point-result=void",
        "-O1", f"--shared-libs={library / 'libmlir_runner_utils.so'},"
               f"{library / 'libmlir_c_runner_utils.so'}", text=text,
    )
    numbers = re.findall(r"-?\d+", output[output.index("data ="):])
    found = np.array(numbers, np.int64).astype(np.int32).view(np.float32)
    equal = found.size == count and np.array_equal(found, expected.ravel())
    print("PASS" if equal else f"FAIL: {found} is not {expected}")
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
