// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fixed-point requantization as an attribute of the ops that requantize.
// Included by QNNPackOps.td, which has the dialect.

#ifndef QBACKEND_DIALECT_QNNPACK_REQUANTIZATION
#define QBACKEND_DIALECT_QNNPACK_REQUANTIZATION

include "mlir/IR/BuiltinAttributes.td"
include "qbackend/Dialect/QBackend/Rounding.td"

def QNNPack_RequantizationAttr
    : AttrDef<QNNPack_Dialect, "Requantization"> {
  let mnemonic = "requantization";
  let summary = "fixed-point multipliers in the place of those of the scales";
  let description = [{
    The integer of a sum is `r = round(sum * multiplier / 2^shift)`, of the exact
    product, in the low 32 bits of two's complement; then
    `y = clamp(r, lo - zy, hi - zy) + zy`. One multiplier, or one for each output
    channel. The scales of the types say what the numbers stand for, and don't
    enter. `rounding` is

    - `nearest_even`: to nearest, ties to even;
    - `half_up`: `floor(v + 1/2)`, TOSA's `SINGLE_ROUND`;
    - `half_away`: to nearest, ties away from zero;
    - `double`: TOSA's `DOUBLE_ROUND`, which is `half_up` of a product that is
      moved by `2^30` away from zero first if `shift` is more than 31 (a sum of
      0 counts as positive).

    With `left_shift`, the sum is moved by so many bits first, as TFLite and CMSIS-NN
    do with the operands of an addition: `r = round(sum * 2^left_shift * multiplier /
    2^shift)`. Only for `double` is that more than a smaller shift.

    **Constraints:**
    - there are as many shifts as multipliers, and at least one;
    - multipliers are not negative, shifts are in [2, 62];
    - `left_shift` is in [0, 22], and not 0 on an operand of an addition only.

    Example:
    ```mlir
    #qnnpack.requantization<rounding = double, multiplier = [1073741824, 1417339207], shift = [38, 39]>
    #qnnpack.requantization<rounding = double, multiplier = [1073741824], shift = [32], left_shift = 20>
    ```
  }];
  let parameters = (ins QBackend_RoundingParameter:$rounding,
                        "::mlir::DenseI32ArrayAttr":$multiplier,
                        "::mlir::DenseI8ArrayAttr":$shift,
                        DefaultValuedParameter<"int64_t", "0">:$left_shift);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The number of multipliers: 1, or one for each channel.
    int64_t size() const { return getMultiplier().size(); }
  }];
}

#endif // QBACKEND_DIALECT_QNNPACK_REQUANTIZATION
