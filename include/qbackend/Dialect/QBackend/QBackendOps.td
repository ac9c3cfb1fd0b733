// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops of the qbackend dialect.

#ifndef QBACKEND_DIALECT_QBACKEND_QBACKENDOPS
#define QBACKEND_DIALECT_QBACKEND_QBACKENDOPS

include "mlir/Dialect/Quant/IR/QuantBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "qbackend/Dialect/QBackend/OperatorKinds.td"
include "qbackend/Dialect/QBackend/QBackendAttrs.td"

class QBackend_Op<string mnemonic, list<Trait> traits = []>
    : Op<QBackend_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Configurations
//===----------------------------------------------------------------------===//

def QBackend_BackendConfigOp : QBackend_Op<"backend_config", [
    IsolatedFromAbove, NoRegionArguments, NoTerminator, SingleBlock, Symbol,
    SymbolTable]> {
  let summary = "what a backend can quantize: PyTorch's BackendConfig";
  let description = [{
    Holds one `pattern_config` for each pattern, in the order of registration,
    and the backend's named qconfig mappings, of which `default_qconfig` is used
    when the user names none. `lowering` lists the forms that a quantized module
    may end in, the usual one first: `reference` (quantize and dequantize around
    float operators), and those of one engine, such as `qnnpack` (ops of that
    dialect), `linalg` (plain integer code) and `tosa`. Without it, the reference
    form is the only one. `real_bias` says that its engine adds the bias as a float
    number: then it is one in the reference form, too, and not an integer of the
    scale of the products. `version` is that of the format of this file: 2.
    Version 1 is read, and upgraded.

    Example:
    ```mlir
    qbackend.backend_config @mine version 2 default_qconfig @default {
      qbackend.pattern_config [linear, relu] <dtypes = [#u8]>
      qbackend.qconfig_mapping @default {
        qbackend.qconfig global <activation = <min_max, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
      }
    }
    ```

    **Constraints:**
    - `version` is 1 or 2;
    - `lowering` holds names, each once; whether an engine offers these forms is
      asked when the backend is used;
    - it holds nothing but patterns and mappings;
    - no two patterns have the same operators and the same `torch`;
    - `default_qconfig` is one of its mappings.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$version,
                       OptionalAttr<FlatSymbolRefAttr>:$default_qconfig,
                       OptionalAttr<StrArrayAttr>:$lowering,
                       UnitAttr:$real_bias);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `version` $version (`default_qconfig` $default_qconfig^)?
    (`lowering` custom<Lowering>($lowering)^)? (`real_bias` $real_bias^)?
    attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The version that is written, and that upgraded configurations have.
    static constexpr int64_t kVersion = 2;
    /// What a quantized module may end in, the usual form first.
    ::llvm::SmallVector<::llvm::StringRef> getForms();
  }];
}

def QBackend_PatternConfigOp : QBackend_Op<"pattern_config", [
    HasParent<"BackendConfigOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one pattern of a backend: PyTorch's BackendPatternConfig";
  let description = [{
    `pattern` lists one to three operators in the order of execution, or is a
    nested pattern (`#qbackend.node`), the last operator first. An operator is
    a kind, or, quoted, the name of an op of another dialect.

    Example:
    ```mlir
    qbackend.pattern_config [conv2d, relu] <dtypes = [#u8], fuser_method = "sequential_wrapper2">
    qbackend.pattern_config relu(add(conv2d, _)) <dtypes = [#u8], root = [0, 0], extra_inputs = [[0, 1]]>
    qbackend.pattern_config ["vendor.swish"] <dtypes = [#u8]>
    ```

    **Constraints:**
    - a list has 1 to 3 operators, none of them without a name;
    - `root` leads to an operator; without it, the last operands do;
    - the operands of the root are not operators of the pattern;
    - `extra_inputs` lead to all wildcards, but for those of the root;
    - `fused_operator` are operators of the pattern, in their order;
    - `reference` is a function beside the backend.
  }];
  let arguments = (ins AnyAttrOf<[StrArrayAttr, QBackend_PatternNodeAttr]>:$pattern,
                       QBackend_PatternAttr:$config);
  let assemblyFormat = "custom<Pattern>($pattern) $config attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The pattern in nested form, the last operator first.
    ::qbackend::PatternNodeAttr getTree();
    /// The kinds of the pattern in the order of execution.
    ::llvm::SmallVector<::llvm::StringRef> getKinds();
    /// The operand indices that lead from the last operator to the root.
    ::llvm::SmallVector<int64_t> getRootPath();
    /// Such indices for each wildcard outside of the root, in the order of the
    /// inputs of the fused operator.
    ::llvm::SmallVector<::llvm::SmallVector<int64_t>> getExtraInputPaths();
    /// True if the operators become one.
    bool isFusion();
    /// The kinds of the operator that a match becomes.
    ::llvm::SmallVector<::llvm::StringRef> getFusedKinds();
  }];
}

def QBackend_QConfigMappingOp : QBackend_Op<"qconfig_mapping", [
    IsolatedFromAbove, NoRegionArguments, NoTerminator, SingleBlock, Symbol]> {
  let summary = "what to observe with: PyTorch's QConfigMapping";
  let description = [{
    Later levels win: `global`, `object_type` (an operator kind), `module_type`
    (the class of a module that the operator is in, which the network's
    `qbackend.module_types` says; of several the innermost), `module_name_regex` (a regular expression that matches the start of the
    operator's name), `module_name` (the operator's name or a prefix of it up to
    a dot), `module_name_object_type_order` (the `index`-th operator of a kind
    in a module, in the order of the code; the module is the operator's name up
    to its last dot). Within a level the first entry that matches counts, of
    `module_name` the longest. `none` turns quantization off. Names are those of
    MLIR locations (`loc("layer1.conv1")`).

    Example:
    ```mlir
    qbackend.qconfig_mapping @default {
      qbackend.qconfig global <activation = <histogram, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
      qbackend.qconfig module_name "fc" none
      qbackend.qconfig module_name_object_type_order "layer1", "relu", 0 none
    }
    ```

    **Constraints:**
    - it holds nothing but `qbackend.qconfig` ops.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def QBackend_QConfigOp : QBackend_Op<"qconfig", [
    HasParent<"QConfigMappingOp">]> {
  let summary = "one entry of a qconfig mapping";
  let description = [{
    Example:
    ```mlir
    qbackend.qconfig object_type "sigmoid" <activation = <fixed_qparams, ui8, scale = 0.00390625, zero_point = 0>, weight = <min_max, si8, per_tensor_symmetric>>
    ```

    **Constraints:**
    - `global` has no selector, the other levels have one;
    - `module_name_object_type_order`, and no other level, has a kind and an
      index, which is not negative;
    - a regular expression is well-formed.
  }];
  let arguments = (ins QBackend_QConfigLevel:$level,
                       OptionalAttr<StrAttr>:$selector,
                       OptionalAttr<StrAttr>:$object_type,
                       OptionalAttr<I64Attr>:$index,
                       OptionalAttr<QBackend_QConfigAttr>:$config);
  let assemblyFormat = [{
    $level ($selector^)? (`,` $object_type^)? (`,` $index^)?
    custom<QConfig>($config) attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

def QBackend_OperatorOp : QBackend_Op<"operator", [
    AttrSizedOperandSegments, IsolatedFromAbove, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "an operator as PyTorch knows it, around the code it came as";
  let description = [{
    `kinds` says what is computed: one operator kind, or several that a backend's
    pattern made one unit. The body is the float code, its arguments are
    the operands in order; an operand that the body doesn't need still says what
    its role is. `qconfig` is set on operators that are to be quantized, and
    `decision` says by which pattern, or why not. Each operator that stays is
    inlined again where its function ends up float.

    Example:
    ```mlir
    %y = qbackend.operator [#qbackend.relu] inputs(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32> {
    ^bb0(%a: tensor<1x4xf32>):
      %r = tosa.clamp %a {min_val = 0.0 : f32, max_val = 3.40282347E+38 : f32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
      qbackend.yield %r : tensor<1x4xf32>
    }
    ```

    **Constraints:**
    - there is a kind, and each is an operator kind;
    - the body has one argument for each operand, of its type, and yields a value
      of the type of the result;
    - the operands suit the first kind;
    - a `decision` to quantize comes with a qconfig, one not to comes without.
  }];
  let arguments = (ins ArrayAttr:$kinds, Variadic<AnyRankedTensor>:$inputs,
                       Optional<AnyRankedTensor>:$weight,
                       Optional<AnyRankedTensor>:$bias,
                       Optional<AnyRankedTensor>:$running_mean,
                       Optional<AnyRankedTensor>:$running_var,
                       OptionalAttr<QBackend_QConfigAttr>:$qconfig,
                       OptionalAttr<AnyAttrOf<[
                         QBackend_QuantizedAttr,
                         QBackend_FloatValuedAttr]>>:$decision);
  let results = (outs AnyRankedTensor:$output);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kinds `inputs` `(` $inputs `)` (`weight` `(` $weight^ `)`)?
    (`bias` `(` $bias^ `)`)? (`running_mean` `(` $running_mean^ `)`)?
    (`running_var` `(` $running_var^ `)`)? (`qconfig` $qconfig^)?
    (`decision` `(` $decision^ `)`)? attr-dict-with-keyword
    `:` functional-type(operands, results) $body
  }];
  let extraClassDeclaration = [{
    /// The kinds, as attributes of that interface.
    auto getOperatorKinds() {
      return getKinds().getAsRange<::qbackend::OperatorKindAttrInterface>();
    }
    ::qbackend::OperatorKindAttrInterface getKind(unsigned i = 0) {
      return ::llvm::cast<::qbackend::OperatorKindAttrInterface>(getKinds()[i]);
    }
    /// "conv2d", or "conv2d+relu" when several are one unit.
    std::string getKindName();
    bool isFused() { return getKinds().size() > 1; }
    /// The inputs of the first kind; what follows is for the others.
    ::mlir::OperandRange getRootInputs();
    /// The value that the body yields.
    ::mlir::Value getYielded();
    /// What the questions about a kind are answered from.
    ::qbackend::OperatorOperands getKindOperands();
    /// The arithmetic of the first kind.
    ::qbackend::OperationCounts countOperations() {
      return getKind().countOperations(getKindOperands());
    }
    /// How it is quantized; null if it isn't, or nothing was decided yet.
    ::qbackend::QuantizedAttr getQuantized() {
      return ::llvm::dyn_cast_if_present<::qbackend::QuantizedAttr>(
          getDecisionAttr());
    }
    /// Whether its output has the observer of its input.
    bool sharesObserver();
    /// The code of the remark that says why it is not integers; else empty.
    ::llvm::StringRef getCode();
    /// Takes down that the remark `code` says why it is not integers.
    void setCode(::llvm::StringRef code);
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def QBackend_YieldOp : QBackend_Op<"yield", [
    HasParent<"OperatorOp">, Pure, Terminator]> {
  let summary = "the result of an operator's body";
  let description = [{
    Ends the body of `qbackend.operator`, which has none where the operator is
    known without the code that it was recognised in.

    Example:
    ```mlir
    qbackend.yield %0 : tensor<1x8x8x4xf32>
    ```
  }];
  let arguments = (ins Optional<AnyRankedTensor>:$value);
  let assemblyFormat = "($value^ `:` type($value))? attr-dict";
  // Of a body without a terminator; tablegen takes {} for no definition.
  let builders = [OpBuilder<(ins), [{ (void)$_builder, (void)$_state; }]>];
}

def QBackend_TransposeOp : QBackend_Op<"transpose", [Pure]> {
  let summary = "change of layout";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of the input. Kept
    apart from operators: layouts come and go, observers don't see them. Two in a
    row fold into one, and one of a constant into a constant.

    Example:
    ```mlir
    %y = qbackend.transpose %x [0, 2, 3, 1] : tensor<1x3x8x8xf32> -> tensor<1x8x8x3xf32>
    ```

    **Constraints:**
    - `permutation` is a permutation of the dimensions, and fits the types.
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       DenseI64ArrayAttr:$permutation);
  let results = (outs AnyRankedTensor:$output);
  let assemblyFormat =
      "$input $permutation attr-dict `:` type($input) `->` type($output)";
  let hasFolder = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$input,
                                 "::llvm::ArrayRef<int64_t>":$permutation)>];
}

//===----------------------------------------------------------------------===//
// Observation
//===----------------------------------------------------------------------===//

def QBackend_ObserverOp : QBackend_Op<"observer", [Symbol]> {
  let summary = "where the statistics of tensors go";
  let description = [{
    Tensors that share an observer share its statistics and, converted, their
    quantization parameters. Calibration fills in the range that was seen, and
    the scale and zero point that follow.

    Example:
    ```mlir
    qbackend.observer @conv1 <histogram, ui8>
    qbackend.observer @x <min_max, ui8> range [0.0, 1.0] scale 3.9215688593685627E-3 zero_point 0
    ```

    **Constraints:**
    - the scale is positive and finite, and comes with a zero point;
    - the zero point is an integer of the observer's type.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, QBackend_ObserverAttr:$config,
                       OptionalAttr<F64Attr>:$min, OptionalAttr<F64Attr>:$max,
                       OptionalAttr<F64Attr>:$scale,
                       OptionalAttr<I64Attr>:$zero_point);
  let assemblyFormat = [{
    $sym_name $config (`range` ` ` `[` $min^ `,` $max `]`)?
    (`scale` $scale^ `zero_point` $zero_point)? attr-dict
  }];
  let extraClassDeclaration = [{
    bool isCalibrated() { return getScale().has_value(); }
  }];
  let hasVerifier = 1;
}

def QBackend_ObserveOp : QBackend_Op<"observe", [
    AllTypesMatch<["input", "output"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "record the range of a tensor during calibration";
  let description = [{
    Passes `input` through unchanged. When the module runs under calibration,
    the range of the values seen is added to the statistics of `observer`.
    Not `Pure`: an observer whose result is unused still has to record.

    Example:
    ```mlir
    %1 = qbackend.observe %0 by @act_3 : tensor<1x8xf32>
    ```

    **Constraints:**
    - `observer` names a `qbackend.observer`.
  }];
  let arguments = (ins RankedTensorOf<[F32]>:$input,
                       FlatSymbolRefAttr:$observer);
  let results = (outs RankedTensorOf<[F32]>:$output);
  let assemblyFormat = "$input `by` $observer attr-dict `:` type($input)";
}

//===----------------------------------------------------------------------===//
// Quantize and dequantize
//===----------------------------------------------------------------------===//

def QBackend_QuantizeOp : QBackend_Op<"quantize", [Pure]> {
  let summary = "floats to integers";
  let description = [{
    PyTorch's rounding, see `qnnpack.quantize`. The only fold is
    `quantize(dequantize(q)) -> q` of one type: `dequantize(quantize(x))` is not
    `x`, the difference is the quantization error.

    Example:
    ```mlir
    %q = qbackend.quantize %x : tensor<4xf32> -> tensor<4x!quant.uniform<u8:f32, 0.5:3>>
    ```

    **Constraints:**
    - `input` and `output` have the same shape.
  }];
  let arguments = (ins RankedTensorOf<[F32]>:$input);
  let results = (outs RankedTensorOf<[quant_QuantizedType]>:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def QBackend_DequantizeOp : QBackend_Op<"dequantize", [Pure]> {
  let summary = "integers to the floats they stand for";
  let description = [{
    Example:
    ```mlir
    %x = qbackend.dequantize %q : tensor<4x!quant.uniform<u8:f32, 0.5:3>> -> tensor<4xf32>
    ```

    **Constraints:**
    - `input` and `output` have the same shape.
  }];
  let arguments = (ins RankedTensorOf<[quant_QuantizedType]>:$input);
  let results = (outs RankedTensorOf<[F32]>:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

#endif // QBACKEND_DIALECT_QBACKEND_QBACKENDOPS
