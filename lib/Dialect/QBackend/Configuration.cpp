// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of configurations: parsing, printing, verification.

#include "Keywords.h"
#include "KindAnswers.h"

#include "qbackend/Dialect/QBackend/Edges.h"
#include "qbackend/Numerics/QuantParams.h"

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

#define GET_ATTRDEF_CLASSES
#include "qbackend/Dialect/QBackend/QBackendAttrs.cpp.inc"

void QBackendDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "qbackend/Dialect/QBackend/QBackendAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// DTypes
//===----------------------------------------------------------------------===//

/// Those that PyTorch has names for.
static bool isKnownDType(Type type) {
  if (type.isF16() || type.isBF16() || type.isF32() ||
      isa<Float8E4M3FNType, Float8E5M2Type>(type))
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && !integer.isSignless() &&
         llvm::is_contained({4u, 8u, 16u, 32u}, integer.getWidth()) &&
         (integer.isSigned() || integer.getWidth() < 32);
}

static LogicalResult verifyDType(function_ref<InFlightDiagnostic()> emitError,
                                 Type type) {
  if (isKnownDType(type))
    return success();
  return emitError() << "dtype " << type
                     << " is not supported; expected ui4, si4, ui8, si8, ui16, "
                        "si16, si32, f8E4M3FN, f8E5M2, f16, bf16 or f32";
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

//===----------------------------------------------------------------------===//
// Observers
//===----------------------------------------------------------------------===//

static std::optional<int64_t> getKey(FloatAttr value) {
  return reinterpret_cast<intptr_t>(value.getAsOpaquePointer());
}

static std::optional<int64_t> getKey(std::optional<int64_t> value) {
  return value;
}

/// What is equal where all members are: attributes and types are unique.
static auto getKey(ObserverFields fields) {
  SmallVector<std::optional<int64_t>> key = {
      int64_t(fields.kind), int64_t(fields.scheme),
      int64_t(fields.fakeQuantize),
      reinterpret_cast<intptr_t>(fields.dtype.getAsOpaquePointer())};
  fields.visit(
      [&](ObserverField, auto &member) { key.push_back(getKey(member)); });
  return key;
}

bool ObserverFields::operator==(const ObserverFields &other) const {
  return getKey(*this) == getKey(other);
}

llvm::hash_code qbackend::hash_value(const ObserverFields &fields) {
  auto key = getKey(fields);
  return llvm::hash_combine_range(key.begin(), key.end());
}

static ParseResult parseMember(AsmParser &parser,
                               std::optional<int64_t> &value) {
  return parser.parseInteger(value.emplace());
}

static ParseResult parseMember(AsmParser &parser, FloatAttr &value) {
  FailureOr<FloatAttr> parsed = qbackend::detail::parseFloat(parser);
  value = parsed.value_or(FloatAttr());
  return failure(failed(parsed));
}

template <typename T>
static ParseResult parseMember(AsmParser &parser, T &value) {
  FailureOr<T> parsed = FieldParser<T>::parse(parser);
  value = parsed.value_or(T());
  return failure(failed(parsed));
}

static void printMember(AsmPrinter &printer, std::optional<int64_t> value) {
  printer << *value;
}

static void printMember(AsmPrinter &printer, FloatAttr value) {
  qbackend::detail::printFloat(printer, value);
}

static void printMember(AsmPrinter &printer, bool) { printer << "true"; }

/// A scheme, which stands alone, or `key = value`.
static ParseResult parseObserverField(AsmParser &parser, ObserverFields &fields,
                                      llvm::SmallDenseSet<StringRef> &seen) {
  StringRef key;
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<StringRef> known(qschemeNames, std::end(qschemeNames));
  known.push_back("fake_quantize");
  fields.visit([&](ObserverField field, auto &) {
    known.push_back(stringifyObserverField(field));
  });
  if (qbackend::detail::parseKeywordLike(parser, &key, known))
    return failure();
  std::optional<QScheme> scheme = symbolizeQScheme(key);
  if (!seen.insert(scheme ? "scheme" : key).second)
    return parser.emitError(loc) << "a second '" << key << "'";
  if (scheme) {
    fields.scheme = *scheme;
    return success();
  }
  if (key == "fake_quantize")
    return failure(parser.parseEqual() ||
                   parseMember(parser, fields.fakeQuantize));
  bool isKnown = false;
  ParseResult result = success();
  fields.visit([&](ObserverField field, auto &member) {
    if (stringifyObserverField(field) != key)
      return;
    isKnown = true;
    result = failure(parser.parseEqual() || parseMember(parser, member));
  });
  if (isKnown)
    return result;
  InFlightDiagnostic diag = parser.emitError(loc) << "unknown field or scheme '"
                                                  << key << "'; fields are ";
  fields.visit([&](ObserverField field, auto &) {
    diag << stringifyObserverField(field) << ", ";
  });
  diag << "fake_quantize; schemes are per_tensor_affine, "
          "per_tensor_symmetric, per_channel_affine, per_channel_symmetric, "
          "per_channel_affine_float_qparams";
  return diag;
}

Attribute ObserverAttr::parse(AsmParser &parser, Type) {
  ObserverFields fields;
  StringRef name;
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<StringRef> known;
  for (const ObserverKindInfo &info : observerKinds)
    known.push_back(info.name);
  if (qbackend::detail::parseKeywordLike(parser, &name, known))
    return {};
  std::optional<ObserverKind> kind = symbolizeObserverKind(name);
  if (!kind) {
    parser.emitError(loc) << "unknown observer '" << name << "', expected "
                          << listObserverKinds(
                                 [](const ObserverKindInfo &) { return true; });
    return {};
  }
  fields.kind = *kind;
  if (parser.parseComma() || parser.parseType(fields.dtype))
    return {};
  llvm::SmallDenseSet<StringRef> seen;
  while (succeeded(parser.parseOptionalComma()))
    if (parseObserverField(parser, fields, seen))
      return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ObserverAttr>(start, parser.getContext(), fields);
}

void ObserverAttr::print(AsmPrinter &printer) const {
  ObserverFields fields = getFields();
  printer << '<' << stringifyObserverKind(fields.kind) << ", " << fields.dtype;
  if (fields.scheme != QScheme::PerTensorAffine)
    printer << ", " << stringifyQScheme(fields.scheme);
  fields.visit([&](ObserverField field, const auto &member) {
    if (!member)
      return;
    printer << ", " << stringifyObserverField(field) << " = ";
    printMember(printer, member);
  });
  if (fields.fakeQuantize != FakeQuantizeKind::None)
    printer << ", fake_quantize = "
            << stringifyFakeQuantizeKind(fields.fakeQuantize);
  printer << '>';
}

/// The kind has each parameter that is given.
static LogicalResult verifyTaken(function_ref<InFlightDiagnostic()> emitError,
                                 ObserverFields fields) {
  const ObserverKindInfo &info = getInfo(fields.kind);
  std::optional<ObserverField> wrong;
  auto check = [&](ObserverField field, const auto &member) {
    if (!wrong && member && !info.takes(field))
      wrong = field;
  };
  check(ObserverField::QScheme, fields.scheme != QScheme::PerTensorAffine);
  fields.visit(check);
  if (!wrong)
    return success();
  return emitError() << info.name << " has no "
                     << stringifyObserverField(*wrong) << ", which belongs to "
                     << listObserverKinds([&](const ObserverKindInfo &other) {
                          return other.takes(*wrong);
                        });
}

/// A histogram's bins, of which PyTorch's has 2048.
static constexpr int64_t kMostBins = 1 << 20;

/// Whether what `number` is in f32 is a scale.
static bool isScale(double number) {
  float scale = static_cast<float>(number);
  return scale > 0 && std::isfinite(scale);
}

LogicalResult ObserverAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ObserverFields fields) {
  if (failed(verifyDType(emitError, fields.dtype)) ||
      failed(verifyTaken(emitError, fields)))
    return failure();
  if (fields.quantMin.has_value() != fields.quantMax.has_value())
    return emitError() << "quant_min and quant_max come together";
  if (fields.quantMin && *fields.quantMin >= *fields.quantMax)
    return emitError() << "quant_min " << *fields.quantMin
                       << " is not less than quant_max " << *fields.quantMax;
  for (int64_t bound :
       {fields.quantMin.value_or(0), fields.quantMax.value_or(0)})
    if (!llvm::isInt<32>(bound))
      return emitError() << "a quantized value of " << bound
                         << " doesn't fit in 32 bits";
  for (auto [name, number] :
       {std::pair("eps", fields.eps), std::pair("scale", fields.scale)})
    if (number && !isScale(number.getValueAsDouble()))
      return emitError() << name << " is " << number.getValueAsDouble()
                         << ", expected a positive number that f32 has";
  if (fields.averagingConstant &&
      !(fields.averagingConstant.getValueAsDouble() >= 0 &&
        fields.averagingConstant.getValueAsDouble() <= 1))
    return emitError() << "averaging_constant is "
                       << fields.averagingConstant.getValueAsDouble()
                       << ", expected a number from 0 to 1";
  if (fields.bins && (*fields.bins < 1 || *fields.bins > kMostBins))
    return emitError() << "bins is " << *fields.bins << ", expected 1 to "
                       << kMostBins;
  if (fields.kind == ObserverKind::FixedQParams &&
      (!fields.scale || !fields.zeroPoint))
    return emitError() << "fixed_qparams needs scale and zero_point";
  if (auto type = dyn_cast_or_null<IntegerType>(fields.dtype);
      type && fields.zeroPoint) {
    std::optional<numerics::QuantRange> custom;
    if (fields.quantMin)
      custom = numerics::QuantRange{*fields.quantMin, *fields.quantMax};
    numerics::QuantRange range = numerics::quantizedRange(
        type.isSigned(), type.getWidth(), custom, /*reduceRange=*/false);
    if (*fields.zeroPoint < range.min || *fields.zeroPoint > range.max)
      return emitError() << "zero_point is " << *fields.zeroPoint
                         << ", expected one of the quantized values, "
                         << range.min << " to " << range.max;
  }
  if (fields.channelAxis && *fields.channelAxis < 0)
    return emitError() << "ch_axis is " << *fields.channelAxis
                       << ", expected 0 or more";
  if (fields.percentile && !(fields.percentile.getValueAsDouble() > 50 &&
                             fields.percentile.getValueAsDouble() <= 100))
    return emitError() << "percentile is "
                       << fields.percentile.getValueAsDouble()
                       << ", expected more than 50 and at most 100";
  return success();
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

PatternFields PatternAttr::getFields() const {
  PatternFields fields;
  fields.observation = getObservation();
  fields.dtypes = getDtypes();
  fields.numTensorArgsToObservationType = getNumTensorArgsToObservationType();
  fields.root = getRoot();
  fields.extraInputs = getExtraInputs();
  fields.rootModule = getRootModule();
  fields.qatModule = getQatModule();
  fields.referenceQuantizedModule = getReferenceQuantizedModule();
  fields.fusedModule = getFusedModule();
  fields.fuserMethod = getFuserMethod();
  fields.fusedOperator = getFusedOperator();
  fields.reference = getReference();
  fields.inputTypeToIndex = getInputTypeToIndex();
  fields.torch = getTorch();
  return fields;
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
    StringRef name = entry.getName();
    if (!llvm::is_contained({"input", "weight", "bias"}, name))
      return emitError() << "'input_type_to_index' has '" << name
                         << "', expected input, weight or bias";
    auto index = dyn_cast<IntegerAttr>(entry.getValue());
    if (!index || !index.getValue().isIntN(16))
      return emitError() << "'input_type_to_index' maps " << name << " to "
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
                      FlatSymbolRefAttr, StringAttr code, bool) {
  return verifyCode(emitError, code);
}

LogicalResult
FloatValuedAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        StringAttr code) {
  return verifyCode(emitError, code);
}
