// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nested patterns: an operator, and patterns for its operands.

#include "PatternNode.h"
#include "Keywords.h"

#include "qbackend/Dialect/QBackend/OperatorKinds.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace qbackend;

/// Deeper patterns are a mistake, and a recursive parser's stack has an end.
static constexpr unsigned kMaxDepth = 64;

/// The wildcard, in attributes and in text.
static bool isWildcard(Attribute element) { return isa<UnitAttr>(element); }
static constexpr llvm::StringLiteral kWildcard = "_";

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

FailureOr<StringAttr> qbackend::detail::parseOperatorName(AsmParser &parser) {
  std::string text;
  StringRef keyword;
  if (succeeded(parseOptionalKeywordLike(parser, &keyword, getDialectKinds())))
    text = keyword.str();
  else if (parser.parseString(&text))
    return failure();
  return parser.getBuilder().getStringAttr(text);
}

void qbackend::detail::printOperatorName(AsmPrinter &printer, StringRef name) {
  if (name.contains('.') || name == kWildcard)
    printer.printString(name);
  else
    printer.printKeywordOrString(name);
}

/// A node, a wildcard or a number.
static FailureOr<Attribute> parseElement(AsmParser &parser, unsigned depth) {
  Builder &builder = parser.getBuilder();
  SMLoc loc = parser.getCurrentLocation();
  std::string text;
  StringRef keyword;
  if (succeeded(qbackend::detail::parseOptionalKeywordLike(
          parser, &keyword, getDialectKinds()))) {
    if (keyword == kWildcard)
      return Attribute(builder.getUnitAttr());
    text = keyword.str();
  } else if (failed(parser.parseOptionalString(&text))) {
    Attribute number;
    if (parser.parseAttribute(number))
      return failure();
    return number;
  }
  SmallVector<Attribute> operands;
  if (succeeded(parser.parseOptionalLParen())) {
    if (depth == kMaxDepth)
      return parser.emitError(loc)
             << "a pattern is nested deeper than " << kMaxDepth << " operators";
    auto parseOperand = [&]() -> ParseResult {
      FailureOr<Attribute> operand = parseElement(parser, depth + 1);
      operands.push_back(operand.value_or(Attribute()));
      return failure(failed(operand));
    };
    if (parser.parseCommaSeparatedList(parseOperand) || parser.parseRParen())
      return failure();
  }
  auto emitError = [&] { return parser.emitError(loc); };
  auto node = PatternNodeAttr::getChecked(emitError, parser.getContext(),
                                          builder.getStringAttr(text),
                                          ArrayRef(operands));
  if (!node)
    return failure();
  return Attribute(node);
}

FailureOr<PatternNodeAttr>
qbackend::detail::parsePatternNode(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  FailureOr<Attribute> element = parseElement(parser, 1);
  if (failed(element))
    return failure();
  auto node = dyn_cast<PatternNodeAttr>(*element);
  if (!node)
    return parser.emitError(loc)
           << "a pattern starts with an operator, its last one";
  return node;
}

void qbackend::detail::printPatternNode(AsmPrinter &printer,
                                        PatternNodeAttr node) {
  printOperatorName(printer, node.getName().getValue());
  if (node.getOperands().empty())
    return;
  printer << "(";
  llvm::interleaveComma(node.getOperands(), printer, [&](Attribute operand) {
    if (isWildcard(operand))
      printer << kWildcard;
    else if (auto inner = dyn_cast<PatternNodeAttr>(operand))
      printPatternNode(printer, inner);
    else
      printer << operand;
  });
  printer << ")";
}

Attribute PatternNodeAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<PatternNodeAttr> node = detail::parsePatternNode(parser);
  if (failed(node) || parser.parseGreater())
    return {};
  return *node;
}

void PatternNodeAttr::print(AsmPrinter &printer) const {
  printer << "<";
  detail::printPatternNode(printer, *this);
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

LogicalResult
PatternNodeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        StringAttr name, ArrayRef<Attribute> operands) {
  if (name.getValue().empty())
    return emitError() << "a pattern has an operator without a name";
  for (Attribute operand : operands)
    if (!isWildcard(operand) &&
        !isa<PatternNodeAttr, IntegerAttr, FloatAttr>(operand))
      return emitError() << "the pattern of an operand is " << operand
                         << ", expected an operator, _ or a number";
  return success();
}

Attribute PatternNodeAttr::getElement(ArrayRef<int64_t> path) const {
  Attribute element = *this;
  for (int64_t index : path) {
    auto node = dyn_cast<PatternNodeAttr>(element);
    if (!node || index < 0 || index >= int64_t(node.getOperands().size()))
      return {};
    element = node.getOperands()[index];
  }
  return element;
}
