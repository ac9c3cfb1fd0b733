// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of the qnnpack dialect with a weight. Included by QNNPackOps.td, which
// has the types.

#ifndef QBACKEND_DIALECT_QNNPACK_CONVOLUTION
#define QBACKEND_DIALECT_QNNPACK_CONVOLUTION

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// Operands of the given rank: batch, spatial dimensions, channels.
class QNNPack_ImageOfRank<int rank>
    : TensorRankOf<[QNNPack_LayerElement], [rank]>;
class QNNPack_KernelOfRank<int rank>
    : TensorRankOf<[QNNPack_WeightElement], [rank]>;

class QNNPack_ConvolutionOp<string mnemonic, int rank>
    : QNNPack_VerifiedOp<mnemonic> {
  let arguments = (ins QNNPack_ImageOfRank<rank>:$input,
                       QNNPack_KernelOfRank<rank>:$weight,
                       Optional<QNNPack_Bias>:$bias,
                       DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding,
                       DenseI64ArrayAttr:$dilation, I64Attr:$groups,
                       OptionalAttr<QNNPack_RequantizationAttr>:$requantization,
                       UnitAttr:$relu, UnitAttr:$mathematical);
  let results = (outs QNNPack_ImageOfRank<rank>:$output);
  let assemblyFormat = [{
    $input `,` $weight (`,` $bias^)? attr-dict
    `:` type($input) `,` type($weight) (`,` type($bias)^)? `->` type($output)
  }];
}

def QNNPack_Conv1dOp : QNNPack_ConvolutionOp<"conv1d", 3> {
  let summary = "quantized 1-d convolution, optionally with a fused relu";
  let description = [{
    The arithmetic of `qnnpack.conv2d` on `input` `[batch, length, channels]`
    and `weight` `[out, length, in / groups]`. The engine runs its 2-d kernel
    on images of height 1. `padding` is `[before, after]`.

    **Constraints:**
    - those of `qnnpack.conv2d`.

    Example:
    ```mlir
    %y = qnnpack.conv1d %x, %w, %b {stride = array<i64: 1>, padding = array<i64: 1, 1>, dilation = array<i64: 1>, groups = 1 : i64, relu}
      : tensor<1x8x3x!u8>, tensor<4x3x3x!s8>, tensor<4xi32> -> tensor<1x8x4x!y8>
    ```
  }];
}

def QNNPack_Conv2dOp : QNNPack_ConvolutionOp<"conv2d", 4> {
  let summary = "quantized 2-d convolution, optionally with a fused relu";
  let description = [{
    `acc = bias[o] + sum (x - zx) * (w - zw[o])` in int32, wrapping; padding taps
    add 0. Then `r = rne(f32(f32(acc) * m[o]))`, where values of magnitude 2^31
    or more give the smallest int32, and
    `y = clamp(clamp(r, -32768, 32767) + zy, lo, hi)`; `relu` raises `lo` to `zy`.
    The multiplier is `m = f32(f32(sw * sx) * f32(1 / sy))` for unsigned
    activations (QNNPACK). Signed ones go to XNNPACK in the engine:
    `m = f32(f32(sx * sw) / sy)`, and positive overflow gives `hi`.

    A product of 2^31 or more is `lo` for unsigned activations, since the x86
    conversion gives the smallest int32; with `mathematical` it is `hi`.

    `padding` is `[[top, bottom], [left, right]]`, flattened. `bias` holds
    `rne(b * f32(1 / (sw * sx)))`, saturated to int32.

    With `requantization`, `acc` is requantized by that, and what an engine
    takes is no limit. Activations of 16 bits are those of TFLite's int16x8:
    `acc` is in int64, of which TOSA's sums use 48 bits, and `bias` as well.

    **Constraints:**
    - the shapes, groups, strides, padding and dilation fit together;
    - per-channel weights are quantized along axis 0;
    - signed activations take weights with zero point 0, but with
      `requantization`;
    - input and output have the same storage type;
    - every multiplier is a positive normal number, and in [2^-32, 256) for
      signed activations, but with `requantization`, which has one, or as many
      as there are output channels;
    - with `relu`, the zero point of the result is below the largest integer;
    - `bias` is of `i64` for activations of 16 bits, else of `i32`;
    - activations of 16 bits have the zero point 0, and a `requantization`,
      `half_up`, with multipliers of 15 bits: products fit 64.

    Example:
    ```mlir
    %y = qnnpack.conv2d %x, %w, %b {stride = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64, relu}
      : tensor<1x8x8x3x!u8>, tensor<4x3x3x3x!s8>, tensor<4xi32> -> tensor<1x8x8x4x!y8>
    ```
  }];
}

def QNNPack_Conv3dOp : QNNPack_ConvolutionOp<"conv3d", 5> {
  let summary = "quantized 3-d convolution, optionally with a fused relu";
  let description = [{
    The arithmetic of `qnnpack.conv2d` on `input`
    `[batch, depth, height, width, channels]` and `weight`
    `[out, depth, height, width, in / groups]`. `padding` is
    `[[front, back], [top, bottom], [left, right]]`, flattened.

    **Constraints:**
    - the activation is unsigned, XNNPACK has no 3-d kernel, but with
      `requantization`;
    - those of `qnnpack.conv2d`.

    Example:
    ```mlir
    %y = qnnpack.conv3d %x, %w {stride = array<i64: 1, 1, 1>, padding = array<i64: 1, 1, 1, 1, 1, 1>, dilation = array<i64: 1, 1, 1>, groups = 1 : i64}
      : tensor<1x4x8x8x3x!u8>, tensor<4x3x3x3x3x!s8> -> tensor<1x4x8x8x4x!y8>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Transposed convolution
//===----------------------------------------------------------------------===//

class QNNPack_TransposedConvolutionOp<string mnemonic, int rank>
    : QNNPack_VerifiedOp<mnemonic> {
  let arguments = (ins QNNPack_ImageOfRank<rank>:$input,
                       QNNPack_KernelOfRank<rank>:$weight,
                       Optional<QNNPack_Bias>:$bias,
                       DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding,
                       DenseI64ArrayAttr:$output_padding,
                       DenseI64ArrayAttr:$dilation, I64Attr:$groups,
                       OptionalAttr<QNNPack_RequantizationAttr>:$requantization,
                       UnitAttr:$mathematical);
  let results = (outs QNNPack_ImageOfRank<rank>:$output);
  let assemblyFormat = [{
    $input `,` $weight (`,` $bias^)? attr-dict
    `:` type($input) `,` type($weight) (`,` type($bias)^)? `->` type($output)
  }];
}

def QNNPack_ConvTranspose1dOp
    : QNNPack_TransposedConvolutionOp<"conv_transpose1d", 3> {
  let summary = "quantized 1-d transposed convolution";
  let description = [{
    `qnnpack.conv_transpose2d` on `input` `[batch, length, channels]` and
    `weight` `[out, length, in / groups]`. `padding` is `[before, after]`.

    **Constraints:**
    - those of `qnnpack.conv_transpose2d`.

    Example:
    ```mlir
    %y = qnnpack.conv_transpose1d %x, %w {stride = array<i64: 2>, padding = array<i64: 1, 1>, output_padding = array<i64: 1>, dilation = array<i64: 1>, groups = 1 : i64}
      : tensor<1x4x3x!u8>, tensor<5x3x3x!s8> -> tensor<1x8x5x!y8>
    ```
  }];
}

def QNNPack_ConvTranspose2dOp
    : QNNPack_TransposedConvolutionOp<"conv_transpose2d", 4> {
  let summary = "quantized 2-d transposed convolution";
  let description = [{
    Pixel `i` of the input adds to pixels `p = i * stride - before + k * dilation`
    of the output, for each tap `k` of the kernel:
    `acc[p, o] = bias[o] + sum (x[i] - zx) * (w[k] - zw[o])`. A pixel that no tap
    reaches holds the bias. The rest, and `mathematical`, is as in
    `qnnpack.conv2d`; the kernel has no fused relu. Source: QNNPACK's
    deconvolution, for signed activations XNNPACK's.

    The size of the output is
    `(n - 1) * stride - before - after + dilation * (kernel - 1) +
    output_padding + 1`. `weight` is `[out, height, width, in / groups]` as in
    `qnnpack.conv2d`, and not flipped: PyTorch's
    `[in, out / groups, height, width]` with the first two dimensions exchanged
    within each group.

    **Constraints:**
    - the shapes, groups, strides, padding and dilation fit together;
    - weights of more than one group are quantized per tensor: the engine reads
      scales of channels that are not there (not with `requantization`);
    - per-channel weights are quantized along axis 0, and the activation is
      unsigned: XNNPACK has no such kernel (not with `requantization`);
    - those of `qnnpack.conv2d` about zero points, types and multipliers.

    Example:
    ```mlir
    %y = qnnpack.conv_transpose2d %x, %w {stride = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, output_padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>, groups = 1 : i64}
      : tensor<1x4x4x3x!u8>, tensor<5x3x3x3x!s8> -> tensor<1x8x8x5x!y8>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

def QNNPack_LinearOp : QNNPack_VerifiedOp<"linear"> {
  let summary = "quantized fully connected layer, optionally with a fused relu";
  let description = [{
    The arithmetic of `qnnpack.conv2d` on `input` `[..., in]` and `weight`
    `[out, in]`. Signed, per channel, it is XNNPACK's 1x1 convolution: its linear
    kernel takes one scale.

    **Constraints:**
    - the last dimension of `input` is that of `weight`, the last one of `output`
      is the first one of `weight`, the others are equal;
    - those of `qnnpack.conv2d` about scales, zero points and types.

    Example:
    ```mlir
    %y = qnnpack.linear %x, %w, %b : tensor<1x16x!u8>, tensor<10x16x!s8>, tensor<10xi32> -> tensor<1x10x!y8>
    ```
  }];
  let arguments = (ins QNNPack_LayerActivation:$input,
                       QNNPack_LinearWeight:$weight,
                       Optional<QNNPack_Bias>:$bias,
                       OptionalAttr<QNNPack_RequantizationAttr>:$requantization,
                       UnitAttr:$relu, UnitAttr:$mathematical);
  let results = (outs QNNPack_LayerActivation:$output);
  let assemblyFormat = [{
    $input `,` $weight (`,` $bias^)? attr-dict
    `:` type($input) `,` type($weight) (`,` type($bias)^)? `->` type($output)
  }];
}

def QNNPack_LinearDynamicOp : QNNPack_VerifiedOp<"linear_dynamic"> {
  let summary = "fully connected layer that quantizes its input at run time";
  let description = [{
    The range of the whole `input`, extended to hold 0, gives scale `s` and zero
    point `z` at run time, in double:

    - `s = (max - min) / 255`, or 0.1 where `f32(s)` is 0 or its reciprocal
      infinite;
    - where `s` is below `t = 6.1e-5f` it becomes `t`, and the range is stretched
      with it: an end at 0 stays, the other one is `255 * t`, and with none at 0
      both are multiplied by `f32(t / f32(s))`;
    - `z = rne(clamp(z', 0, 255))`, where `z'` is `-min / s` if
      `-|min / s| < 255 - |max / s|`, and `255 - max / s` otherwise.

    With `q = quantize(x)` to these, `acc = sum (q - z) * (w - zw[o])` in int32,
    wrapping, and `y = f32(f32(f32(acc) * f32(sw[o] * s)) + bias[o])`; `relu` then
    takes the maximum with 0. Source: the engine's dynamic linear and
    `ChooseQuantizationParams`. The engine refuses an `input` with a NaN; here
    it makes every result NaN.

    **Constraints:**
    - the shapes fit together as in `qnnpack.linear`;
    - per-channel weights are quantized along axis 0;
    - the scales of the weight are normal 32-bit numbers.

    Example:
    ```mlir
    %y = qnnpack.linear_dynamic %x, %w, %b {relu} : tensor<1x16xf32>, tensor<10x16x!s8>, tensor<10xf32> -> tensor<1x10xf32>
    ```
  }];
  let arguments = (ins QNNPack_Float:$input, QNNPack_LinearWeight:$weight,
                       Optional<TensorRankOf<[F32], [1]>>:$bias,
                       UnitAttr:$relu);
  let results = (outs QNNPack_Float:$output);
  let assemblyFormat = [{
    $input `,` $weight (`,` $bias^)? attr-dict
    `:` type($input) `,` type($weight) (`,` type($bias)^)? `->` type($output)
  }];
}

#endif // QBACKEND_DIALECT_QNNPACK_CONVOLUTION
