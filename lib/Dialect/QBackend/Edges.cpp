// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantization specs of edges, their text and what may refer to what;
// requantization, and limits.

#include "qbackend/Dialect/QBackend/Edges.h"

#include "PatternNode.h"
#include "qbackend/Dialect/QBackend/LimitCondition.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace qbackend;

/// [conv2d, max_pool2d]
static ParseResult parseKinds(OpAsmParser &parser, ArrayAttr &kinds) {
  SmallVector<Attribute> names;
  auto parseName = [&]() -> ParseResult {
    FailureOr<StringAttr> name = qbackend::detail::parseOperatorName(parser);
    names.push_back(name.value_or(StringAttr()));
    return failure(failed(name));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseName))
    return failure();
  kinds = parser.getBuilder().getArrayAttr(names);
  return success();
}

static void printKinds(OpAsmPrinter &printer, Operation *, ArrayAttr kinds) {
  printer << "[";
  llvm::interleaveComma(kinds.getAsValueRange<StringAttr>(), printer,
                        [&](StringRef name) {
                          qbackend::detail::printOperatorName(printer, name);
                        });
  printer << "]";
}

#include "qbackend/Dialect/QBackend/QBackendEdgesEnums.cpp.inc"

#define GET_OP_CLASSES
#include "qbackend/Dialect/QBackend/QBackendEdgesOps.cpp.inc"

static constexpr llvm::StringLiteral kProducer = "producer", kWeight = "weight",
                                     kFormula = "scale_product";

/// The number of an input called `name`, "input0"; none if it is not one.
static std::optional<unsigned> getInputNumber(StringRef name) {
  unsigned number;
  // One spelling for each: "input00" is none.
  if (!name.consume_front("input") || name.getAsInteger(10, number) ||
      name != std::to_string(number))
    return std::nullopt;
  return number;
}

//===----------------------------------------------------------------------===//
// One spec
//===----------------------------------------------------------------------===//

static StringRef getOnlyName(ArrayAttr names) {
  if (!names || names.size() != 1 || !isa<StringAttr>(names[0]))
    return {};
  return cast<StringAttr>(names[0]).getValue();
}

std::optional<unsigned> SpecAttr::getSharedInput() const {
  if (getKind() != SpecKind::Shared)
    return std::nullopt;
  return getInputNumber(getOnlyName(getOf()));
}

bool SpecAttr::isSharedWithProducer() const {
  return (getKind() == SpecKind::Shared ||
          getKind() == SpecKind::SharedOrOwn) &&
         getOnlyName(getOf()) == kProducer;
}

LogicalResult SpecAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               SpecKind kind, ObserverAttr observer,
                               ArrayAttr of, StringAttr formula,
                               DTypeAttr dtype) {
  StringRef name = stringifySpecKind(kind);
  if (observer && kind != SpecKind::Own)
    return emitError() << "'" << name
                       << "' has an observer; only 'own' has one";
  if (kind != SpecKind::Derived && (formula || dtype))
    return emitError() << "'" << name
                       << "' has a formula or dtype; only 'derived' has them";
  StringRef target = getOnlyName(of);
  switch (kind) {
  case SpecKind::Own:
  case SpecKind::None:
    if (of)
      return emitError() << "'" << name << "' names " << of
                         << "; only 'shared', 'shared_or_own' and 'derived' "
                            "refer to others";
    return success();
  case SpecKind::Shared:
    if (target != kProducer && !getInputNumber(target))
      return emitError() << "'shared' names " << of
                         << ", expected input0, input1, ... or producer";
    return success();
  case SpecKind::SharedOrOwn:
    if (target != kProducer)
      return emitError() << "'shared_or_own' names " << of
                         << ", expected producer";
    return success();
  case SpecKind::Derived:
    break;
  }
  if (!formula || formula.getValue() != kFormula)
    return emitError() << "'derived' has the formula " << formula
                       << ", expected \"" << kFormula << "\"";
  if (!of || of.size() != 2 || !isa<StringAttr>(of[0]) ||
      !getInputNumber(cast<StringAttr>(of[0]).getValue()) ||
      of[1] != StringAttr::get(of.getContext(), kWeight))
    return emitError() << "'derived' is from " << of
                       << ", expected an input and the weight: (input0, "
                          "weight)";
  if (!dtype || !dtype.getDtype().isSignedInteger(32))
    return emitError() << "'derived' has the dtype " << dtype
                       << ", expected si32, that of the sums";
  return success();
}

static FailureOr<SpecAttr> parseSpec(AsmParser &parser) {
  Builder &builder = parser.getBuilder();
  SMLoc start = parser.getCurrentLocation();
  StringRef keyword, name;
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<SpecKind> kind = symbolizeSpecKind(keyword);
  if (!kind)
    return parser.emitError(start)
           << "unknown spec '" << keyword
           << "', expected own, none, shared, shared_or_own or derived";
  ObserverAttr observer;
  ArrayAttr of;
  StringAttr formula;
  DTypeAttr dtype;
  SmallVector<StringRef> names;
  auto parseName = [&]() -> ParseResult {
    return parser.parseKeyword(&names.emplace_back());
  };
  switch (*kind) {
  case SpecKind::Own:
    if (succeeded(parser.parseOptionalKeyword("by")) &&
        parser.parseCustomAttributeWithFallback(observer))
      return failure();
    break;
  case SpecKind::None:
    break;
  case SpecKind::Shared:
  case SpecKind::SharedOrOwn:
    if (parseName())
      return failure();
    break;
  case SpecKind::Derived:
    if (parser.parseKeyword(&name) ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                       parseName) ||
        parser.parseKeyword("as") ||
        parser.parseCustomAttributeWithFallback(dtype))
      return failure();
    formula = builder.getStringAttr(name);
  }
  if (!names.empty())
    of = builder.getStrArrayAttr(names);
  auto spec = SpecAttr::getChecked([&] { return parser.emitError(start); },
                                   parser.getContext(), *kind, observer, of,
                                   formula, dtype);
  if (!spec)
    return failure();
  return spec;
}

static void printSpec(AsmPrinter &printer, SpecAttr spec) {
  printer << stringifySpecKind(spec.getKind());
  if (spec.getObserver()) {
    printer << " by ";
    printer.printStrippedAttrOrType(spec.getObserver());
  }
  if (!spec.getOf())
    return;
  auto names = spec.getOf().getAsValueRange<StringAttr>();
  printer << " ";
  if (spec.getKind() != SpecKind::Derived) {
    llvm::interleaveComma(names, printer);
    return;
  }
  printer << spec.getFormula().getValue() << "(";
  llvm::interleaveComma(names, printer);
  printer << ") as ";
  printer.printStrippedAttrOrType(spec.getDtype());
}

Attribute SpecAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<SpecAttr> spec = parseSpec(parser);
  if (failed(spec) || parser.parseGreater())
    return {};
  return *spec;
}

void SpecAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printSpec(printer, *this);
  printer << ">";
}

//===----------------------------------------------------------------------===//
// All edges of a pattern
//===----------------------------------------------------------------------===//

SpecAttr EdgesAttr::getInput(unsigned i) const {
  ArrayRef<SpecAttr> inputs = getInputs();
  if (inputs.empty())
    return {};
  SpecAttr spec = inputs[std::min<size_t>(i, inputs.size() - 1)];
  return spec.getKind() == SpecKind::None ? SpecAttr() : spec;
}

ObservationType EdgesAttr::getObservation() const {
  bool isObserved = getOutput() && getOutput().isObserved();
  if (!isObserved && llvm::none_of(getInputs(), [](SpecAttr spec) {
        return spec.isObserved();
      }))
    return ObservationType::InputOutputNotObserved;
  // One observer on all of them.
  bool isShared = isObserved && getOutput().getKind() == SpecKind::Shared &&
                  llvm::all_of(getInputs().drop_front(), [](SpecAttr spec) {
                    return spec.getKind() == SpecKind::Shared &&
                           !spec.isSharedWithProducer();
                  });
  return isShared ? ObservationType::OutputShareObserverWithInput
                  : ObservationType::OutputUseDifferentObserverAsInput;
}

/// `spec` is for `role`, behind the inputs `before`: what it shares with is one
/// of them, and observed.
static LogicalResult verifyShared(function_ref<InFlightDiagnostic()> emitError,
                                  const Twine &role, SpecAttr spec,
                                  ArrayRef<SpecAttr> before) {
  std::optional<unsigned> input = spec.getSharedInput();
  if (!input)
    return success();
  if (*input >= before.size())
    return emitError() << "'" << role << "' shares with input" << *input
                       << ", which is not before it; expected one of the "
                       << before.size() << " inputs before";
  if (!before[*input].isObserved())
    return emitError() << "'" << role << "' shares with input" << *input
                       << ", which has no observer";
  return success();
}

LogicalResult EdgesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<SpecAttr> inputs, SpecAttr weight,
                                SpecAttr bias, SpecAttr output,
                                ArrayRef<EdgeCondition> conditions) {
  for (auto [i, spec] : llvm::enumerate(inputs)) {
    if (spec.getKind() == SpecKind::Derived)
      return emitError() << "input " << i
                         << " is derived; only a bias is derived";
    if (failed(verifyShared(emitError, "input " + Twine(i), spec,
                            inputs.take_front(i))))
      return failure();
  }
  if (weight && weight.getKind() != SpecKind::Own)
    return emitError() << "the weight is '"
                       << stringifySpecKind(weight.getKind())
                       << "', expected own, or nothing";
  if (bias && bias.getKind() != SpecKind::Derived &&
      bias.getKind() != SpecKind::None)
    return emitError() << "the bias is '" << stringifySpecKind(bias.getKind())
                       << "', expected derived or none";
  if (bias && bias.getKind() == SpecKind::Derived) {
    unsigned input =
        *getInputNumber(cast<StringAttr>(bias.getOf()[0]).getValue());
    if (input >= inputs.size() || !inputs[input].isObserved())
      return emitError() << "the bias is derived from input" << input
                         << ", which has no observer";
    if (!weight)
      return emitError()
             << "the bias is derived from the weight, which has no observer";
  }
  if (output && output.getKind() == SpecKind::Derived)
    return emitError() << "the output is derived; only a bias is derived";
  if (output && output.isSharedWithProducer())
    return emitError() << "the output shares with its producer, which is the "
                          "operator itself; expected an input";
  if (output && failed(verifyShared(emitError, "output", output, inputs)))
    return failure();
  for (auto [i, condition] : llvm::enumerate(conditions))
    if (llvm::is_contained(conditions.take_front(i), condition))
      return emitError() << "'if' has " << stringifyEdgeCondition(condition)
                         << " twice";
  return success();
}

Attribute EdgesAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  SmallVector<SpecAttr> inputs;
  SmallVector<EdgeCondition> conditions;
  SpecAttr weight, bias, output;
  llvm::StringSet<> seen;
  auto parseInto = [&](SpecAttr &spec) -> ParseResult {
    FailureOr<SpecAttr> parsed = parseSpec(parser);
    spec = parsed.value_or(SpecAttr());
    return failure(failed(parsed));
  };
  auto parseCondition = [&]() -> ParseResult {
    StringRef keyword;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return failure();
    std::optional<EdgeCondition> condition = symbolizeEdgeCondition(keyword);
    if (!condition)
      return parser.emitError(loc)
             << "unknown condition '" << keyword
             << "', expected inputs_quantized, user_quantized or spelled";
    conditions.push_back(*condition);
    return success();
  };
  auto parseField = [&]() -> ParseResult {
    StringRef key;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    if (!seen.insert(key).second)
      return parser.emitError(loc) << "a second '" << key << "'";
    if (key == "inputs")
      return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseInto(inputs.emplace_back());
      });
    if (key == "weight")
      return parseInto(weight);
    if (key == "bias")
      return parseInto(bias);
    if (key == "output")
      return parseInto(output);
    if (key == "if")
      return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parseCondition);
    return parser.emitError(loc)
           << "unknown field '" << key
           << "', expected inputs, weight, bias, output or if";
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return {};
  return EdgesAttr::getChecked([&] { return parser.emitError(start); },
                               parser.getContext(), ArrayRef<SpecAttr>(inputs),
                               weight, bias, output,
                               ArrayRef<EdgeCondition>(conditions));
}

void EdgesAttr::print(AsmPrinter &printer) const {
  printer << "<inputs = [";
  llvm::interleaveComma(getInputs(), printer,
                        [&](SpecAttr spec) { printSpec(printer, spec); });
  printer << "]";
  for (auto [name, spec] :
       {std::pair<StringRef, SpecAttr>("weight", getWeight()),
        std::pair<StringRef, SpecAttr>("bias", getBias()),
        std::pair<StringRef, SpecAttr>("output", getOutput())})
    if (spec) {
      printer << ", " << name << " = ";
      printSpec(printer, spec);
    }
  if (!getConditions().empty()) {
    printer << ", if = [";
    llvm::interleaveComma(getConditions(), printer,
                          [&](EdgeCondition condition) {
                            printer << stringifyEdgeCondition(condition);
                          });
    printer << "]";
  }
  printer << ">";
}

std::optional<ObservationType>
qbackend::getObservationFor(PatternConfigOp pattern, unsigned count) {
  if (EdgesAttr edges = getEdges(pattern))
    return edges.getObservation();
  return pattern.getConfig().getObservationFor(count);
}

//===----------------------------------------------------------------------===//
// Requantization
//===----------------------------------------------------------------------===//

LogicalResult RequantizationRuleAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, numerics::Rounding rounding,
    RequantizationMultiplier multiplier, RequantizationQuotient quotient) {
  if (multiplier == RequantizationMultiplier::FixedPoint)
    return success();
  if (rounding != numerics::Rounding::NearestEven)
    return emitError() << "a multiplier of f32 is rounded '"
                       << numerics::stringifyRounding(rounding)
                       << "', expected nearest_even, or a multiplier of "
                          "fixed_point";
  if (quotient != RequantizationQuotient::F64)
    return emitError() << "a multiplier of f32 has the quotient '"
                       << stringifyRequantizationQuotient(quotient)
                       << "'; leave it out: the engine has its own order";
  return success();
}

std::string qbackend::whyNoArithmetic(BackendConfigOp backend, OperatorOp op) {
  if (getRequantizationRule(op) ||
      (!op.isFused() && op.getKind().keepsNumbers()))
    return "";
  for (auto pattern : backend.getBody().front().getOps<PatternConfigOp>())
    if (getRequantizationRule(pattern))
      return "its pattern has no '" + kRequantizationAttrName.str() +
             "', which other patterns of the backend have";
  return "";
}

//===----------------------------------------------------------------------===//
// LimitOp
//===----------------------------------------------------------------------===//

LogicalResult LimitOp::verify() {
  if (getKinds().empty())
    return emitOpError() << "has no kinds; expected those that it limits";
  for (StringRef kind : getKinds().getAsValueRange<StringAttr>())
    if (kind.empty())
      return emitOpError() << "has an empty kind";
  if (llvm::Error error = verifyLimit(getCondition()))
    return emitOpError() << "has the condition \"" << getCondition()
                         << "\": " << llvm::toString(std::move(error));
  return success();
}
