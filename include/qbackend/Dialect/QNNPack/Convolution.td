// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of the qnnpack dialect with a weight. Included by QNNPackOps.td, which
// has the types.

#ifndef QBACKEND_DIALECT_QNNPACK_CONVOLUTION
#define QBACKEND_DIALECT_QNNPACK_CONVOLUTION

//===----------------------------------------------------------------------===//
// Convolution and linear
//===----------------------------------------------------------------------===//

def QNNPack_Conv2dOp : QNNPack_VerifiedOp<"conv2d"> {
  let summary = "quantized 2-d convolution, optionally with a fused relu";
  let description = [{
    `acc = bias[o] + sum (x - zx) * (w - zw[o])` in int32, wrapping; padding taps
    add 0. Then `r = rne(f32(f32(acc) * m[o]))`, where values of magnitude 2^31
    or more give the smallest int32, and
    `y = clamp(clamp(r, -32768, 32767) + zy, lo, hi)`; `relu` raises `lo` to `zy`.
    The multiplier is `m = f32(f32(sw * sx) * f32(1 / sy))` for unsigned
    activations (QNNPACK). Signed ones go to XNNPACK in the engine:
    `m = f32(f32(sx * sw) / sy)`, and positive overflow gives `hi`.

    `padding` is `[[top, bottom], [left, right]]`, flattened. `bias` holds
    `rne(b * f32(1 / (sw * sx)))`, saturated to int32.

    **Constraints:**
    - the shapes, groups, strides, padding and dilation fit together;
    - per-channel weights are quantized along axis 0;
    - signed activations take weights with zero point 0;
    - input and output have the same storage type;
    - every multiplier is a positive normal number;
    - with `relu`, the zero point of the result is below the largest integer.

    Example:
    ```mlir
    %y = qnnpack.conv2d %x, %w, %b {stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64, relu}
      : tensor<1x8x8x3x!u8>, tensor<4x3x3x3x!s8>, tensor<4xi32> -> tensor<1x8x8x4x!y8>
    ```
  }];
  let arguments = (ins QNNPack_Image:$input, QNNPack_ConvWeight:$weight,
                       Optional<QNNPack_Bias>:$bias,
                       DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding,
                       DenseI64ArrayAttr:$dilation, I64Attr:$groups,
                       UnitAttr:$relu);
  let results = (outs QNNPack_Image:$output);
  let assemblyFormat = [{
    $input `,` $weight (`,` $bias^)? attr-dict
    `:` type($input) `,` type($weight) (`,` type($bias)^)? `->` type($output)
  }];
}

def QNNPack_LinearOp : QNNPack_VerifiedOp<"linear"> {
  let summary = "quantized fully connected layer, optionally with a fused relu";
  let description = [{
    The arithmetic of `qnnpack.conv2d` on `input` `[..., in]` and `weight`
    `[out, in]`.

    **Constraints:**
    - the last dimension of `input` is that of `weight`, the last one of `output`
      is the first one of `weight`, the others are equal;
    - those of `qnnpack.conv2d` about scales, zero points and types.

    Example:
    ```mlir
    %y = qnnpack.linear %x, %w, %b : tensor<1x16x!u8>, tensor<10x16x!s8>, tensor<10xi32> -> tensor<1x10x!y8>
    ```
  }];
  let arguments = (ins QNNPack_Activation:$input, QNNPack_LinearWeight:$weight,
                       Optional<QNNPack_Bias>:$bias, UnitAttr:$relu);
  let results = (outs QNNPack_Activation:$output);
  let assemblyFormat = [{
    $input `,` $weight (`,` $bias^)? attr-dict
    `:` type($input) `,` type($weight) (`,` type($bias)^)? `->` type($output)
  }];
}

#endif // QBACKEND_DIALECT_QNNPACK_CONVOLUTION
