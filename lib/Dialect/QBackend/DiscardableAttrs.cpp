// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies the discardable attributes of the dialect by one list.

#include "qbackend/Dialect/QBackend/Edges.h"
#include "qbackend/Dialect/QBackend/Moves.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace qbackend;

/// input0, weight, bias or output, or with .scale or .zero_point; an output has
/// nothing but these. Or attribute.stride, whatever the operator has.
static bool isRole(Attribute value) {
  auto text = dyn_cast<StringAttr>(value);
  if (!text)
    return false;
  StringRef role = text.getValue();
  auto [tensor, parameter] = role.split('.');
  if (tensor == "attribute")
    return !parameter.empty();
  bool isParameter = parameter == "scale" || parameter == "zero_point";
  if (role.contains('.') ? !isParameter : tensor == "output")
    return false;
  unsigned index;
  if (tensor.consume_front("input"))
    return !tensor.getAsInteger(10, index);
  return tensor == "weight" || tensor == "bias" || tensor == "output";
}

static bool isEdges(Attribute value) { return isa<EdgesAttr>(value); }
static bool isRequantization(Attribute value) {
  return isa<RequantizationRuleAttr>(value);
}
static bool isUnit(Attribute value) { return isa<UnitAttr>(value); }
static bool isInteger(Attribute value) { return isa<IntegerAttr>(value); }

static bool isRange(Attribute value) {
  auto range = dyn_cast<DenseF64ArrayAttr>(value);
  return range && range.size() == 2 && range[0] <= range[1];
}

static bool isName(Attribute value) {
  auto name = dyn_cast<StringAttr>(value);
  return name && !name.empty();
}

/// The number of a dimension; whether there is one, is verified where it
/// stands.
static bool isAxis(Attribute value) {
  auto axis = dyn_cast<IntegerAttr>(value);
  return axis && axis.getType().isSignlessInteger(64) && axis.getInt() >= 0;
}

/// An observer is updated so often in each batch.
static constexpr int64_t maxCount = 1 << 20;

static bool isCount(int64_t count) { return count >= 0 && count <= maxCount; }

/// N, or a place for each: array<i64: PLACE, ...>
static bool isSourceValues(Attribute value) {
  if (auto places = dyn_cast<DenseI64ArrayAttr>(value))
    return isCount(places.size()) && llvm::all_of(places.asArrayRef(), isCount);
  auto count = dyn_cast<IntegerAttr>(value);
  return count && count.getType().isSignlessInteger(64) &&
         isCount(count.getInt());
}

static bool isNames(Attribute value) {
  auto names = dyn_cast<ArrayAttr>(value);
  return names && llvm::all_of(names, llvm::IsaPred<StringAttr>);
}

/// {PATH = CLASS, ...}
static bool isNamesByPath(Attribute value) {
  auto names = dyn_cast<DictionaryAttr>(value);
  return names && llvm::all_of(names, [](NamedAttribute each) {
           return isName(each.getValue());
         });
}

/// [[NAME, SOURCE, KIND, BEFORE], ...]
static bool isMoves(Attribute value) {
  auto moves = dyn_cast<ArrayAttr>(value);
  return moves && llvm::all_of(moves, [](Attribute each) {
           auto move = dyn_cast<ArrayAttr>(each);
           return isNames(each) && move.size() == 4;
         });
}

namespace {
/// A discardable attribute of the dialect.
struct KnownAttribute {
  StringLiteral name;
  /// Where it may stand, and what its value is, in words.
  StringLiteral places, values;
  bool (*hasValue)(Attribute);
  bool isOfArguments = false, isOfResults = false;
  /// The ops that may have it.
  std::array<StringLiteral, 2> ops = {"", ""};
};
} // namespace

static constexpr bool ofArguments = true, ofResults = true;

static const KnownAttribute knownAttributes[] = {
    {kRangeAttrName, "arguments", "array<f64: MIN, MAX> with MIN <= MAX",
     isRange, ofArguments},
    {kNameAttrName, "arguments", "a string that is not empty", isName,
     ofArguments},
    {kQuantizedAttrName, "arguments and results", "no value", isUnit,
     ofArguments, ofResults},
    {kUnsignedAttrName, "arguments and results", "no value", isUnit,
     ofArguments, ofResults},
    {kRoleAttrName, "arguments",
     "\"inputN\", \"weight\" or \"bias\", or one of them or \"output\" with "
     "\".scale\" or \".zero_point\", or \"attribute.NAME\"",
     isRole, ofArguments},
    {kSourceValuesAttrName,
     "qbackend.operator and qbackend.observe",
     "a count up to 2^20, an i64, or an array of such places",
     isSourceValues,
     !ofArguments,
     !ofResults,
     {"qbackend.operator", "qbackend.observe"}},
    {kMovesAttrName,
     "functions",
     "an array of arrays of four strings",
     isMoves,
     !ofArguments,
     !ofResults,
     {"func.func", ""}},
    {kRoundsAttrName,
     "modules",
     "no value",
     isUnit,
     !ofArguments,
     !ofResults,
     {"builtin.module", ""}},
    {kTorchNamesAttrName,
     "modules",
     "a dictionary of names",
     isNamesByPath,
     !ofArguments,
     !ofResults,
     {"builtin.module", ""}},
    {kModuleTypesAttrName,
     "modules",
     "a dictionary of names",
     isNamesByPath,
     !ofArguments,
     !ofResults,
     {"builtin.module", ""}},
    {kChannelAxisAttrName,
     "qbackend.observe",
     "the number of a dimension, an i64",
     isAxis,
     !ofArguments,
     !ofResults,
     {"qbackend.observe", ""}},
    {kCorrectionsAttrName,
     "qbackend.qconfig_mapping",
     "an array of names",
     isNames,
     !ofArguments,
     !ofResults,
     {"qbackend.qconfig_mapping", ""}},
    {kIgnoreUnknownNamesAttrName,
     "qbackend.qconfig_mapping",
     "no value",
     isUnit,
     !ofArguments,
     !ofResults,
     {"qbackend.qconfig_mapping", ""}},
    {kEdgesAttrName,
     "qbackend.pattern_config",
     "a #qbackend.edges",
     isEdges,
     !ofArguments,
     !ofResults,
     {"qbackend.pattern_config", ""}},
    {kRequantizationAttrName,
     "qbackend.pattern_config and qbackend.operator",
     "a #qbackend.requantization",
     isRequantization,
     !ofArguments,
     !ofResults,
     {"qbackend.pattern_config", "qbackend.operator"}},
    {kUnitsAttrName,
     "calls",
     "an integer",
     isInteger,
     !ofArguments,
     !ofResults,
     {"func.call", "llvm.call"}},
    {kParallelAttrName,
     "loops",
     "no value",
     isUnit,
     !ofArguments,
     !ofResults,
     {"scf.for", ""}},
};

/// Verifies `attr` on `op`, or on its argument or result that `where` names
/// ("argument 0 "), by the list.
static LogicalResult
verifyAttribute(Operation *op, const Twine &where, NamedAttribute attr,
                function_ref<bool(const KnownAttribute &)> mayStand) {
  StringRef name = attr.getName().strref();
  const auto *known =
      llvm::find_if(knownAttributes, [&](const KnownAttribute &each) {
        return each.name == name;
      });
  if (known == std::end(knownAttributes)) {
    InFlightDiagnostic diag = op->emitOpError()
                              << where << "has '" << name
                              << "', which is no attribute of the dialect; "
                                 "expected one of ";
    llvm::interleaveComma(
        knownAttributes, diag,
        [&](const KnownAttribute &each) { diag << each.name; });
    return diag << ", or another prefix";
  }
  if (!mayStand(*known))
    return op->emitOpError() << where << "has '" << name << "', which is for "
                             << known->places << "; leave it out";
  if (known->hasValue(attr.getValue()))
    return success();
  return op->emitOpError() << where << "has '" << name
                           << "' = " << attr.getValue() << "; expected "
                           << known->values;
}

/// Fails unless argument or result `index` of `op` can be what `mark` says that
/// it is for the caller: integers, or unsigned ones.
static LogicalResult verifyMark(Operation *op, const Twine &where,
                                StringRef mark, ArrayRef<Type> types,
                                unsigned index) {
  bool isQuantized = mark == kQuantizedAttrName;
  auto shaped = dyn_cast<ShapedType>(types[index]);
  if (shaped && (isQuantized ? shaped.getElementType().isF32()
                             : shaped.getElementType().isSignlessInteger()))
    return success();
  return op->emitOpError() << where << "has '" << mark << "' and is "
                           << types[index] << "; expected a tensor of "
                           << (isQuantized ? "f32" : "signless integers");
}

static bool isMark(StringRef name) {
  return name == kQuantizedAttrName || name == kUnsignedAttrName;
}

/// The specs of `pattern` fit the rest of it: there is no short form beside
/// them, and what they say of the bias is what the engine does with all of
/// them.
static LogicalResult verifyEdges(PatternConfigOp pattern, EdgesAttr edges) {
  PatternAttr config = pattern.getConfig();
  bool byCount = bool(config.getNumTensorArgsToObservationType());
  if (byCount || config.getObservation() !=
                     ObservationType::OutputUseDifferentObserverAsInput)
    return pattern.emitOpError()
           << "has both '" << kEdgesAttrName << "' and '"
           << (byCount ? "num_tensor_args_to_observation_type" : "observation")
           << "', which is a short form of it; expected one";
  if (edges.has(EdgeCondition::Spelled) && !config.getTorch())
    return pattern.emitOpError() << "has the condition 'spelled' and no 'torch'";
  auto backend = dyn_cast_or_null<BackendConfigOp>(pattern->getParentOp());
  if (!backend || !edges.getWeight())
    return success();
  bool isDerived =
      edges.getBias() && edges.getBias().getKind() == SpecKind::Derived;
  if (isDerived != backend.getRealBias())
    return success();
  if (isDerived)
    return pattern.emitOpError()
           << "derives its bias, but the backend has real_bias; expected a "
              "bias of none, or a backend without it";
  return pattern.emitOpError()
         << "has a float bias, but the backend has no real_bias; expected a "
            "bias derived scale_product(input0, weight) as <si32>, or a "
            "backend with real_bias";
}

LogicalResult QBackendDialect::verifyOperationAttribute(Operation *op,
                                                        NamedAttribute attr) {
  if (failed(verifyAttribute(op, "", attr, [&](const KnownAttribute &known) {
        StringRef name = op->getName().getStringRef();
        return name == known.ops[0] || name == known.ops[1];
      })))
    return failure();
  if (auto pattern = dyn_cast<PatternConfigOp>(op);
      pattern && attr.getName() == kEdgesAttrName)
    return verifyEdges(pattern, cast<EdgesAttr>(attr.getValue()));
  if (attr.getName() != kChannelAxisAttrName)
    return success();
  auto type = dyn_cast<ShapedType>(op->getOperand(0).getType());
  int64_t axis = cast<IntegerAttr>(attr.getValue()).getInt();
  if (!type || !type.hasRank() || axis < type.getRank())
    return success();
  return op->emitOpError() << "has '" << kChannelAxisAttrName << "' = " << axis
                           << " on " << type
                           << "; expected one of its dimensions";
}

LogicalResult QBackendDialect::verifyRegionArgAttribute(Operation *op,
                                                        unsigned region,
                                                        unsigned argument,
                                                        NamedAttribute attr) {
  std::string where = ("argument " + Twine(argument) + " ").str();
  if (failed(verifyAttribute(op, where, attr, [](const KnownAttribute &known) {
        return known.isOfArguments;
      })))
    return failure();
  // Code that is lowered may have it on buffers, and what becomes of them.
  auto function = dyn_cast<func::FuncOp>(op);
  return function && isMark(attr.getName())
             ? verifyMark(op, where, attr.getName(),
                          function.getArgumentTypes(), argument)
             : success();
}

LogicalResult QBackendDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned result, NamedAttribute attr) {
  std::string where = ("result " + Twine(result) + " ").str();
  if (failed(verifyAttribute(op, where, attr, [](const KnownAttribute &known) {
        return known.isOfResults;
      })))
    return failure();
  auto function = dyn_cast<func::FuncOp>(op);
  return function && isMark(attr.getName())
             ? verifyMark(op, where, attr.getName(), function.getResultTypes(),
                          result)
             : success();
}
