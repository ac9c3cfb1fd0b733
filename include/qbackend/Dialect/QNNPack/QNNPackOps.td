// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of the qnnpack dialect.

#ifndef QBACKEND_DIALECT_QNNPACK_QNNPACKOPS
#define QBACKEND_DIALECT_QNNPACK_QNNPACKOPS

include "mlir/Dialect/Quant/IR/QuantBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def QNNPack_Dialect : Dialect {
  let name = "qnnpack";
  let cppNamespace = "::qbackend::qnnpack";
  let summary = "the kernels of PyTorch's QNNPACK engine";
  let description = [{
    One op per kernel, with the kernel's exact integers. Activations are
    tensors of `!quant.uniform<u8:f32, scale:zero_point>` (or `i8`), images are
    NHWC (of other ranks likewise: batch first, channels last), convolution
    weights are `[out, height, width, in / groups]` and linear weights
    `[out, in]`. The quantization parameters of the result are those of
    its type: an op requantizes to them.

    Rounding is to nearest, ties to even, unless an op says otherwise. `f32(e)`
    in a formula is one rounding to binary32.

    Where the engine departs from the operator it implements, the op computes
    what the engine does; with the attribute `mathematical`, the operator. With
    `requantization` an op rounds as other engines do, by fixed-point
    multipliers of its own.
  }];
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let useDefaultAttributePrinterParser = 1;
}

include "qbackend/Dialect/QNNPack/Requantization.td"

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

def QNNPack_ActivationElement : Type<
    CPred<"::qbackend::qnnpack::detail::isActivationElement($_self)">,
    "8-bit per-tensor quantized type (!quant.uniform<u8:f32, ...> or <i8:f32, ...>)">;
def QNNPack_LayerElement : Type<
    CPred<"::qbackend::qnnpack::detail::isLayerElement($_self)">,
    "8-bit per-tensor quantized type, or a signed one of 16 bits (!quant.uniform<i16:f32, ...>)">;
def QNNPack_WeightElement : Type<
    CPred<"::qbackend::qnnpack::detail::isWeightElement($_self)">,
    "signed 8-bit quantized type, per tensor or per channel">;
def QNNPack_Activation : RankedTensorOf<[QNNPack_ActivationElement]>;
def QNNPack_Image : TensorRankOf<[QNNPack_ActivationElement], [4]>;
def QNNPack_LinearWeight : TensorRankOf<[QNNPack_WeightElement], [2]>;
/// What ops with a weight take and give.
def QNNPack_LayerActivation : RankedTensorOf<[QNNPack_LayerElement]>;
def QNNPack_Bias : TensorRankOf<[I32, I64], [1]>;
def QNNPack_Float : RankedTensorOf<[F32]>;
def QNNPack_Quantized : RankedTensorOf<[quant_QuantizedType]>;

//===----------------------------------------------------------------------===//
// Op classes
//===----------------------------------------------------------------------===//

class QNNPack_Op<string mnemonic, list<Trait> traits = []>
    : Op<QNNPack_Dialect, mnemonic, !listconcat([Pure], traits)>;

/// An op whose verifier is `verify` in C++.
class QNNPack_VerifiedOp<string mnemonic, list<Trait> traits = []>
    : QNNPack_Op<mnemonic, traits> {
  let hasVerifier = 1;
}

/// One activation in, one out, of the same shape.
class QNNPack_UnaryOp<string mnemonic, list<Trait> traits = []>
    : QNNPack_VerifiedOp<mnemonic, traits> {
  let arguments = (ins QNNPack_Activation:$input);
  let results = (outs QNNPack_Activation:$output);
  let assemblyFormat =
      "$input attr-dict `:` type($input) `->` type($output)";
}

def QNNPack_TableOpInterface : OpInterface<"TableOpInterface"> {
  let cppNamespace = "::qbackend::qnnpack";
  let description = [{
    A function of 256 integers, which a table has: lowerings look it up.
  }];
  let methods = [
    InterfaceMethod<[{
        The integer of the type `output` for each of `input`, by one of ATen's
        two codes; most functions have but one.
      }], "::qbackend::numerics::Table256", "computeTable",
      (ins "const ::qbackend::numerics::TableType &":$input,
           "const ::qbackend::numerics::TableType &":$output,
           "::qbackend::numerics::AtenCode":$code)>,
    InterfaceMethod<[{
        Whether ATen's vector code computes what it does on one thread.
      }], "bool", "isVectorized", (ins), "", "return false;">
  ];
}

/// `table` is a function of Numerics, with its arguments.
class QNNPack_TableOp<string mnemonic, string table, list<string> methods = []>
    : QNNPack_UnaryOp<mnemonic,
        [DeclareOpInterfaceMethods<QNNPack_TableOpInterface, methods>]> {
  let extraClassDefinition = [{
    ::qbackend::numerics::Table256 $cppClass::computeTable(
        const ::qbackend::numerics::TableType &input,
        const ::qbackend::numerics::TableType &output,
        ::qbackend::numerics::AtenCode code) {
      return ::qbackend::numerics::}] # table # [{;
    }
  }] # !if(!empty(methods), "", [{
    bool $cppClass::isVectorized() { return getVectorized(); }
  }]);
}
/// One that ATen has two codes for; its arguments have `vectorized`.
class QNNPack_AtenTableOp<string mnemonic, string table>
    : QNNPack_TableOp<mnemonic, table, ["isVectorized"]>;

//===----------------------------------------------------------------------===//
// Quantize and dequantize
//===----------------------------------------------------------------------===//

def QNNPack_QuantizeOp : QNNPack_VerifiedOp<"quantize"> {
  let summary = "floats to integers, rounding to nearest even";
  let description = [{
    `q = clamp(zp + rne(f32(x * inv)), qmin, qmax)` with `inv = f32(1 / scale)`:
    a product with the reciprocal, not a division. NaN, infinities and values
    beyond 64 bits give `qmin`. Source: ATen's scalar quantizer.

    **Constraints:**
    - `input` and `output` have the same shape.

    Example:
    ```mlir
    %q = qnnpack.quantize %x : tensor<1x4xf32> -> tensor<1x4x!quant.uniform<u8:f32, 0.5:3>>
    ```
  }];
  let arguments = (ins QNNPack_Float:$input);
  let results = (outs QNNPack_Quantized:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

def QNNPack_DequantizeOp : QNNPack_VerifiedOp<"dequantize"> {
  let summary = "integers to the floats they stand for";
  let description = [{
    `x = f32(scale * f32(q - zp))`. Per channel the engine multiplies in
    double: `x = f32(double(q - zp) * scale)`.

    **Constraints:**
    - `input` and `output` have the same shape.

    Example:
    ```mlir
    %x = qnnpack.dequantize %q : tensor<1x4x!quant.uniform<u8:f32, 0.5:3>> -> tensor<1x4xf32>
    ```
  }];
  let arguments = (ins QNNPack_Quantized:$input);
  let results = (outs QNNPack_Float:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

include "qbackend/Dialect/QNNPack/Convolution.td"

//===----------------------------------------------------------------------===//
// Binary arithmetic
//===----------------------------------------------------------------------===//

class QNNPack_BinaryOp<string mnemonic> : QNNPack_VerifiedOp<mnemonic> {
  let arguments = (ins QNNPack_Activation:$lhs, QNNPack_Activation:$rhs,
                       OptionalAttr<QNNPack_RequantizationAttr>:$requantization,
                       UnitAttr:$relu);
  let results = (outs QNNPack_Activation:$output);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($output)
  }];
}

def QNNPack_AddOp : QNNPack_BinaryOp<"add"> {
  let summary = "quantized addition, optionally with a fused relu";
  let description = [{
    Equal shapes, unsigned: QNNPACK's fixed-point addition. With
    `ra = f32(sa / sy)`, `rb = f32(sb / sy)`, `e = floor(log2(max(ra, rb)))`,
    `shift = 21 - e`, `ma = rne(ra * 2^shift)` and `mb` likewise:
    `r = (a * ma + b * mb - (za * ma + zb * mb)) / 2^shift`, ties **away from
    zero**, then `y = clamp(sat16(sat16(r) + zy), lo, hi)`. This is not the sum of
    the dequantized numbers quantized again: ties differ. Signed: XNNPACK's
    form with `shift = 20 - e` and `floor(v + 1/2)`, also for shapes that
    broadcast.

    Unsigned shapes that broadcast: ATen's
    `quantize(f32(dequantize(a) + dequantize(b)))`. With `aten` all use it, which
    is what the engine's `out=` form does. `relu` raises `lo` to `zy`. ATen's vector code has
    `fma(s, q, -f32(s * z))` for `dequantize(q)`; with `vectorized` it computes
    the first `64 * floor(n / 64)` elements of each run of `n` that its loop
    covers: of the last dimensions along which each operand is either stretched
    or not.

    With `requantization`, and one for each operand, it is TFLite's addition in
    the spelling of TOSA, `R` of a fixed-point requantization without clamp and
    zero point: `r = R(R_lhs(a - za) + R_rhs(b - zb))`, the sum in int32,
    wrapping. Operands broadcast.

    **Constraints:**
    - the shapes broadcast to that of `output`, dimension by dimension;
    - all three have the same storage type;
    - with one of the three requantizations there are all, of one multiplier
      each, and no `aten`;
    - but for ATen's form the ratios `ra` and `rb` are in [2^-14, 2^8), and the
      larger is at least 2^-10; signed, both are in [2^-10, 2^8);
    - with `relu`, the zero point of the result is below the largest integer;
    - `vectorized` is for ATen's form, and static shapes.

    Example:
    ```mlir
    %y = qnnpack.add %a, %b {relu} : tensor<1x4x!a8>, tensor<1x4x!b8> -> tensor<1x4x!y8>
    ```
  }];
  let arguments = (ins QNNPack_Activation:$lhs, QNNPack_Activation:$rhs,
                       OptionalAttr<QNNPack_RequantizationAttr>:$requantization,
                       OptionalAttr<QNNPack_RequantizationAttr>:$lhs_requantization,
                       OptionalAttr<QNNPack_RequantizationAttr>:$rhs_requantization,
                       UnitAttr:$relu, UnitAttr:$aten, UnitAttr:$vectorized);
  let extraClassDeclaration = [{
    /// Whether it is ATen's form, a sum of floats.
    bool addsFloatNumbers();
  }];
}

def QNNPack_MulOp : QNNPack_BinaryOp<"mul"> {
  let summary = "quantized multiplication, optionally with a fused relu";
  let description = [{
    `acc = (a - za) * (b - zb)`, `m = f32(f32(sa * sb) * f32(1 / sy))`,
    `y = clamp(zy + rne(f32(f32(acc) * m)), qmin, qmax)`, then `max(y, zy)` with
    `relu`. Signed: `m = f32(f32(sa * sb) / sy)`, but for `zy = 127`. Operands
    broadcast. With `requantization`, `acc` is requantized by that.

    **Constraints:**
    - the shapes broadcast to that of `output`, dimension by dimension;
    - all three have the same storage type;
    - `requantization` has one multiplier.

    Example:
    ```mlir
    %y = qnnpack.mul %a, %b : tensor<1x4x!a8>, tensor<1x4x!b8> -> tensor<1x4x!y8>
    ```
  }];
}

class QNNPack_ScalarOp<string mnemonic> : QNNPack_VerifiedOp<mnemonic> {
  let arguments = (ins QNNPack_Activation:$input, F64Attr:$scalar,
                       UnitAttr:$relu);
  let results = (outs QNNPack_Activation:$output);
  let assemblyFormat = [{
    $input `,` $scalar attr-dict `:` type($input) `->` type($output)
  }];
}

def QNNPack_AddScalarOp : QNNPack_ScalarOp<"add_scalar"> {
  let summary = "quantized tensor plus a number";
  let description = [{
    With `c = rne(scalar / s)` the integers stay and the zero point becomes
    `z - c`, if that is storable. Otherwise the scale widens to reach and the
    integers are requantized. The result type is the one the engine gives, see
    `getAddScalarResultType`. `relu` then takes the maximum with the zero point.

    **Constraints:**
    - `|scalar / s|` is below 2^31, and the new scale a normal number;
    - the type of `output` has the scale and zero point of the rule above.

    Example:
    ```mlir
    // s = 0.5, z = 10: c = 6, the zero point becomes 4
    %y = qnnpack.add_scalar %x, 3.0 : tensor<4x!quant.uniform<u8:f32, 0.5:10>> -> tensor<4x!quant.uniform<u8:f32, 0.5:4>>
    ```
  }];
}

def QNNPack_MulScalarOp : QNNPack_ScalarOp<"mul_scalar"> {
  let summary = "quantized tensor times a number";
  let description = [{
    A positive number scales the scale and leaves the integers; a negative one
    mirrors them: `q' = qmin + qmax - q`, `z' = qmin + qmax - z`. Zero gives
    integers 0 with scale 1 and zero point 0. `relu` then takes the maximum with
    the zero point.

    **Constraints:**
    - the type of `output` has the scale and zero point of the rule above.

    Example:
    ```mlir
    %y = qnnpack.mul_scalar %x, 2.0 : tensor<4x!quant.uniform<u8:f32, 0.5:10>> -> tensor<4x!quant.uniform<u8:f32, 1.0:10>>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Concatenation and shape
//===----------------------------------------------------------------------===//

def QNNPack_CatOp : QNNPack_VerifiedOp<"cat"> {
  let summary = "quantized concatenation along one axis";
  let description = [{
    Inputs whose parameters equal those of the result are copied; others go
    through `quantize(dequantize(x))`. `relu` takes the maximum with `zy`.

    `channels_last` names the formula that ATen has for the channels of
    channels-last images: of the `C` channels of an input, the first
    `8 * floor(C / 8)` are dequantized by `fma(s, q, -f32(s * zp))`, and the
    reciprocal is `f32(1 / sy)` of the double `sy`. It differs in ties.

    **Constraints:**
    - there is an input, and `axis` is one of its dimensions;
    - the inputs differ in the size of `axis` only, and add up to `output`;
    - all have the same storage type;
    - `channels_last` is for images, rank 4, along their channels, axis 3.

    Example:
    ```mlir
    %y = qnnpack.cat %a, %b {axis = 3 : i64} : tensor<1x4x4x2x!a8>, tensor<1x4x4x3x!b8> -> tensor<1x4x4x5x!y8>
    ```
  }];
  let arguments = (ins Variadic<QNNPack_Activation>:$inputs, I64Attr:$axis,
                       UnitAttr:$relu, UnitAttr:$channels_last);
  let results = (outs QNNPack_Activation:$output);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs) `->` type($output)";
}

def QNNPack_TransposeOp : QNNPack_VerifiedOp<"transpose"> {
  let summary = "permute the dimensions of a quantized tensor";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of the input.

    **Constraints:**
    - `permutation` is one, of the rank of `input`, and fits the shapes;
    - the quantization parameters stay.

    Example:
    ```mlir
    %y = qnnpack.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : tensor<1x4x4x2x!u8> -> tensor<1x2x4x4x!u8>
    ```
  }];
  let arguments = (ins QNNPack_Activation:$input,
                       DenseI64ArrayAttr:$permutation);
  let results = (outs QNNPack_Activation:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasFolder = 1;
}

def QNNPack_ReshapeOp : QNNPack_VerifiedOp<"reshape"> {
  let summary = "the same integers in another shape";
  let description = [{
    Row-major order is kept.

    **Constraints:**
    - both shapes hold the same number of elements, and at most the first
      dimension is dynamic;
    - the quantization parameters stay.

    Example:
    ```mlir
    %y = qnnpack.reshape %x : tensor<1x2x4x4x!u8> -> tensor<1x32x!u8>
    ```
  }];
  let arguments = (ins QNNPack_Activation:$input);
  let results = (outs QNNPack_Activation:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasFolder = 1;
}

def QNNPack_SliceOp : QNNPack_VerifiedOp<"slice"> {
  let summary = "part of a quantized tensor";
  let description = [{
    Element `i` of a dimension of the result is element
    `offsets + i * strides` of the input. There are as many as the result has.

    **Constraints:**
    - `offsets` and `strides` have a number for each dimension, no offset is
      negative, and strides are positive;
    - the elements are in the input; a dynamic dimension is taken whole;
    - the quantization parameters stay.

    Example:
    ```mlir
    %y = qnnpack.slice %x {offsets = array<i64: 0, 2>, strides = array<i64: 1, 1>} : tensor<1x8x!u8> -> tensor<1x4x!u8>
    ```
  }];
  let arguments = (ins QNNPack_Activation:$input, DenseI64ArrayAttr:$offsets,
                       DenseI64ArrayAttr:$strides);
  let results = (outs QNNPack_Activation:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

def QNNPack_PadOp : QNNPack_VerifiedOp<"pad"> {
  let summary = "a quantized tensor with a number around it";
  let description = [{
    Of each dimension, `low` elements before and `high` after are added, which
    are `Q(value)`, where `Q` is `qnnpack.quantize` with the parameters of the
    input: it saturates. Source: ATen's constant_pad_nd.

    **Constraints:**
    - `low` and `high` have a number for each dimension, none is negative, and
      the shapes fit;
    - the quantization parameters stay.

    Example:
    ```mlir
    %y = qnnpack.pad %x {low = array<i64: 0, 1>, high = array<i64: 0, 2>, value = 0.0 : f32} : tensor<1x4x!u8> -> tensor<1x7x!u8>
    ```
  }];
  let arguments = (ins QNNPack_Activation:$input, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high, F32Attr:$value);
  let results = (outs QNNPack_Activation:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

def QNNPack_RepeatOp : QNNPack_VerifiedOp<"repeat"> {
  let summary = "a quantized tensor several times along its dimensions";
  let description = [{
    Element `i` of a dimension of the result is element `i mod n` of the input,
    `n` its size; the result has `multiples * n`.

    **Constraints:**
    - `multiples` has a positive number for each dimension, and fits the shapes;
    - the quantization parameters stay.

    Example:
    ```mlir
    %y = qnnpack.repeat %x {multiples = array<i64: 1, 2>} : tensor<1x4x!u8> -> tensor<1x8x!u8>
    ```
  }];
  let arguments = (ins QNNPack_Activation:$input,
                       DenseI64ArrayAttr:$multiples);
  let results = (outs QNNPack_Activation:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

def QNNPack_MaxPool2dOp : QNNPack_VerifiedOp<"max_pool2d"> {
  let summary = "quantized 2-d max pooling";
  let description = [{
    The largest integer of each window. What is at taps outside of the image
    depends on the kernel that the engine picks:

    - unsigned, floor mode (QNNPACK): the nearest pixel of the image. With
      dilation this can be a pixel that is not in the window; without, it is;
    - `ceil_mode`, or signed (ATen): nothing. A window that has no tap inside of
      the image, because its dilation steps over it, gives the smallest integer.

    `mathematical` leaves these taps out in every mode. `padding` is
    `[[top, bottom], [left, right]]`, flattened.

    **Constraints:**
    - the shapes, kernel, stride, padding and dilation fit together, and
      every window reaches the image;
    - the quantization parameters stay.

    Example:
    ```mlir
    %y = qnnpack.max_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>}
      : tensor<1x4x4x2x!u8> -> tensor<1x2x2x2x!u8>
    ```
  }];
  let arguments = (ins QNNPack_Image:$input, DenseI64ArrayAttr:$kernel,
                       DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding,
                       DenseI64ArrayAttr:$dilation, UnitAttr:$ceil_mode,
                       UnitAttr:$mathematical);
  let results = (outs QNNPack_Image:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

def QNNPack_AvgPool2dOp : QNNPack_VerifiedOp<"avg_pool2d"> {
  let summary = "quantized 2-d average pooling";
  let description = [{
    Unsigned, floor mode (QNNPACK): `acc = sum(x) - n * zx` with padded taps
    counting as `zx` and `n = kh * kw` always, whatever `count_include_pad` and
    `divisor_override` say, `m = f32(s / f32(s * f32(n)))`,
    `y = clamp(rne(f32(f32(acc) * m)) + zx, qmin, qmax)`.

    `ceil_mode`, or signed (ATen, contiguous): `acc = sum - zx * size` over the
    `size` taps inside of the image, divided by `divisor_override`, or the window
    clipped to the padded image (`count_include_pad`), or `size`:
    `y = clamp(rne(f32(f32(acc * f32(1 / div)) + zx)), qmin, qmax)`.

    `mathematical` takes the second formula in every mode, and with it heeds
    `count_include_pad` and `divisor_override`.

    `channels_last` names ATen's formula for images that have their channels last
    in memory, where the second one is taken: with `m = f32(1 / div)`
    `y = clamp(rne(f32(acc * m)) + zx, qmin, qmax)` for the first
    `8 * floor(C / 8)` channels, and `f32(1 / f32(1 / m))` in the place of `m` for
    the others.

    **Constraints:**
    - the shapes, kernel, stride and padding fit together, padding is at most
      half of the kernel;
    - the quantization parameters stay.

    Example:
    ```mlir
    %y = qnnpack.avg_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>}
      : tensor<1x4x4x2x!u8> -> tensor<1x2x2x2x!u8>
    ```
  }];
  let arguments = (ins QNNPack_Image:$input, DenseI64ArrayAttr:$kernel,
                       DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding,
                       UnitAttr:$ceil_mode,
                       DefaultValuedAttr<BoolAttr, "true">:$count_include_pad,
                       OptionalAttr<I64Attr>:$divisor_override,
                       UnitAttr:$mathematical, UnitAttr:$channels_last);
  let results = (outs QNNPack_Image:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

def QNNPack_AdaptiveAvgPool2dOp : QNNPack_VerifiedOp<"adaptive_avg_pool2d"> {
  let summary = "quantized 2-d average pooling to a given size";
  let description = [{
    The output size is that of `output`; that of the input is a copy. Unsigned,
    where it divides the input's, this is `qnnpack.avg_pool2d`. Otherwise (ATen,
    contiguous) window `i` is `[floor(i*H/oh), ceil((i+1)*H/oh))` and
    `y = rne(f32(sum(q) * f32(f32(1/kh)/kw)))` on the raw integers.
    `channels_last` names ATen's formula for images that have their channels last
    in memory: with `m = f32(1 / (kh * kw))`
    `y = rne(f32((sum(q) - zx * kh * kw) * f32(1 / f32(1 / m)))) + zx`.

    **Constraints:**
    - batch and channels stay, and the sizes are static;
    - the quantization parameters stay.

    Example:
    ```mlir
    %y = qnnpack.adaptive_avg_pool2d %x : tensor<1x4x4x2x!u8> -> tensor<1x1x1x2x!u8>
    ```
  }];
  let arguments = (ins QNNPack_Image:$input, UnitAttr:$channels_last);
  let results = (outs QNNPack_Image:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

def QNNPack_MeanOp : QNNPack_VerifiedOp<"mean"> {
  let summary = "quantized mean over height and width";
  let description = [{
    `qnnpack.avg_pool2d` with one window over the whole image,
    `n = height * width`. The result drops the two dimensions, unless `keepdim`.

    **Constraints:**
    - `output` is `[N, C]`, or `[N, 1, 1, C]` with `keepdim`;
    - the quantization parameters stay.

    Example:
    ```mlir
    %y = qnnpack.mean %x : tensor<1x4x4x2x!u8> -> tensor<1x2x!u8>
    ```
  }];
  let arguments = (ins QNNPack_Image:$input, UnitAttr:$keepdim);
  let results = (outs QNNPack_Activation:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

// These use the classes above.
include "qbackend/Dialect/QNNPack/Activation.td"
include "qbackend/Dialect/QNNPack/Embedding.td"
include "qbackend/Dialect/QNNPack/Normalization.td"
include "qbackend/Dialect/QNNPack/Resize.td"

#endif // QBACKEND_DIALECT_QNNPACK_QNNPACKOPS
