// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of configurations: parsing, printing, verification.

#include "KindAnswers.h"

#include "qbackend/Dialect/QBackend/QBackend.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Regex.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;

#include "qbackend/Dialect/QBackend/QBackendEnums.cpp.inc"

/// What follows the type of an observer: its scheme, which stands alone, and
/// `key = value` pairs, in any order. An assembly format can't tell whether a
/// scheme or a key follows a comma.
static ParseResult parseObserverFields(
    AsmParser &parser, QScheme &scheme, std::optional<int64_t> &quantMin,
    std::optional<int64_t> &quantMax, bool &reduceRange, FloatAttr &eps,
    FloatAttr &averagingConstant, std::optional<int64_t> &bins,
    FloatAttr &scale, std::optional<int64_t> &zeroPoint, bool &isDynamic,
    std::optional<int64_t> &channelAxis, FloatAttr &percentile,
    FakeQuantizeKind &fakeQuantize) {
  auto parseInteger = [&](std::optional<int64_t> &value) -> ParseResult {
    return parser.parseInteger(value.emplace());
  };
  auto parseNumber = [&](FloatAttr &value) -> ParseResult {
    FailureOr<FloatAttr> parsed = qbackend::detail::parseReal(parser);
    value = parsed.value_or(FloatAttr());
    return failure(failed(parsed));
  };
  auto parseFlag = [&](bool &value) -> ParseResult {
    FailureOr<bool> parsed = FieldParser<bool>::parse(parser);
    value = parsed.value_or(false);
    return failure(failed(parsed));
  };
  auto parseFakeQuantize = [&]() -> ParseResult {
    FailureOr<FakeQuantizeKind> parsed =
        FieldParser<FakeQuantizeKind>::parse(parser);
    fakeQuantize = parsed.value_or(FakeQuantizeKind::None);
    return failure(failed(parsed));
  };
  llvm::SmallDenseSet<StringRef> seen;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef key;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key))
      return failure();
    std::optional<QScheme> parsedScheme = symbolizeQScheme(key);
    if (!seen.insert(parsedScheme ? "scheme" : key).second)
      return parser.emitError(loc) << "a second '" << key << "'";
    if (parsedScheme) {
      scheme = *parsedScheme;
      continue;
    }
    auto parseValue =
        llvm::StringSwitch<std::function<ParseResult()>>(key)
            .Case("quant_min", [&] { return parseInteger(quantMin); })
            .Case("quant_max", [&] { return parseInteger(quantMax); })
            .Case("reduce_range", [&] { return parseFlag(reduceRange); })
            .Case("eps", [&] { return parseNumber(eps); })
            .Case("averaging_constant",
                  [&] { return parseNumber(averagingConstant); })
            .Case("bins", [&] { return parseInteger(bins); })
            .Case("scale", [&] { return parseNumber(scale); })
            .Case("zero_point", [&] { return parseInteger(zeroPoint); })
            .Case("is_dynamic", [&] { return parseFlag(isDynamic); })
            .Case("ch_axis", [&] { return parseInteger(channelAxis); })
            .Case("percentile", [&] { return parseNumber(percentile); })
            .Case("fake_quantize", parseFakeQuantize)
            .Default(nullptr);
    if (!parseValue)
      return parser.emitError(loc)
             << "unknown field or scheme '" << key
             << "'; fields are quant_min, quant_max, reduce_range, eps, "
                "averaging_constant, bins, scale, zero_point, is_dynamic, "
                "ch_axis, percentile, fake_quantize; "
                "schemes are per_tensor_affine, per_tensor_symmetric, "
                "per_channel_affine, per_channel_symmetric, "
                "per_channel_affine_float_qparams";
    if (parser.parseEqual() || parseValue())
      return failure();
  }
  return success();
}

static void printObserverFields(
    AsmPrinter &printer, QScheme scheme, std::optional<int64_t> quantMin,
    std::optional<int64_t> quantMax, bool reduceRange, FloatAttr eps,
    FloatAttr averagingConstant, std::optional<int64_t> bins, FloatAttr scale,
    std::optional<int64_t> zeroPoint, bool isDynamic,
    std::optional<int64_t> channelAxis, FloatAttr percentile,
    FakeQuantizeKind fakeQuantize) {
  auto printInteger = [&](StringRef key, std::optional<int64_t> value) {
    if (value)
      printer << ", " << key << " = " << *value;
  };
  auto printNumber = [&](StringRef key, FloatAttr value) {
    if (!value)
      return;
    printer << ", " << key << " = ";
    qbackend::detail::printReal(printer, value);
  };
  if (scheme != QScheme::PerTensorAffine)
    printer << ", " << stringifyQScheme(scheme);
  printInteger("quant_min", quantMin);
  printInteger("quant_max", quantMax);
  if (reduceRange)
    printer << ", reduce_range = true";
  printNumber("eps", eps);
  printNumber("averaging_constant", averagingConstant);
  printInteger("bins", bins);
  printNumber("scale", scale);
  printInteger("zero_point", zeroPoint);
  if (isDynamic)
    printer << ", is_dynamic = true";
  printInteger("ch_axis", channelAxis);
  printNumber("percentile", percentile);
  if (fakeQuantize != FakeQuantizeKind::None)
    printer << ", fake_quantize = " << stringifyFakeQuantizeKind(fakeQuantize);
}

#define GET_ATTRDEF_CLASSES
#include "qbackend/Dialect/QBackend/QBackendAttrs.cpp.inc"

void QBackendDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "qbackend/Dialect/QBackend/QBackendAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static bool isKnownDType(Type type) {
  if (type.isF16() || type.isF32())
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && ((integer.isUnsigned() &&
                      (integer.getWidth() == 8 || integer.getWidth() == 4)) ||
                     (integer.isSigned() &&
                      (integer.getWidth() == 8 || integer.getWidth() == 32)));
}

static LogicalResult verifyDType(function_ref<InFlightDiagnostic()> emitError,
                                 Type type) {
  if (isKnownDType(type))
    return success();
  return emitError() << "dtype " << type
                     << " is not supported; expected ui8, si8, ui4, si32, f16 "
                        "or f32";
}

/// `value`, the field `name`, is a positive and finite number, if it is there.
static LogicalResult verifyScale(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name, FloatAttr value) {
  if (!value ||
      (value.getValueAsDouble() > 0 && std::isfinite(value.getValueAsDouble())))
    return success();
  return emitError() << name << " is " << value.getValueAsDouble()
                     << ", expected a positive and finite number";
}

LogicalResult DTypeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                Type dtype, std::optional<int64_t> quantMin,
                                std::optional<int64_t> quantMax,
                                FloatAttr scaleMin, FloatAttr scaleMax,
                                FloatAttr scaleExactMatch,
                                std::optional<int64_t> zeroPointExactMatch,
                                ArrayAttr qschemes) {
  if (failed(verifyDType(emitError, dtype)))
    return failure();
  if (quantMin && quantMax && *quantMin > *quantMax)
    return emitError() << "quant_min " << *quantMin
                       << " is larger than quant_max " << *quantMax;
  if (failed(verifyScale(emitError, "scale_min", scaleMin)) ||
      failed(verifyScale(emitError, "scale_max", scaleMax)) ||
      failed(verifyScale(emitError, "scale_exact_match", scaleExactMatch)))
    return failure();
  if (scaleMin && scaleMax &&
      scaleMin.getValueAsDouble() > scaleMax.getValueAsDouble())
    return emitError() << "scale_min " << scaleMin.getValueAsDouble()
                       << " is larger than scale_max "
                       << scaleMax.getValueAsDouble();
  for (Attribute name : qschemes ? qschemes.getValue() : ArrayRef<Attribute>())
    if (auto string = dyn_cast<StringAttr>(name);
        !string || !symbolizeQScheme(string.getValue()))
      return emitError() << name
                         << " in 'qschemes' is not one of "
                            "\"per_tensor_affine\", \"per_tensor_symmetric\", "
                            "\"per_channel_affine\", "
                            "\"per_channel_symmetric\", "
                            "\"per_channel_affine_float_qparams\"";
  return success();
}

LogicalResult
DTypeConfigAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        DTypeAttr input, DTypeAttr output, DTypeAttr weight,
                        Type bias, bool isDynamic) {
  return bias ? verifyDType(emitError, bias) : success();
}

LogicalResult ObserverAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, ObserverKind kind, Type dtype,
    QScheme scheme, std::optional<int64_t> quantMin,
    std::optional<int64_t> quantMax, bool reduceRange, FloatAttr eps,
    FloatAttr averagingConstant, std::optional<int64_t> bins, FloatAttr scale,
    std::optional<int64_t> zeroPoint, bool isDynamic,
    std::optional<int64_t> channelAxis, FloatAttr percentile,
    FakeQuantizeKind fakeQuantize) {
  if (failed(verifyDType(emitError, dtype)))
    return failure();
  if (quantMin.has_value() != quantMax.has_value())
    return emitError() << "quant_min and quant_max come together";
  if (quantMin && *quantMin >= *quantMax)
    return emitError() << "quant_min " << *quantMin
                       << " is not less than quant_max " << *quantMax;
  if (eps && !(eps.getValueAsDouble() > 0))
    return emitError() << "eps is " << eps.getValueAsDouble()
                       << ", expected a positive number";
  if (bins && *bins < 1)
    return emitError() << "bins is " << *bins << ", expected 1 or more";
  bool fixed = kind == ObserverKind::FixedQParams;
  if (fixed != bool(scale) || fixed != zeroPoint.has_value())
    return emitError() << (fixed ? "fixed_qparams needs scale and zero_point"
                                 : "scale and zero_point belong to "
                                   "fixed_qparams");
  if (fixed && !(scale.getValueAsDouble() > 0))
    return emitError() << "scale is " << scale.getValueAsDouble()
                       << ", expected a positive number";
  bool perChannel = kind == ObserverKind::PerChannelMinMax ||
                    kind == ObserverKind::MovingAveragePerChannelMinMax;
  if (channelAxis && !perChannel)
    return emitError() << "ch_axis belongs to per_channel_min_max and "
                          "moving_average_per_channel_min_max";
  if (channelAxis && *channelAxis < 0)
    return emitError() << "ch_axis is " << *channelAxis
                       << ", expected 0 or more";
  if (percentile && kind != ObserverKind::Percentile)
    return emitError() << "percentile = belongs to the percentile observer";
  if (percentile && !(percentile.getValueAsDouble() > 50 &&
                      percentile.getValueAsDouble() <= 100))
    return emitError() << "percentile is " << percentile.getValueAsDouble()
                       << ", expected more than 50 and at most 100";
  return success();
}

/// `value` of the entry of `count` is the name of an observation type.
static LogicalResult
verifyObservation(function_ref<InFlightDiagnostic()> emitError,
                  Attribute value) {
  auto name = dyn_cast<StringAttr>(value);
  if (name && symbolizeObservationType(name.getValue()))
    return success();
  return emitError() << value
                     << " in 'num_tensor_args_to_observation_type' is not one "
                        "of \"output_use_different_observer_as_input\", "
                        "\"output_share_observer_with_input\", "
                        "\"input_output_not_observed\"";
}

/// A dictionary from numbers, or, in version 1, a list by number.
static LogicalResult
verifyObservationByCount(function_ref<InFlightDiagnostic()> emitError,
                         Attribute byCount) {
  if (auto list = dyn_cast<ArrayAttr>(byCount)) {
    for (Attribute value : list)
      if (failed(verifyObservation(emitError, value)))
        return failure();
    return success();
  }
  auto dictionary = dyn_cast<DictionaryAttr>(byCount);
  if (!dictionary)
    return emitError() << "'num_tensor_args_to_observation_type' is " << byCount
                       << ", expected {\"NUMBER\" = \"OBSERVATION\", ...}";
  for (NamedAttribute entry : dictionary) {
    unsigned count;
    if (entry.getName().getValue().getAsInteger(10, count))
      return emitError() << "'num_tensor_args_to_observation_type' has the key "
                         << entry.getName() << ", expected a number of tensors";
    if (failed(verifyObservation(emitError, entry.getValue())))
      return failure();
  }
  return success();
}

/// `list`, the field `name`, holds names.
static LogicalResult verifyNames(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name, ArrayAttr list) {
  for (Attribute element : list)
    if (auto string = dyn_cast<StringAttr>(element);
        !string || string.getValue().empty())
      return emitError() << "'" << name << "' holds " << element
                         << ", expected names in quotes";
  return success();
}

LogicalResult PatternAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, ObservationType observation,
    ArrayAttr dtypes, Attribute observationByCount, DenseI64ArrayAttr root,
    ArrayAttr extraInputs, StringAttr rootModule, StringAttr qatModule,
    StringAttr referenceModule, StringAttr fusedModule, StringAttr fuserMethod,
    ArrayAttr fusedOperator, FlatSymbolRefAttr reference,
    DictionaryAttr inputTypeToIndex, Attribute torch) {
  for (Attribute dtype : dtypes)
    if (!isa<DTypeConfigAttr>(dtype))
      return emitError() << dtype << " in 'dtypes' is not a "
                         << "#qbackend.dtype_config";
  if (observationByCount &&
      failed(verifyObservationByCount(emitError, observationByCount)))
    return failure();
  for (Attribute path :
       extraInputs ? extraInputs.getValue() : ArrayRef<Attribute>()) {
    auto indices = dyn_cast<ArrayAttr>(path);
    if (!indices || !llvm::all_of(indices, llvm::IsaPred<IntegerAttr>))
      return emitError()
             << "'extra_inputs' holds " << path
             << ", expected lists of operand indices such as [0, 1]";
  }
  if (fusedOperator &&
      failed(verifyNames(emitError, "fused_operator", fusedOperator)))
    return failure();
  for (NamedAttribute entry : inputTypeToIndex ? inputTypeToIndex.getValue()
                                               : ArrayRef<NamedAttribute>()) {
    auto index = dyn_cast<IntegerAttr>(entry.getValue());
    if (!index || index.getValue().isNegative())
      return emitError() << "'input_type_to_index' maps "
                         << entry.getName().getValue() << " to "
                         << entry.getValue() << ", expected an index";
  }
  if (auto list = dyn_cast_or_null<ArrayAttr>(torch))
    return verifyNames(emitError, "torch", list);
  if (torch && !isa<PatternNodeAttr>(torch))
    return emitError() << "'torch' is " << torch
                       << ", expected names in brackets or a #qbackend.node";
  return success();
}

std::optional<ObservationType>
PatternAttr::getObservationFor(unsigned count) const {
  Attribute byCount = getNumTensorArgsToObservationType();
  if (!byCount)
    return getObservation();
  Attribute name;
  if (auto list = dyn_cast<ArrayAttr>(byCount))
    name = count < list.size() ? list[count] : Attribute();
  else
    name = cast<DictionaryAttr>(byCount).get(std::to_string(count));
  if (!name)
    return std::nullopt;
  return symbolizeObservationType(cast<StringAttr>(name).getValue());
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

static LogicalResult verifyCode(function_ref<InFlightDiagnostic()> emitError,
                                StringAttr code) {
  StringRef digits = code ? code.getValue() : "QB000";
  if (digits.consume_front("QB") && digits.size() == 3 &&
      llvm::all_of(digits, llvm::isDigit))
    return success();
  return emitError() << "code " << code
                     << " is no code of a remark, expected one such as "
                        "\"QB104\"";
}

LogicalResult
QuantizedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      PatternNodeAttr, DTypeConfigAttr, ObservationType,
                      FlatSymbolRefAttr, StringAttr code) {
  return verifyCode(emitError, code);
}

LogicalResult
RealValuedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       StringAttr code) {
  return verifyCode(emitError, code);
}
