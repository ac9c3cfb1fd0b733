// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of the int8 dialect.

#ifndef QBACKEND_DIALECT_INT8_INT8OPS
#define QBACKEND_DIALECT_INT8_INT8OPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Int8_Dialect : Dialect {
  let name = "int8";
  let cppNamespace = "::qbackend::int8";
  let summary = "kernels on bytes with all that follows them";
  let description = [{
    One op is one generated kernel: sums of products of bytes, their
    requantization, and what is done to the result before it is stored. Ops are in
    destination-passing style, on tensors and on buffers. Zero points are numbers
    of an op: the elements are signless `i8`, and `is_signed` says how they are
    extended. `qbackend-generate-kernels` makes vector code of them.
  }];
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class Int8_Attr<string name, string attrMnemonic>
    : AttrDef<Int8_Dialect, name> {
  let mnemonic = attrMnemonic;
  let assemblyFormat = "`<` struct(params) `>`";
}

def Int8_RequantizeAttr : Int8_Attr<"Requantize", "requantize"> {
  let summary = "from a sum to the byte of a result";
  let description = [{
    `y = clamp(rne(f32(f32(sum) * multiplier)) + zero_point, lo, hi)`. A product
    of 2^31 or more gives `overflow`, which is `lo` or `hi`.

    With multipliers of `i64`, which are fixed-point numbers, it is
    `y = clamp(round(sum * multiplier / 2^shift), lo - zero_point,
    hi - zero_point) + zero_point` with the `rounding` of
    `#qnnpack.requantization`, and without `overflow`: a multiplier is in the low
    32 bits of its `i64`, `shift - 1` in the high ones.

    Example: `#int8.requantize<zero_point = 3, lo = 3, hi = 255, overflow = 255>`
  }];
  let parameters = (ins "int32_t":$zero_point, "int32_t":$lo, "int32_t":$hi,
                        "int32_t":$overflow,
                        DefaultValuedParameter<"::qbackend::numerics::Rounding",
                            "::qbackend::numerics::Rounding::NearestEven">:
                            $rounding);
}

def Int8_AddAttr : Int8_Attr<"Add", "add"> {
  let summary = "a fixed-point sum with the byte of another tensor";
  let description = [{
    `y = clamp(round((y' * lhs + r * rhs - offset) / 2^shift) + zero_point, lo, hi)`
    in int32, with `y'` the byte of the kernel and `r` that of the other tensor.
    Ties are rounded up with `half_up`, else away from zero.

    Example: `#int8.add<lhs = 1048576, rhs = 1048576, offset = 0, shift = 21,
    half_up = false, zero_point = 0, lo = 0, hi = 255>`
  }];
  let parameters = (ins "int32_t":$lhs, "int32_t":$rhs, "int32_t":$offset,
                        "int32_t":$shift, "bool":$half_up,
                        "int32_t":$zero_point, "int32_t":$lo, "int32_t":$hi);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Int8_ShapedOf<Type element, int rank>
    : AnyTypeOf<[TensorRankOf<[element], [rank]>,
                 MemRefRankOf<[element], [rank]>],
                "a tensor or buffer of " # element.summary # " of rank " # rank,
                "::mlir::ShapedType">;
def Int8_Image : Int8_ShapedOf<I8, 4>;
def Int8_Input : AnyTypeOf<[Int8_Image, Int8_ShapedOf<I16, 4>],
                           "an image of i8, or of i16", "::mlir::ShapedType">;
def Int8_Result : AnyTypeOf<[Int8_Input, Int8_ShapedOf<I32, 4>],
                            "an image of i8, i16 or i32",
                            "::mlir::ShapedType">;
def Int8_Bias : Int8_ShapedOf<I32, 1>;
def Int8_Multiplier : AnyTypeOf<[Int8_ShapedOf<F32, 1>, Int8_ShapedOf<I64, 1>],
    "floats, or fixed-point numbers in i64, one for each channel",
    "::mlir::ShapedType">;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

class Int8_Op<string mnemonic, list<Trait> traits = []>
    : Op<Int8_Dialect, mnemonic,
         !listconcat([DestinationStyleOpInterface,
                      DeclareOpInterfaceMethods<MemoryEffectsOpInterface>],
                     traits)>;

def Int8_Conv2dOp : Int8_Op<"conv2d", [AttrSizedOperandSegments]> {
  let summary = "2-d convolution of bytes, requantized";
  let description = [{
    `sum = bias[o] + sum of x * w` in int32, wrapping, over the window of each
    pixel; taps outside of the image are `pad_value`. Then `requantize` with
    `multiplier[o]`, then `add` of `residual` if there is one; without
    `requantize` the sums are the result, in `i32`. Images are
    `[batch, height, width, channels]`, the weight is
    `[out, height, width, in / groups]` with all zero points taken off, so that
    those of the input are in `bias`. `padding` is `[[top, bottom], [left,
    right]]`, flattened. The result is written over `init`.

    **Constraints:**
    - shapes are static, without a 0, but for the batch, which may be dynamic;
    - `stride` and `dilation` are two positive numbers, `padding` four that are not
      negative, all below 2^31;
    - `groups` divides both channels, and the weight has those of a group;
    - the shape of `init` is the one that the window gives;
    - `bias` and `multiplier` have a number for each output channel;
    - `multiplier` comes with `requantize`, and the result is of the type of the
      input then, else of `i32`; floats are rounded to nearest even;
    - an input of `i16` comes with multipliers of `i64` and `is_signed`, and
      without `residual`; `zero_point` and `pad_value` are 0;
    - `residual` comes with `add`, which needs `requantize`, and has the shape of
      `init`;
    - `pad_value`, and each `lo` to `hi`, are in [-128, 127] with `is_signed`, or
      in [-32768, 32767] if the input is of `i16`, else in [0, 255], and
      `overflow` is `lo` or `hi`;
    - `shift` is in [1, 30], and the sum of `add` with half of `2^shift` is less
      than 2^31;
    - the result is a tensor if `init` is one.

    Example:
    ```mlir
    %y = int8.conv2d(%x, %w, %b, %m) into %init {stride = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64, pad_value = 3 : i64, requantize = #int8.requantize<zero_point = 0, lo = 0, hi = 255, overflow = 255>}
      : (tensor<1x4x4x8xi8>, tensor<16x1x1x8xi8>, tensor<16xi32>, tensor<16xf32>) into tensor<1x4x4x16xi8> -> tensor<1x4x4x16xi8>
    ```
  }];
  let arguments = (ins Int8_Input:$input, Int8_Image:$weight, Int8_Bias:$bias,
                       Optional<Int8_Multiplier>:$multiplier,
                       Optional<Int8_Image>:$residual, Int8_Result:$init,
                       DenseI64ArrayAttr:$stride, DenseI64ArrayAttr:$padding,
                       DenseI64ArrayAttr:$dilation, I64Attr:$groups,
                       I64Attr:$pad_value, UnitAttr:$is_signed,
                       OptionalAttr<Int8_RequantizeAttr>:$requantize,
                       OptionalAttr<Int8_AddAttr>:$add);
  let results = (outs Optional<TensorRankOf<[I8, I16, I32], [4]>>:$output);
  let assemblyFormat = [{
    `(` $input `,` $weight `,` $bias (`,` $multiplier^ (`,` $residual^)?)? `)`
    `into` $init attr-dict `:`
    `(` type($input) `,` type($weight) `,` type($bias) (`,` type($multiplier)^
    (`,` type($residual)^)?)? `)` `into` type($init) (`->` type($output)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getInitMutable();
    }
    /// Whether each channel is a group of its own, of one output.
    bool isDepthwise();
    /// Whether activations have 16 bits.
    bool isWide();
  }];
}

#endif // QBACKEND_DIALECT_INT8_INT8OPS
