// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes from one dialect to another.

#ifndef QBACKEND_CONVERSION_PASSES
#define QBACKEND_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// QNNPackToLinalg
//===----------------------------------------------------------------------===//

def ConvertQNNPackToLinalgPass
    : Pass<"convert-qnnpack-to-linalg", "::mlir::ModuleOp"> {
  let summary = "lower the qnnpack dialect to linalg on integers";
  let description = [{
    Before: `qnnpack` ops on tensors of quantized types; weights are constants
    behind a `quant.scast`. After: `linalg`, `tensor`, `arith` and `math` only
    (and `cf.assert` on the indices of an embedding), a tensor of a quantized
    type is one of its storage type (`i8` for `u8`, too), also in the signatures
    of functions. Stock bufferization and LLVM lowering take the result.

    Inside of functions, an unsigned byte is held less 128, as a signed one:
    contractions multiply signed bytes, in the order of loops of linalg's named
    ops, which are signed. In signatures bytes are what the type says.

    Integers stay integers: there is no `f32` tensor between `qnnpack.quantize`
    and `qnnpack.dequantize`. The arithmetic is that of the engine, including
    its overflows.
  }];
  let options = [
    Option<"unsignedBytes", "unsigned-bytes", "bool", "false",
           "Hold unsigned bytes as they are: contractions zero-extend their "
           "input, and the output channel is the innermost loop">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// TosaToQNNPack
//===----------------------------------------------------------------------===//

def ConvertTosaToQNNPackPass
    : Pass<"convert-tosa-to-qnnpack", "::mlir::ModuleOp"> {
  let summary = "lower integer TOSA with rescales to the qnnpack dialect";
  let description = [{
    Before: TOSA on bytes, as converters of TFLite and ExecuTorch write it, or what
    upstream's passes lower it to in linalg. After: convolutions, products by
    constants, sums and products of bytes that a `tosa.rescale` makes bytes of again,
    or a `linalg.generic` that computes one, and a clamp behind one, are `qnnpack`
    ops with a fixed-point `requantization`, between `quant.scast`: the same integers.
    All else stays; of contractions before a rescale that is the missed remark QB147.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::quant::QuantDialect",
    "::mlir::tosa::TosaDialect", "::qbackend::qnnpack::QNNPackDialect"
  ];
}

//===----------------------------------------------------------------------===//
// QNNPackToTosa
//===----------------------------------------------------------------------===//

def ConvertQNNPackToTosaPass
    : Pass<"convert-qnnpack-to-tosa", "::mlir::ModuleOp"> {
  let summary = "lower the qnnpack dialect to integer TOSA";
  let description = [{
    Before: `qnnpack` ops. After: TOSA 1.0 of its integer profile on signless
    `i8` and `i32`, with zero points as operands, and `tosa.rescale` with one
    rounding of a 31-bit multiplier. Unsigned integers are stored less 128;
    `tosa.rescale` with `input_unsigned` or `output_unsigned` does that where
    they come from, or go to, something else.

    `qnnpack.quantize` and `dequantize`, which are not of the integer profile,
    stay, and so do signatures of functions: `convert-qnnpack-to-linalg` lowers
    both. An op without a TOSA form stays, and gets a missed remark.

    An element of a result differs from the kernel's by at most 1, and only
    where the number to round is a tie, or next to one: see docs/Numerics.md.
  }];
  let dependentDialects = ["::mlir::quant::QuantDialect",
                           "::mlir::tosa::TosaDialect"];
}

//===----------------------------------------------------------------------===//
// QBackendToLinalg
//===----------------------------------------------------------------------===//

def ConvertQBackendToLinalgPass : Pass<"convert-qbackend-to-linalg"> {
  let summary = "lower quantize and dequantize to float linalg";
  let description = [{
    Before: the reference form. After: the same numbers in `f32`. A `quantize`
    with its `dequantize` is fake quantization, which a `linalg.generic` computes
    as PyTorch's `fake_quantize` does:

      `f32(min(max(rne(f32(x * f32(1 / scale))) + zp, qmin), qmax) - zp) * scale`

    A constant of integers keeps its bytes, and a `linalg.generic` dequantizes
    it. Where an operator quantizes its input at run time, its scale and zero
    point are computed from the range of the input. Of finite numbers below
    2^63 steps the results are those of the reference form; a NaN stays one,
    and infinity is the end of the range.

    An integer that is neither made nor used this way is an error.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// QBackendToQNNPack
//===----------------------------------------------------------------------===//

def ConvertQBackendToQNNPackPass
    : Pass<"convert-qbackend-to-qnnpack", "::mlir::ModuleOp"> {
  let summary = "lower quantized operators to the kernels of QNNPACK";
  let description = [{
    Before: the reference form. After: each operator with a qconfig whose inputs
    are dequantized and whose result is quantized is a `qnnpack` op on the
    integers, its bias an int32 constant; `qbackend.quantize` and `dequantize`
    are those of `qnnpack`. An operator without such a kernel, or beyond its
    limits, stays float and gets a missed remark.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::quant::QuantDialect",
    "::qbackend::qnnpack::QNNPackDialect"
  ];
}

#endif // QBACKEND_CONVERSION_PASSES
