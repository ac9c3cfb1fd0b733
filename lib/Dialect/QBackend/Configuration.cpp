// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes and ops of configurations: parsing, printing, verification.

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
    FloatAttr &scale, std::optional<int64_t> &zeroPoint, bool &isDynamic) {
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
            .Default(nullptr);
    if (!parseValue)
      return parser.emitError(loc)
             << "unknown field or scheme '" << key
             << "'; fields are quant_min, quant_max, reduce_range, eps, "
                "averaging_constant, bins, scale, zero_point, is_dynamic; "
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
    std::optional<int64_t> zeroPoint, bool isDynamic) {
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

LogicalResult DTypeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                Type dtype, std::optional<int64_t> quantMin,
                                std::optional<int64_t> quantMax,
                                FloatAttr scaleMin, FloatAttr scaleMax,
                                FloatAttr scaleExactMatch,
                                std::optional<int64_t> zeroPointExactMatch) {
  if (failed(verifyDType(emitError, dtype)))
    return failure();
  if (quantMin && quantMax && *quantMin > *quantMax)
    return emitError() << "quant_min " << *quantMin
                       << " is larger than quant_max " << *quantMax;
  return success();
}

LogicalResult ObserverAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, ObserverKind kind, Type dtype,
    QScheme scheme, std::optional<int64_t> quantMin,
    std::optional<int64_t> quantMax, bool reduceRange, FloatAttr eps,
    FloatAttr averagingConstant, std::optional<int64_t> bins, FloatAttr scale,
    std::optional<int64_t> zeroPoint, bool isDynamic) {
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
  return success();
}

LogicalResult PatternAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, ObservationType observation,
    ArrayAttr dtypes, ArrayAttr observationByCount, StringAttr rootModule,
    StringAttr qatModule, StringAttr referenceModule, StringAttr fusedModule,
    StringAttr fuserMethod, DictionaryAttr inputTypeToIndex, ArrayAttr torch) {
  for (Attribute dtype : dtypes)
    if (!isa<DTypeConfigAttr>(dtype))
      return emitError() << dtype << " in 'dtypes' is not a "
                         << "#qbackend.dtype_config";
  if (observationByCount)
    for (Attribute name : observationByCount)
      if (auto string = dyn_cast<StringAttr>(name);
          !string || !symbolizeObservationType(string.getValue()))
        return emitError()
               << name
               << " in 'num_tensor_args_to_observation_type' is not one "
                  "of \"output_use_different_observer_as_input\", "
                  "\"output_share_observer_with_input\", "
                  "\"input_output_not_observed\"";
  if (inputTypeToIndex)
    for (NamedAttribute entry : inputTypeToIndex)
      if (!isa<IntegerAttr>(entry.getValue()))
        return emitError() << "'input_type_to_index' maps "
                           << entry.getName().getValue() << " to "
                           << entry.getValue() << ", expected an index";
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// [conv2d, relu]: bare kinds, quoted ops.
static ParseResult parsePattern(OpAsmParser &parser, ArrayAttr &pattern) {
  SmallVector<Attribute> elements;
  auto parseElement = [&]() -> ParseResult {
    std::string text;
    StringRef keyword;
    if (succeeded(parser.parseOptionalKeyword(&keyword)))
      text = keyword.str();
    else if (parser.parseString(&text))
      return failure();
    elements.push_back(parser.getBuilder().getStringAttr(text));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     parseElement))
    return failure();
  pattern = parser.getBuilder().getArrayAttr(elements);
  return success();
}

static void printPattern(OpAsmPrinter &printer, Operation *,
                         ArrayAttr pattern) {
  printer << "[";
  llvm::interleaveComma(pattern.getAsValueRange<StringAttr>(), printer,
                        [&](StringRef name) {
                          if (name.contains('.'))
                            printer << '"' << name << '"';
                          else
                            printer.printKeywordOrString(name);
                        });
  printer << "]";
}

/// `none`, or a qconfig.
static ParseResult parseQConfig(OpAsmParser &parser, QConfigAttr &config) {
  if (succeeded(parser.parseOptionalKeyword("none")))
    return success();
  return parser.parseCustomAttributeWithFallback(config);
}

static void printQConfig(OpAsmPrinter &printer, Operation *,
                         QConfigAttr config) {
  if (config)
    printer.printStrippedAttrOrType(config);
  else
    printer << "none";
}

#define GET_OP_CLASSES
#include "qbackend/Dialect/QBackend/QBackendOps.cpp.inc"

LogicalResult BackendConfigOp::verifyRegions() {
  if (getVersion() != 1)
    return emitOpError() << "has version " << getVersion()
                         << "; this program reads version 1";
  for (Operation &op : getBody().front())
    if (!isa<PatternConfigOp, QConfigMappingOp>(op))
      return op.emitOpError()
             << "does not belong in a backend_config; expected "
                "qbackend.pattern_config or qbackend.qconfig_mapping";
  if (!isa_and_nonnull<QConfigMappingOp>(
          mlir::SymbolTable::lookupSymbolIn(*this, getDefaultQconfigAttr())))
    return emitOpError() << "has no qconfig_mapping " << getDefaultQconfigAttr()
                         << ", which default_qconfig names";
  return success();
}

LogicalResult PatternConfigOp::verify() {
  if (getPattern().empty() || getPattern().size() > 3)
    return emitOpError() << "has a pattern of " << getPattern().size()
                         << " operators, expected 1 to 3";
  for (StringRef name : getPattern().getAsValueRange<StringAttr>())
    if (name.empty())
      return emitOpError() << "has a pattern with an empty name";
  return success();
}

LogicalResult QConfigMappingOp::verifyRegions() {
  for (Operation &op : getBody().front())
    if (!isa<QConfigOp>(op))
      return op.emitOpError() << "does not belong in a qconfig_mapping; "
                                 "expected qbackend.qconfig";
  return success();
}

LogicalResult QConfigOp::verify() {
  bool global = getLevel() == QConfigLevel::Global;
  if (global == getSelector().has_value())
    return emitOpError() << "of level " << stringifyQConfigLevel(getLevel())
                         << (global ? " takes no selector"
                                    : " needs a selector");
  if (getLevel() == QConfigLevel::ModuleNameRegex) {
    std::string reason;
    if (!llvm::Regex(*getSelector()).isValid(reason))
      return emitOpError() << "selector \"" << *getSelector()
                           << "\" is not a regular expression: " << reason;
  }
  return success();
}
