// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantization specs of edges, and limits: what a backend's file says beside
// PyTorch's BackendConfig.

#ifndef QBACKEND_DIALECT_QBACKEND_QBACKENDEDGES
#define QBACKEND_DIALECT_QBACKEND_QBACKENDEDGES

include "qbackend/Dialect/QBackend/QBackendBase.td"

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
    "what has to hold of the neighbours of an operator", [
      I32EnumAttrCase<"InputsQuantized", 0, "inputs_quantized">,
      I32EnumAttrCase<"UserQuantized", 1, "user_quantized">
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
    float. `if` lists what has to hold of the neighbours: `inputs_quantized`,
    each input is the result of a quantized operator; `user_quantized`, some
    operator that reads the result has a pattern of the backend.

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
