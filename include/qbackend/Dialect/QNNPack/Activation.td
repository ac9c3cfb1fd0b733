// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of the qnnpack dialect: activation functions. Included by QNNPackOps.td.

#ifndef QBACKEND_DIALECT_QNNPACK_ACTIVATION
#define QBACKEND_DIALECT_QNNPACK_ACTIVATION

def QNNPack_ReluOp : QNNPack_UnaryOp<"relu"> {
  let summary = "quantized rectifier";
  let description = [{
    `y = max(q, zp)`.

    **Constraints:**
    - the shape and the quantization parameters stay.

    Example:
    ```mlir
    %y = qnnpack.relu %x : tensor<1x4x!u8> -> tensor<1x4x!u8>
    ```
  }];
}

def QNNPack_ClampOp : QNNPack_VerifiedOp<"clamp"> {
  let summary = "quantized clamp, hardtanh or relu6";
  let description = [{
    `y = clamp(q, Q(min), Q(max))`, where `Q` is `qnnpack.quantize` with the
    parameters of the input.

    **Constraints:**
    - the shape and the quantization parameters stay;
    - `min <= max`.

    Example:
    ```mlir
    %y = qnnpack.clamp %x {min = 0.0 : f32, max = 6.0 : f32} : tensor<1x4x!u8> -> tensor<1x4x!u8>
    ```
  }];
  let arguments = (ins QNNPack_LayerActivation:$input, F32Attr:$min,
                       F32Attr:$max);
  let results = (outs QNNPack_LayerActivation:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

def QNNPack_SigmoidOp : QNNPack_TableOp<"sigmoid", "sigmoidTable(input, output)"> {
  let summary = "quantized logistic function";
  let description = [{
    With `x = f32(s * f32(q - zp))`:
    `T = rne(clamp(f32(256 / f32(1 + expf(-x))), 0, 255))`.

    **Constraints:**
    - the shape stays;
    - the result has scale 1/256 and the smallest integer as its zero point.

    Example:
    ```mlir
    %y = qnnpack.sigmoid %x : tensor<4x!u8> -> tensor<4x!quant.uniform<u8:f32, 0.00390625>>
    ```
  }];
}

def QNNPack_TanhOp : QNNPack_TableOp<"tanh", "tanhTable(input, output)"> {
  let summary = "quantized hyperbolic tangent";
  let description = [{
    `T = rne(clamp(f32(128 * tanh(x) + 128), 0, 255))`, `tanh` in double; signed,
    `quantize(tanhf(x))`.

    **Constraints:**
    - the shape stays;
    - the result has scale 1/128 and zero point 128 (0 for signed).

    Example:
    ```mlir
    %y = qnnpack.tanh %x : tensor<4x!u8> -> tensor<4x!quant.uniform<u8:f32, 0.0078125:128>>
    ```
  }];
}

def QNNPack_HardsigmoidOp : QNNPack_TableOp<"hardsigmoid", "hardsigmoidTable(input, output)"> {
  let summary = "quantized piecewise linear logistic function";
  let description = [{
    `u = f32(clamp(f32(x + 3), 0, 6) / 6)`, `T = rne(clamp(f32(256 * u), 0, 255))`.

    **Constraints:**
    - the shape stays;
    - the result has scale 1/256 and the smallest integer as its zero point.

    Example:
    ```mlir
    %y = qnnpack.hardsigmoid %x : tensor<4x!u8> -> tensor<4x!quant.uniform<u8:f32, 0.00390625>>
    ```
  }];
}

def QNNPack_RequantizeOp : QNNPack_TableOp<"requantize", "requantizeTable(input, output)"> {
  let summary = "the same numbers by other parameters";
  let description = [{
    `y = quantize(dequantize(x))`, and the only op whose result may be of another
    sign than its input. It stands where an operator that keeps its input's
    parameters, or has fixed ones, is observed with others.

    **Constraints:**
    - the shape stays.

    Example:
    ```mlir
    %y = qnnpack.requantize %x : tensor<4x!u8> -> tensor<4x!quant.uniform<i8:f32, 0.25:-7>>
    ```
  }];
}

def QNNPack_HardswishOp : QNNPack_TableOp<"hardswish", "hardswishTable(input, output)"> {
  let summary = "quantized x * hardsigmoid(x)";
  let description = [{
    `u = f32(f32(x * clamp(f32(x + 3), 0, 6)) / 6)`,
    `T = rne(clamp(f32(f32(f32(1 / sy) * u) + zy), 0, 255))`: the zero point is
    added before rounding. Signed: `quantize(u)`.

    **Constraints:**
    - the shape stays.

    Example:
    ```mlir
    %y = qnnpack.hardswish %x : tensor<4x!u8> -> tensor<4x!y8>
    ```
  }];
}

def QNNPack_LeakyReluOp
    : QNNPack_AtenTableOp<
          "leaky_relu", "leakyReluTable(input, output, getNegativeSlope().convertToFloat(), code)"> {
  let summary = "quantized leaky rectifier";
  let description = [{
    `v = x > 0 ? x : f32(x * negative_slope)`,
    `y = clamp(zy + rne(f32(v * f32(1 / sy))), qmin, qmax)`.

    ATen's vector code has `x = fma(s, q, -f32(s * zp))`. With `vectorized` it
    computes the first `64 * floor(n / 64)` of `n` elements, in row-major order,
    as the engine does on one thread; only exact ties differ. Without, an
    element's result doesn't depend on where it is.

    **Constraints:**
    - the shape stays.

    Example:
    ```mlir
    %y = qnnpack.leaky_relu %x {negative_slope = 0.01 : f32} : tensor<4x!u8> -> tensor<4x!y8>
    ```
  }];
  let arguments = (ins QNNPack_Activation:$input, F32Attr:$negative_slope,
                       UnitAttr:$vectorized);
}

def QNNPack_EluOp
    : QNNPack_AtenTableOp<
          "elu", "eluTable(input, output, getAlpha().convertToFloat(), code)"> {
  let summary = "quantized exponential linear unit";
  let description = [{
    `v = x > 0 ? x : f32(f32(expf(x) - 1) * alpha)`, then as `qnnpack.leaky_relu`,
    of which `vectorized` has the meaning; the vector code has an `expf` of its
    own, too.

    **Constraints:**
    - the shape stays.

    Example:
    ```mlir
    %y = qnnpack.elu %x {alpha = 1.0 : f32} : tensor<4x!u8> -> tensor<4x!y8>
    ```
  }];
  let arguments = (ins QNNPack_Activation:$input, F32Attr:$alpha,
                       UnitAttr:$vectorized);
}

def QNNPack_CeluOp
    : QNNPack_AtenTableOp<
          "celu", "celuTable(input, output, getAlpha().convertToFloat(), code)"> {
  let summary = "quantized continuously differentiable exponential linear unit";
  let description = [{
    `v = x > 0 ? x : f32(f32(expf(f32(x * f32(1 / alpha))) - 1) * alpha)`, then
    as `qnnpack.leaky_relu`, of which `vectorized` has the meaning. Source: ATen.

    **Constraints:**
    - the shape and the storage type stay;
    - `alpha` is not 0.

    Example:
    ```mlir
    %y = qnnpack.celu %x {alpha = 1.0 : f32} : tensor<4x!u8> -> tensor<4x!y8>
    ```
  }];
  let arguments = (ins QNNPack_Activation:$input, F32Attr:$alpha,
                       UnitAttr:$vectorized);
}

def QNNPack_ThresholdOp
    : QNNPack_AtenTableOp<
          "threshold", "thresholdTable(input, output, getThreshold().convertToFloat(), getValue().convertToFloat(), code)"> {
  let summary = "quantized threshold: a number in place of small ones";
  let description = [{
    `v = x > threshold ? x : value`, then as `qnnpack.leaky_relu`, of which
    `vectorized` has the meaning. Source: ATen.

    **Constraints:**
    - the shape and the quantization parameters stay.

    Example:
    ```mlir
    %y = qnnpack.threshold %x {threshold = 0.5 : f32, value = 0.0 : f32} : tensor<4x!u8> -> tensor<4x!u8>
    ```
  }];
  let arguments = (ins QNNPack_Activation:$input, F32Attr:$threshold,
                       F32Attr:$value, UnitAttr:$vectorized);
}

def QNNPack_PreluOp : QNNPack_VerifiedOp<"prelu"> {
  let summary = "quantized leaky rectifier with learned slopes";
  let description = [{
    `weight` has the slopes, one for each channel (the last dimension) or one
    for all. `acc = max(x - zx, 0) * one + min(x - zx, 0) * (w - zw)` with
    `one = Q(1.0) - zw`, the integer of 1 in the type of `weight`;
    `m = f32(f32(sx * sw) * f32(1 / sy))`,
    `y = clamp(zy + rne(f32(f32(acc) * m)), qmin, qmax)`. Source: ATen.

    `Q` saturates: if `weight` can't hold 1, positive numbers shrink to its
    largest one. They stay what they are only if
    `sw * (qmax - zw) >= 1`.

    **Constraints:**
    - the shape stays, the rank is at least 1;
    - `weight` has one slope, or one for each channel, whose number is static;
    - all three have the same storage type.

    Example:
    ```mlir
    %y = qnnpack.prelu %x, %w : tensor<1x4x4x3x!u8>, tensor<3x!w8> -> tensor<1x4x4x3x!y8>
    ```
  }];
  let arguments = (ins QNNPack_Activation:$input,
                       TensorRankOf<[QNNPack_ActivationElement], [1]>:$weight);
  let results = (outs QNNPack_Activation:$output);
  let assemblyFormat = [{
    $input `,` $weight attr-dict `:` type($input) `,` type($weight) `->`
    type($output)
  }];
}

def QNNPack_SoftmaxOp : QNNPack_VerifiedOp<"softmax"> {
  let summary = "quantized softmax along one axis";
  let description = [{
    With `n` elements along `axis`, `K = min((2^32 - 1) / n, 8388607)` and
    `T[i] = rne(K * exp((i - 255) * s))` (uint32, in double): `e_j = T[q_j + 255 -
    max q]`, `S = sum e_j`, `y_j = min(255, floor(((e_j << 8) + (S >> 1)) / S))`
    in uint32 arithmetic. The zero point of the input does not matter.

    **Constraints:**
    - the shape stays, `axis` is one of its dimensions and static;
    - the result has scale 1/256 and the smallest integer as its zero point.

    Example:
    ```mlir
    %y = qnnpack.softmax %x {axis = 1 : i64} : tensor<1x10x!u8> -> tensor<1x10x!quant.uniform<u8:f32, 0.00390625>>
    ```
  }];
  let arguments = (ins QNNPack_Activation:$input, I64Attr:$axis);
  let results = (outs QNNPack_Activation:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

#endif // QBACKEND_DIALECT_QNNPACK_ACTIVATION
