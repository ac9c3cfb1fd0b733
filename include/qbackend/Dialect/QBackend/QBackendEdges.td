// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantization specs of edges, requantization, and limits: what a backend's file
// says beside PyTorch's BackendConfig.

#ifndef QBACKEND_DIALECT_QBACKEND_QBACKENDEDGES
#define QBACKEND_DIALECT_QBACKEND_QBACKENDEDGES

include "qbackend/Dialect/QBackend/QBackendBase.td"
include "qbackend/Dialect/QBackend/Rounding.td"

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

def QBackend_SpecKind : I32EnumAttr<"SpecKind",
    "where the observer of an edge comes from", [
      I32EnumAttrCase<"Own", 0, "own">,
      I32EnumAttrCase<"None", 1, "none">,
      I32EnumAttrCase<"Shared", 2, "shared">,
      I32EnumAttrCase<"SharedOrOwn", 3, "shared_or_own">,
      I32EnumAttrCase<"Derived", 4, "derived">
    ]> {
  let cppNamespace = "::qbackend";
  let genSpecializedAttr = 0;
}

def QBackend_EdgeCondition : I32EnumAttr<"EdgeCondition",
    "what has to hold of an operator and its neighbours", [
      I32EnumAttrCase<"InputsQuantized", 0, "inputs_quantized">,
      I32EnumAttrCase<"UserQuantized", 1, "user_quantized">,
      I32EnumAttrCase<"Spelled", 2, "spelled">
    ]> {
  let cppNamespace = "::qbackend";
  let genSpecializedAttr = 0;
}

def QBackend_RequantizationMultiplier : I32EnumAttr<"RequantizationMultiplier",
    "the number that stands for a quotient of scales", [
      I32EnumAttrCase<"F32", 0, "f32">,
      I32EnumAttrCase<"FixedPoint", 1, "fixed_point">
    ]> {
  let cppNamespace = "::qbackend";
  let genSpecializedAttr = 0;
}

def QBackend_RequantizationQuotient : I32EnumAttr<"RequantizationQuotient",
    "the roundings of a quotient of scales", [
      I32EnumAttrCase<"F64", 0, "f64">,
      I32EnumAttrCase<"F32Product", 1, "f32_product">,
      I32EnumAttrCase<"F32", 2, "f32">
    ]> {
  let cppNamespace = "::qbackend";
  let genSpecializedAttr = 0;
}

//===----------------------------------------------------------------------===//
// Quantization specs
//===----------------------------------------------------------------------===//

def QBackend_SpecAttr : QBackend_Attr<"Spec", "spec"> {
  let summary = "PyTorch's quantization spec of one edge or output";
  let description = [{
    - `own`: an observer of its own, that of the qconfig for the role, or `by`
      another one. PyTorch's QuantizationSpec, and with `fixed_qparams` its
      FixedQParamsQuantizationSpec.
    - `shared input0`: the observer of that input of the same operator, or of
      the `producer`: the result that the edge carries. PyTorch's
      SharedQuantizationSpec. Where the producer's result isn't observed, the
      operator stays float.
    - `shared_or_own producer`: the same, but with an observer of its own where
      the producer's result has none.
    - `derived scale_product(input0, weight) as <si32>`: no observer; the scale is
      the product of the scales of those edges, the zero point 0. PyTorch's
      DerivedQuantizationSpec.
    - `none`: it stays float.

    **Constraints:**
    - only `own` has an observer;
    - `shared` names one `inputN` or the `producer`, `shared_or_own` the
      `producer`;
    - `derived` has the formula `scale_product`, an input and the weight, and a
      dtype; the others have neither.

    Example:
    ```mlir
    #softmax = #qbackend.spec<own by <fixed_qparams, si8, scale = 0.00390625, zero_point = -128>>
    #bias = #qbackend.spec<derived scale_product(input0, weight) as <si32>>
    ```
  }];
  let parameters = (ins "::qbackend::SpecKind":$kind,
                        "::qbackend::ObserverAttr":$observer,
                        "::mlir::ArrayAttr":$of,
                        "::mlir::StringAttr":$formula,
                        "::qbackend::DTypeAttr":$dtype);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether there is an observer.
    bool isObserved() const {
      return getKind() != SpecKind::None && getKind() != SpecKind::Derived;
    }
    /// The input that it shares with, by number; none if it doesn't.
    std::optional<unsigned> getSharedInput() const;
    /// Whether it shares with the result that the edge carries.
    bool isSharedWithProducer() const;
  }];
}

def QBackend_EdgesAttr : QBackend_Attr<"Edges", "edges"> {
  let summary = "the specs of all edges of a pattern, PyTorch's annotation";
  let description = [{
    What PT2E's quantizers write on the nodes that a pattern matches, as the
    attribute `qbackend.edges` of a `pattern_config`. `inputs`
    has a spec for each input of the operator (those of the root, then the extra
    ones); the last one holds for all that follow. A role that is left out stays
    float. `if` lists what else has to hold: `inputs_quantized`, each input is the
    result of a quantized operator; `user_quantized`, some operator that reads
    the result has a pattern of the backend; `spelled`, the network calls it by the
    pattern's `torch`, where its `qbackend.torch_names` say.

    Example:
    ```mlir
    #cat = #qbackend.edges<inputs = [own, shared input0], output = shared input0>
    #conv = #qbackend.edges<inputs = [own], weight = own, output = own>
    #pool = #qbackend.edges<inputs = [own], output = shared input0, if = [inputs_quantized]>
    qbackend.pattern_config [cat] <dtypes = [#u8]> {qbackend.edges = #cat}
    ```

    **Constraints:**
    - it is of a pattern without `observation` and its form by number;
    - the bias is derived, or float in a backend with `real_bias`;
    - an input shares with one before it, or with its producer, an output with
      an input; what is shared with is observed;
    - a weight has an observer of its own, and no bias has one;
    - what a bias is derived from is quantized;
    - conditions are known, each once.
  }];
  let parameters = (ins ArrayRefParameter<"::qbackend::SpecAttr">:$inputs,
                        "::qbackend::SpecAttr":$weight,
                        "::qbackend::SpecAttr":$bias,
                        "::qbackend::SpecAttr":$output,
                        ArrayRefParameter<"::qbackend::EdgeCondition">:$conditions);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The spec of input `i`; null if it stays float.
    ::qbackend::SpecAttr getInput(unsigned i) const;
    /// Which of the three short forms this is for the result.
    ::qbackend::ObservationType getObservation() const;
    bool has(::qbackend::EdgeCondition condition) const {
      return ::llvm::is_contained(getConditions(), condition);
    }
  }];
}

//===----------------------------------------------------------------------===//
// Requantization
//===----------------------------------------------------------------------===//

def QBackend_RequantizationRuleAttr
    : QBackend_Attr<"RequantizationRule", "requantization"> {
  let summary = "how the kernels of a pattern get from sums to integers";
  let description = [{
    The attribute `qbackend.requantization` of a `pattern_config`, and then of the
    operators that it matched. Their kernel computes
    `y = clamp(round(sum * m) + zy, lo, hi)`, where `m` stands for
    `M = sx * sw / sy` of scales that are rounded to f32, for each channel where
    the weight has a scale for each.

    `multiplier` is

    - `fixed_point`: with `M = f * 2^e`, `f` in [1/2, 1), it is
      `round(f * 2^31) / 2^(31 - e)`, ties away from zero (TFLite's
      QuantizeMultiplier); 0 for `e < -31`. The product with a sum is exact;
    - `f32`: the number and its product with a sum are f32, in the order of
      QNNPACK for unsigned activations and of XNNPACK for signed ones.

    `rounding` is that of `#qnnpack.requantization`; `double` has TFLite's and
    CMSIS-NN's two steps.

    `quotient` has the order of the steps to `M`: `f64` computes all in double,
    `f32_product` rounds `sx * sw` to f32 first (a linear layer of TFLite with one
    scale), `f32` is `f32(f32(sx * sw) / sy)` (XNNPACK's rndnu).

    A sum of two tensors is moved to the larger of their scales in units of 2^-20,
    `Ma = sa * 2^20 / (2 max(sa, sb))`, `Mb` likewise, and the result is of
    `My = 2 max(sa, sb) / (2^20 * sy)`, three such multipliers (TOSA). With
    `double` the operands are moved by 20 bits to the left first (TFLite, CMSIS-NN).

    In a backend that has it on some pattern, an operator without it that computes
    numbers has no kernel.

    **Constraints:**
    - a multiplier of `f32` is rounded `nearest_even`, and has no `quotient`.

    Example:
    ```mlir
    #cmsis_nn = #qbackend.requantization<rounding = double, multiplier = fixed_point>
    #tosa = #qbackend.requantization<rounding = half_up, multiplier = fixed_point>
    #rndnu = #qbackend.requantization<rounding = half_up, multiplier = fixed_point, quotient = f32>
    #qnnpack = #qbackend.requantization<rounding = nearest_even, multiplier = f32>
    qbackend.pattern_config [conv2d] <dtypes = [#s8]> {qbackend.requantization = #cmsis_nn}
    ```
  }];
  let parameters = (ins
    QBackend_RoundingParameter:$rounding,
    EnumParameter<QBackend_RequantizationMultiplier>:$multiplier,
    DefaultValuedParameter<"::qbackend::RequantizationQuotient",
      "::qbackend::RequantizationQuotient::F64">:$quotient);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

def QBackend_LimitOp : Op<QBackend_Dialect, "limit",
                              [HasParent<"BackendConfigOp">]> {
  let summary = "what an operator has to satisfy to be quantized";
  let description = [{
    `kinds` are operator kinds: an operator that is one of them, or that one was
    fused into, stays float unless `condition` holds of it, with a remark that
    leads here. `reason` says what the limit is of.

    A condition is a comparison (`==`, `!=`, `<`, `<=`, `>`, `>=`) of two sums of
    products (`+`, `-`, `*`, `/` rounding down, `%`, parentheses), or several with
    `and` and `or` (`and` binds closer). Values are numbers, `true`, `false`,
    fields of the kind (`stride`, `dilation`, `groups`), and of `inputN`,
    `weight`, `bias` and `output` their `.rank`, `.shape` (of the layout that
    `--qbackend-print-operators` shows) or one dimension, `.shape[1]` or
    `.shape[-1]`. A list is compared element by element: all have to hold, and a
    list of another length is not equal. `product(x)`, `min(x)` and `max(x)` make
    a number of a list. A dimension of unknown size satisfies no condition.

    Example:
    ```mlir
    qbackend.limit [conv2d] "stride <= 3 and dilation == 1" because "Ethos-U55"
    ```

    **Constraints:**
    - there are kinds, none of them empty;
    - `condition` is one.
  }];
  let arguments = (ins StrArrayAttr:$kinds, StrAttr:$condition,
                       OptionalAttr<StrAttr>:$reason);
  let assemblyFormat = [{
    custom<Kinds>($kinds) $condition (`because` $reason^)? attr-dict
  }];
  let hasVerifier = 1;
}

#endif // QBACKEND_DIALECT_QBACKEND_QBACKENDEDGES
