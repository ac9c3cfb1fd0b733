// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of configurations: dtypes, observers, qconfigs.

#ifndef QBACKEND_DIALECT_QBACKEND_QBACKENDATTRS
#define QBACKEND_DIALECT_QBACKEND_QBACKENDATTRS

include "qbackend/Dialect/QBackend/QBackendBase.td"

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

def QBackend_ObservationType : I32EnumAttr<"ObservationType",
    "how an operator's output is observed in relation to its input", [
      I32EnumAttrCase<"OutputUseDifferentObserverAsInput", 0,
                      "output_use_different_observer_as_input">,
      I32EnumAttrCase<"OutputShareObserverWithInput", 1,
                      "output_share_observer_with_input">,
      I32EnumAttrCase<"InputOutputNotObserved", 2, "input_output_not_observed">
    ]> {
  let cppNamespace = "::qbackend";
  let genSpecializedAttr = 0;
}

def QBackend_QConfigLevel : I32EnumAttr<"QConfigLevel",
    "what a qconfig of a mapping applies to", [
      I32EnumAttrCase<"Global", 0, "global">,
      I32EnumAttrCase<"ObjectType", 1, "object_type">,
      I32EnumAttrCase<"ModuleNameRegex", 2, "module_name_regex">,
      I32EnumAttrCase<"ModuleName", 3, "module_name">,
      I32EnumAttrCase<"ModuleNameObjectTypeOrder", 4,
                      "module_name_object_type_order">,
      I32EnumAttrCase<"ModuleType", 5, "module_type">
    ]> {
  let cppNamespace = "::qbackend";
}

def QBackend_FakeQuantizeKind : I32EnumAttr<"FakeQuantizeKind",
    "which of PyTorch's modules simulates the quantization while training", [
      I32EnumAttrCase<"None", 0, "none">,
      I32EnumAttrCase<"FakeQuantize", 1, "fake_quantize">,
      I32EnumAttrCase<"FusedMovingAvgObsFakeQuantize", 2,
                      "fused_moving_avg_obs_fake_quantize">
    ]> {
  let cppNamespace = "::qbackend";
  let genSpecializedAttr = 0;
}

//===----------------------------------------------------------------------===//
// DTypeWithConstraints, DTypeConfig
//===----------------------------------------------------------------------===//

def QBackend_DTypeAttr : QBackend_Attr<"DType", "dtype"> {
  let summary = "PyTorch's DTypeWithConstraints";
  let description = [{
    The type of one role of a pattern and what an observer of that role has to
    satisfy: its range lies in [`quant_min`, `quant_max`] (both must be given to
    count), its smallest scale (eps) is at least `scale_min`, its fixed
    parameters are `scale_exact_match` and `zero_point_exact_match` (both must be
    given to count). `scale_max` is kept, and like in PyTorch never checked.
    `qschemes` lists the schemes that the role supports; without it, any.
    Types: `ui8` (quint8), `si8` (qint8), `ui4` (quint4x2), `si32`, `f16`, `f32`.

    **Constraints:**
    - the type is one of these;
    - `quant_min` is not larger than `quant_max`, nor `scale_min` than `scale_max`;
    - scales are positive and finite;
    - `qschemes` holds names of schemes.

    Example:
    ```mlir
    #wt8 = #qbackend.dtype<si8, quant_min = -127, quant_max = 127, scale_min = 2.44140625E-4>
    ```
  }];
  let parameters = (ins "::mlir::Type":$dtype,
    QBackend_OptionalInt<"lower bound of the quantized range">:$quant_min,
    QBackend_OptionalInt<"upper bound of the quantized range">:$quant_max,
    QBackend_OptionalFloat<"lower bound of the scale">:$scale_min,
    QBackend_OptionalFloat<"upper bound of the scale">:$scale_max,
    QBackend_OptionalFloat<"required scale">:$scale_exact_match,
    QBackend_OptionalInt<"required zero point">:$zero_point_exact_match,
    OptionalParameter<"::mlir::ArrayAttr", "supported schemes">:$qschemes);
  let assemblyFormat = [{
    `<` $dtype (`,` struct($quant_min, $quant_max, $scale_min, $scale_max,
                           $scale_exact_match, $zero_point_exact_match,
                           $qschemes)^)? `>`
  }];
  let builders = [AttrBuilder<(ins "const ::qbackend::DTypeFields &":$fields), [{
    return $_get($_ctxt, fields.dtype, fields.quantMin, fields.quantMax,
                 fields.scaleMin, fields.scaleMax, fields.scaleExactMatch,
                 fields.zeroPointExactMatch, fields.qschemes);
  }]>];
  let genVerifyDecl = 1;
}

def QBackend_DTypeConfigAttr : QBackend_Attr<"DTypeConfig", "dtype_config"> {
  let summary = "PyTorch's DTypeConfig";
  let description = [{
    One combination of types that a pattern supports. A role that is left out
    accepts any type.

    **Constraints:**
    - the bias has one of the types of `#qbackend.dtype`.

    Example:
    ```mlir
    #u8 = #qbackend.dtype_config<input = <ui8>, output = <ui8>, weight = <si8>, bias = f32>
    ```
  }];
  let parameters = (ins
    OptionalParameter<"::qbackend::DTypeAttr", "type of the activations">:$input,
    OptionalParameter<"::qbackend::DTypeAttr", "type of the result">:$output,
    OptionalParameter<"::qbackend::DTypeAttr", "type of the weight">:$weight,
    OptionalParameter<"::mlir::Type", "type of the bias">:$bias,
    QBackend_Flag<"parameters of the input are found at run time">:$is_dynamic);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Observers and qconfigs
//===----------------------------------------------------------------------===//

def QBackend_ObserverAttr : QBackend_Attr<"Observer", "observer"> {
  let summary = "what to observe a tensor with";
  let description = [{
    An observer class of PyTorch with its arguments. Defaults are PyTorch's: the
    full range of the type, eps 2^-23, 2048 bins, averaging constant 0.01.
    `scale` and `zero_point` belong to `fixed_qparams`. `ch_axis` is the dimension
    of the channels (default 0) of a per-channel kind. With `fake_quantize` the
    observer is inside of PyTorch's module of that name, for training.

    Three kinds are not PyTorch's; docs/Calibration.md has their formulas.
    `percentile` keeps so many per cent of the values (`percentile`, default
    99.99), `entropy` the range whose distribution changes least, `mse` the one
    of least squared error.

    The kinds, their classes in PyTorch and the parameters that each takes are
    the table of qbackend/Calibration/ObserverKinds.h.

    **Constraints:**
    - the dtype is one of those of `#qbackend.dtype`;
    - the kind takes the parameters that are given;
    - `quant_min` and `quant_max` come together, and the first is less;
    - `eps` and `scale` are positive, `bins` is 1 or more, `ch_axis` 0 or more,
      `percentile` more than 50 and at most 100;
    - `fixed_qparams` has `scale` and `zero_point`.

    Example:
    ```mlir
    #act = #qbackend.observer<histogram, ui8>
    #wt = #qbackend.observer<min_max, si8, per_tensor_symmetric>
    #sigmoid = #qbackend.observer<fixed_qparams, ui8, scale = 0.00390625, zero_point = 0>
    #tails = #qbackend.observer<percentile, si8, percentile = 99.9>
    ```
  }];
  let parameters = (ins
    AttrOrTypeParameter<"::qbackend::ObserverFields", "its kind, dtype and so on",
                        "const ::qbackend::ObserverFields &">:$fields);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::qbackend::ObserverKind getKind() const { return getFields().kind; }
    ::mlir::Type getDtype() const { return getFields().dtype; }
    ::qbackend::QScheme getScheme() const { return getFields().scheme; }
    std::optional<int64_t> getQuantMin() const { return getFields().quantMin; }
    std::optional<int64_t> getQuantMax() const { return getFields().quantMax; }
    bool getReduceRange() const { return getFields().reduceRange; }
    ::mlir::FloatAttr getEps() const { return getFields().eps; }
    ::mlir::FloatAttr getAveragingConstant() const {
      return getFields().averagingConstant;
    }
    std::optional<int64_t> getBins() const { return getFields().bins; }
    ::mlir::FloatAttr getScale() const { return getFields().scale; }
    std::optional<int64_t> getZeroPoint() const { return getFields().zeroPoint; }
    bool getIsDynamic() const { return getFields().isDynamic; }
    std::optional<int64_t> getChAxis() const { return getFields().channelAxis; }
    ::mlir::FloatAttr getPercentile() const { return getFields().percentile; }
    ::qbackend::FakeQuantizeKind getFakeQuantize() const {
      return getFields().fakeQuantize;
    }
  }];
}

def QBackend_QConfigAttr : QBackend_Attr<"QConfig", "qconfig"> {
  let summary = "PyTorch's QConfig: observers for activations and weights";
  let description = [{
    Example:
    ```mlir
    #qbackend.qconfig<activation = <histogram, ui8>, weight = <min_max, si8, per_tensor_symmetric>>
    ```
  }];
  let parameters = (ins "::qbackend::ObserverAttr":$activation,
                        "::qbackend::ObserverAttr":$weight);
  let assemblyFormat = "`<` struct(params) `>`";
}

//===----------------------------------------------------------------------===//
// BackendPatternConfig
//===----------------------------------------------------------------------===//

def QBackend_PatternNodeAttr : QBackend_Attr<"PatternNode", "node"> {
  let summary = "an operator with patterns for its operands: a nested pattern";
  let description = [{
    The last operator comes first, with a pattern for each operand: a node, the
    wildcard `_`, which matches anything, or a number, which matches an equal
    number. A node without operands says nothing about them. PyTorch's complex
    pattern format.

    Example:
    ```mlir
    // relu(conv2d(...) + anything)
    #qbackend.node<relu(add(conv2d, _))>
    ```

    **Constraints:**
    - an operand is a node, a wildcard or a number.
  }];
  let parameters = (ins "::mlir::StringAttr":$name,
                        ArrayRefParameter<"::mlir::Attribute">:$operands);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The element that the operand indices `path` lead to from here; null if
    /// they lead nowhere.
    ::mlir::Attribute getElement(::llvm::ArrayRef<int64_t> path) const;
  }];
}

def QBackend_PatternAttr : QBackend_Attr<"Pattern", "pattern"> {
  let summary = "PyTorch's BackendPatternConfig, but for the pattern itself";
  let description = [{
    - `observation`: how the result is observed in relation to the inputs.
      `num_tensor_args_to_observation_type` says it by the number of tensors among
      the inputs of the root, `{"1" = "output_share_observer_with_input", ...}`.
    - `dtypes`: the types that are supported, in the order in which they are tried.
    - `root`: the operand indices that lead from the last operator to the one
      whose inputs are observed, PyTorch's root-node getter. Without it, the last
      operand is followed as far as it goes.
    - `extra_inputs`: such indices for each further input of the fused operator,
      PyTorch's extra-inputs getter.
    - `fuser_method`: that the operators become one, and how. `fuse_conv_bn` and
      its like fold batch norm into the weight, `sequential_wrapper2` joins two.
      A pattern without it is still one unit for observation.
    - `fused_operator`: the kinds that the fused operator has, in the order of
      execution. A batch norm that is not among them is folded. Without it, what
      `fuser_method` gives.
    - `reference`: the function that computes the pattern on integers, which
      `qbackend-convert` puts in place of the operator. What its arguments stand
      for is said by `qbackend.role`, see docs/AddingABackend.md.
    - `input_type_to_index`: which argument is the weight, which the bias.
    - `torch`: PyTorch's spelling of the pattern, `["torch.nn.Conv2d"]`, or
      a node of such names.
    - The modules are PyTorch's, kept for it.

    Example:
    ```mlir
    #qbackend.pattern<observation = output_share_observer_with_input, dtypes = [#u8]>
    ```

    **Constraints:**
    - `dtypes` holds `#qbackend.dtype_config` attributes;
    - the entries of `num_tensor_args_to_observation_type` map numbers to
      observation types;
    - `input_type_to_index` maps to indices, which are not negative;
    - `extra_inputs` holds lists of indices, `fused_operator` and `torch` names.
  }];
  let parameters = (ins
    DefaultValuedParameter<"::qbackend::ObservationType",
      "::qbackend::ObservationType::OutputUseDifferentObserverAsInput">:$observation,
    "::mlir::ArrayAttr":$dtypes,
    OptionalParameter<"::mlir::Attribute">:$num_tensor_args_to_observation_type,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$root,
    OptionalParameter<"::mlir::ArrayAttr">:$extra_inputs,
    OptionalParameter<"::mlir::StringAttr">:$root_module,
    OptionalParameter<"::mlir::StringAttr">:$qat_module,
    OptionalParameter<"::mlir::StringAttr">:$reference_quantized_module,
    OptionalParameter<"::mlir::StringAttr">:$fused_module,
    OptionalParameter<"::mlir::StringAttr">:$fuser_method,
    OptionalParameter<"::mlir::ArrayAttr">:$fused_operator,
    OptionalParameter<"::mlir::FlatSymbolRefAttr">:$reference,
    OptionalParameter<"::mlir::DictionaryAttr">:$input_type_to_index,
    OptionalParameter<"::mlir::Attribute">:$torch);
  let assemblyFormat = "`<` struct(params) `>`";
  let builders = [AttrBuilder<(ins "const ::qbackend::PatternFields &":$fields), [{
    return $_get($_ctxt, fields.observation, fields.dtypes,
                 fields.numTensorArgsToObservationType, fields.root,
                 fields.extraInputs, fields.rootModule, fields.qatModule,
                 fields.referenceQuantizedModule, fields.fusedModule,
                 fields.fuserMethod, fields.fusedOperator, fields.reference,
                 fields.inputTypeToIndex, fields.torch);
  }]>];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// All parameters, to make one like it.
    ::qbackend::PatternFields getFields() const;
    /// The observation of an operator whose root has `count` tensor inputs;
    /// nullopt if the counts are listed and this one is not.
    std::optional<::qbackend::ObservationType>
    getObservationFor(unsigned count) const;
  }];
}

//===----------------------------------------------------------------------===//
// What was decided for an operator
//===----------------------------------------------------------------------===//

def QBackend_QuantizedAttr : QBackend_Attr<"Quantized", "quantized"> {
  let summary = "that an operator is quantized: by which pattern, and how";
  let description = [{
    What `qbackend-observe` decides for an operator with a qconfig, once; the
    passes after it read this, and no backend.

    - `pattern`: the pattern of the backend that the operator matched, whose
      operators it is.
    - `dtypes`: which of the pattern's combinations of types fits the qconfig.
    - `observation`: how the result is observed in relation to the inputs;
      `input_output_not_observed` where activations stay float.
    - `reference`: the function of the backend's file that computes the pattern
      on integers.
    - `code`: that of the remark that says why the operator got no kernel.
    - `imported`: the module came with the parameters of the inputs and of the
      result. What it computes holds, where an engine has another habit.

    Example:
    ```mlir
    #qbackend.quantized<pattern = <relu(conv2d)>, dtypes = <input = <ui8>, output = <ui8>, weight = <si8>>>
    ```

    **Constraints:**
    - `code` is `QB` and three digits.
  }];
  let parameters = (ins
    "::qbackend::PatternNodeAttr":$pattern,
    "::qbackend::DTypeConfigAttr":$dtypes,
    DefaultValuedParameter<"::qbackend::ObservationType",
      "::qbackend::ObservationType::OutputUseDifferentObserverAsInput">:$observation,
    OptionalParameter<"::mlir::FlatSymbolRefAttr">:$reference,
    OptionalParameter<"::mlir::StringAttr">:$code,
    DefaultValuedParameter<"bool", "false">:$imported);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def QBackend_FloatValuedAttr : QBackend_Attr<"FloatValued", "float"> {
  let summary = "that an operator stays float: the code of the remark";
  let description = [{
    `code` is that of the remark that says why, see docs/Diagnostics.md.

    Example:
    ```mlir
    #qbackend.float<code = "QB104">
    ```

    **Constraints:**
    - `code` is `QB` and three digits.
  }];
  let parameters = (ins "::mlir::StringAttr":$code);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // QBACKEND_DIALECT_QBACKEND_QBACKENDATTRS
