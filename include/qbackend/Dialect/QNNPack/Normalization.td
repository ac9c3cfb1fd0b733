// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of the qnnpack dialect: normalization. Included by QNNPackOps.td.

#ifndef QBACKEND_DIALECT_QNNPACK_NORMALIZATION
#define QBACKEND_DIALECT_QNNPACK_NORMALIZATION

def QNNPack_FloatVector : TensorRankOf<[F32], [1]>;

def QNNPack_LayerNormOp
    : QNNPack_VerifiedOp<"layer_norm", [AttrSizedOperandSegments]> {
  let summary = "quantized layer norm over the last dimensions";
  let description = [{
    A group is what has the same index in the leading dimensions: `n` integers
    of which the sums are exact. With `mu = f32(f32(sum x) / n)`,
    `c = f32(mu - zx)`, `var = max(fma(-mu, mu, f32(f32(sum x^2) / n)), 0)` and
    `k = f32(sx / sqrt(f32(f32(var * sx) * sx) + eps))`, the root, its
    argument's sum and the quotient in double, `sx` in f32:
    `v = fma(f32(f32(x - zx - c) * k), weight, bias)`, and
    `y = quantize(v)`. No `weight` is 1, no `bias` is 0. Source: ATen.

    **Constraints:**
    - the shape and the storage type stay;
    - `normalized_shape` has at least one dimension, all are positive, and they
      are the last ones of `input`, which are static;
    - `weight` and `bias` have that shape, and there is no `bias` alone;
    - `eps` is not negative.

    Example:
    ```mlir
    %y = qnnpack.layer_norm %x, %w, %b {normalized_shape = array<i64: 16>, eps = 1.0e-5 : f64}
      : tensor<2x16x!u8>, tensor<16xf32>, tensor<16xf32> -> tensor<2x16x!y8>
    ```
  }];
  let arguments = (ins QNNPack_Activation:$input,
                       Optional<QNNPack_Float>:$weight,
                       Optional<QNNPack_Float>:$bias,
                       DenseI64ArrayAttr:$normalized_shape, F64Attr:$eps);
  let results = (outs QNNPack_Activation:$output);
  let assemblyFormat = [{
    $input (`,` $weight^ (`,` $bias^)?)? attr-dict
    `:` type($input) (`,` type($weight)^ (`,` type($bias)^)?)? `->`
    type($output)
  }];
}

class QNNPack_ChannelNormOp<string mnemonic, dag extra>
    : QNNPack_VerifiedOp<mnemonic, [AttrSizedOperandSegments]> {
  let arguments = !con((ins QNNPack_Activation:$input,
                            Optional<QNNPack_FloatVector>:$weight,
                            Optional<QNNPack_FloatVector>:$bias),
                       extra, (ins F64Attr:$eps, UnitAttr:$channels_last));
  let results = (outs QNNPack_Activation:$output);
  let assemblyFormat = [{
    $input (`,` $weight^ (`,` $bias^)?)? attr-dict
    `:` type($input) (`,` type($weight)^ (`,` type($bias)^)?)? `->`
    type($output)
  }];
}

def QNNPack_GroupNormOp
    : QNNPack_ChannelNormOp<"group_norm", (ins I64Attr:$num_groups)> {
  let summary = "quantized group norm";
  let description = [{
    A group is a sample's pixels of `C / num_groups` neighbouring channels,
    which are the last dimension; the first one is the batch. With `c` and `k` of
    `qnnpack.layer_norm` and `g = f32(k * weight)`:
    `v = fma(f32(x - zx - c), g, bias)`, `y = quantize(v)`. No `weight` is 1, no
    `bias` is 0. Source: ATen, contiguous.

    `channels_last` names the formula that ATen has for channels-last images:
    `v = fma(x - zx, g, fma(-g, c, bias))`, and `fma(x - zx, k, f32(-k * c))`
    without `weight`. It differs in ties.

    **Constraints:**
    - the shape and the storage type stay, the rank is at least 2, and all but
      the batch is static and positive;
    - `num_groups` is positive and divides the channels;
    - `weight` and `bias` have one number for each channel;
    - `eps` is not negative;
    - `channels_last` is for images, rank 4, of less than 512 pixels: ATen adds
      larger ones up in f32.

    Example:
    ```mlir
    %y = qnnpack.group_norm %x, %w, %b {num_groups = 2 : i64, eps = 1.0e-5 : f64}
      : tensor<1x4x4x6x!u8>, tensor<6xf32>, tensor<6xf32> -> tensor<1x4x4x6x!y8>
    ```
  }];
}

def QNNPack_InstanceNormOp : QNNPack_ChannelNormOp<"instance_norm", (ins)> {
  let summary = "quantized instance norm";
  let description = [{
    `qnnpack.group_norm` with a group for each channel.

    **Constraints:**
    - those of `qnnpack.group_norm`.

    Example:
    ```mlir
    %y = qnnpack.instance_norm %x, %w, %b {eps = 1.0e-5 : f64}
      : tensor<1x4x4x6x!u8>, tensor<6xf32>, tensor<6xf32> -> tensor<1x4x4x6x!y8>
    ```
  }];
}

def QNNPack_BatchNormOp : QNNPack_VerifiedOp<"batch_norm"> {
  let summary = "quantized batch norm, optionally with a fused relu";
  let description = [{
    Channels are the last dimension; the others are any number, so this is
    `batch_norm1d`, `2d` and `3d`. With
    `r = f32(1 / f32(sqrt(f32(var + f32(eps)))))`,
    `a = f32(f32(r * weight) * (sx / sy))` and
    `b = f32(f32(bias - f32(f32(mean * r) * weight)) / sy)`, where `sx / sy` and
    what it enters is in double:
    `y = clamp(zy + rne(fma(a, x - zx, b)), lo, qmax)`; `relu` raises `lo` to
    `zy`. If the four operands are constants, so are `a` and `b`. Source: ATen.

    **Constraints:**
    - the shape and the storage type stay, the rank is at least 2, and the
      channels are static;
    - `weight`, `bias`, `mean` and `var` have one number for each channel;
    - `eps` is not negative.

    Example:
    ```mlir
    %y = qnnpack.batch_norm %x, %w, %b, %m, %v {eps = 1.0e-5 : f64, relu}
      : tensor<1x4x4x6x!u8>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32> -> tensor<1x4x4x6x!y8>
    ```
  }];
  let arguments = (ins QNNPack_Activation:$input, QNNPack_FloatVector:$weight,
                       QNNPack_FloatVector:$bias, QNNPack_FloatVector:$mean,
                       QNNPack_FloatVector:$var, F64Attr:$eps, UnitAttr:$relu);
  let results = (outs QNNPack_Activation:$output);
  let assemblyFormat = [{
    $input `,` $weight `,` $bias `,` $mean `,` $var attr-dict
    `:` type($input) `,` type($weight) `,` type($bias) `,` type($mean) `,`
    type($var) `->` type($output)
  }];
}

#endif // QBACKEND_DIALECT_QNNPACK_NORMALIZATION
