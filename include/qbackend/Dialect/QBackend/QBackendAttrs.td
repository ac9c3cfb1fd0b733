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

def QBackend_ObserverKind : I32EnumAttr<"ObserverKind",
    "how the range of a tensor is found", [
      I32EnumAttrCase<"MinMax", 0, "min_max">,
      I32EnumAttrCase<"MovingAverageMinMax", 1, "moving_average_min_max">,
      I32EnumAttrCase<"PerChannelMinMax", 2, "per_channel_min_max">,
      I32EnumAttrCase<"MovingAveragePerChannelMinMax", 3,
                      "moving_average_per_channel_min_max">,
      I32EnumAttrCase<"Histogram", 4, "histogram">,
      I32EnumAttrCase<"FixedQParams", 5, "fixed_qparams">,
      I32EnumAttrCase<"Placeholder", 6, "placeholder">,
      I32EnumAttrCase<"Noop", 7, "noop">,
      I32EnumAttrCase<"ReuseInput", 8, "reuse_input">
    ]> {
  let cppNamespace = "::qbackend";
  let genSpecializedAttr = 0;
}

def QBackend_QScheme : I32EnumAttr<"QScheme", "quantization scheme", [
      I32EnumAttrCase<"PerTensorAffine", 0, "per_tensor_affine">,
      I32EnumAttrCase<"PerTensorSymmetric", 1, "per_tensor_symmetric">,
      I32EnumAttrCase<"PerChannelAffine", 2, "per_channel_affine">,
      I32EnumAttrCase<"PerChannelSymmetric", 3, "per_channel_symmetric">,
      I32EnumAttrCase<"PerChannelAffineFloatQParams", 4,
                      "per_channel_affine_float_qparams">
    ]> {
  let cppNamespace = "::qbackend";
  let genSpecializedAttr = 0;
}

def QBackend_QConfigLevel : I32EnumAttr<"QConfigLevel",
    "what a qconfig of a mapping applies to", [
      I32EnumAttrCase<"Global", 0, "global">,
      I32EnumAttrCase<"ObjectType", 1, "object_type">,
      I32EnumAttrCase<"ModuleNameRegex", 2, "module_name_regex">,
      I32EnumAttrCase<"ModuleName", 3, "module_name">
    ]> {
  let cppNamespace = "::qbackend";
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
    Types: `ui8` (quint8), `si8` (qint8), `ui4` (quint4x2), `si32`, `f16`, `f32`.

    Example:
    ```mlir
    #wt8 = #qbackend.dtype<si8, quant_min = -127, quant_max = 127, scale_min = 2.44140625E-4>
    ```
  }];
  let parameters = (ins "::mlir::Type":$dtype,
    QBackend_OptionalInt<"lower bound of the quantized range">:$quant_min,
    QBackend_OptionalInt<"upper bound of the quantized range">:$quant_max,
    QBackend_OptionalReal<"lower bound of the scale">:$scale_min,
    QBackend_OptionalReal<"upper bound of the scale">:$scale_max,
    QBackend_OptionalReal<"required scale">:$scale_exact_match,
    QBackend_OptionalInt<"required zero point">:$zero_point_exact_match);
  let assemblyFormat = [{
    `<` $dtype (`,` struct($quant_min, $quant_max, $scale_min, $scale_max,
                           $scale_exact_match, $zero_point_exact_match)^)? `>`
  }];
  let genVerifyDecl = 1;
}

def QBackend_DTypeConfigAttr : QBackend_Attr<"DTypeConfig", "dtype_config"> {
  let summary = "PyTorch's DTypeConfig";
  let description = [{
    One combination of types that a pattern supports. A role that is left out
    accepts any type.

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
}

//===----------------------------------------------------------------------===//
// Observers and qconfigs
//===----------------------------------------------------------------------===//

def QBackend_ObserverAttr : QBackend_Attr<"Observer", "observer"> {
  let summary = "what to observe a tensor with";
  let description = [{
    An observer class of PyTorch with its arguments. Defaults are PyTorch's: the
    full range of the type, eps 2^-23, 2048 bins, averaging constant 0.01.
    `scale` and `zero_point` belong to `fixed_qparams`.

    Example:
    ```mlir
    #act = #qbackend.observer<histogram, ui8>
    #wt = #qbackend.observer<min_max, si8, per_tensor_symmetric>
    #sigmoid = #qbackend.observer<fixed_qparams, ui8, scale = 0.00390625, zero_point = 0>
    ```
  }];
  let parameters = (ins
    EnumParameter<QBackend_ObserverKind>:$kind, "::mlir::Type":$dtype,
    DefaultValuedParameter<"::qbackend::QScheme",
                           "::qbackend::QScheme::PerTensorAffine">:$scheme,
    QBackend_OptionalInt<"smallest integer">:$quant_min,
    QBackend_OptionalInt<"largest integer">:$quant_max,
    QBackend_Flag<"use half of the range">:$reduce_range,
    QBackend_OptionalReal<"smallest scale">:$eps,
    QBackend_OptionalReal<"weight of a new batch">:$averaging_constant,
    QBackend_OptionalInt<"number of histogram bins">:$bins,
    QBackend_OptionalReal<"fixed scale">:$scale,
    QBackend_OptionalInt<"fixed zero point">:$zero_point,
    QBackend_Flag<"parameters are found at run time">:$is_dynamic);
  let assemblyFormat = [{
    `<` $kind `,` $dtype `` custom<ObserverFields>($scheme, $quant_min,
      $quant_max, $reduce_range, $eps, $averaging_constant, $bins, $scale,
      $zero_point, $is_dynamic) `>`
  }];
  let genVerifyDecl = 1;
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

def QBackend_PatternAttr : QBackend_Attr<"Pattern", "pattern"> {
  let summary = "PyTorch's BackendPatternConfig, but for the pattern itself";
  let description = [{
    How the tensors of a pattern are observed and the types it supports, in the
    order in which they are tried. `num_tensor_args_to_observation_type` is a list
    whose entry `n` holds for operators with `n` tensor arguments.
    `fuser_method` names how the operators become one: `fuse_conv_bn`,
    `fuse_conv_bn_relu`, `fuse_linear_bn` fold batch norm into the weight,
    `sequential_wrapper2` joins two operators. A pattern without it is still one
    unit for observation. `torch` lists PyTorch's spellings of the pattern.

    Example:
    ```mlir
    #qbackend.pattern<observation = output_share_observer_with_input, dtypes = [#u8]>
    ```
  }];
  let parameters = (ins
    DefaultValuedParameter<"::qbackend::ObservationType",
      "::qbackend::ObservationType::OutputUseDifferentObserverAsInput">:$observation,
    "::mlir::ArrayAttr":$dtypes,
    OptionalParameter<"::mlir::ArrayAttr">:$num_tensor_args_to_observation_type,
    OptionalParameter<"::mlir::StringAttr">:$root_module,
    OptionalParameter<"::mlir::StringAttr">:$qat_module,
    OptionalParameter<"::mlir::StringAttr">:$reference_quantized_module,
    OptionalParameter<"::mlir::StringAttr">:$fused_module,
    OptionalParameter<"::mlir::StringAttr">:$fuser_method,
    OptionalParameter<"::mlir::DictionaryAttr">:$input_type_to_index,
    OptionalParameter<"::mlir::ArrayAttr">:$torch);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // QBACKEND_DIALECT_QBACKEND_QBACKENDATTRS
