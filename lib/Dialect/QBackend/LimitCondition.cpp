// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and evaluates the conditions of `qbackend.limit`:
//
//   or   := and ("or" and)*            and     := compare ("and" compare)*
//   compare := sum OP sum              sum     := product (("+" | "-")
//   product)* product := unary (("*" | "/" | "%") unary)* unary := "-" unary |
//   number | name ["[" number "]"] | "(" sum ")"
//          | ("product" | "min" | "max") "(" sum ")"
//
// A list and a number are combined element by element.

#include "qbackend/Dialect/QBackend/LimitCondition.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <optional>
#include <string>

using namespace qbackend;
using llvm::StringRef;

namespace {
/// A recursive descent over the text, which evaluates as it reads. The first
/// error ends it; what is computed after that counts for nothing.
class Evaluator {
public:
  /// Without `lookup`, names have no value, and nothing is compared.
  Evaluator(StringRef text, LimitLookup lookup, bool evaluates)
      : text(text), rest(text), lookup(lookup), evaluates(evaluates) {}

  llvm::Expected<bool> run() {
    bool holds = readOr();
    if (error.empty() && !token().empty())
      fail("'" + token().str() + "' is not expected here");
    if (!error.empty())
      return llvm::createStringError(error);
    return holds;
  }

private:
  /// Deeper parentheses are a mistake, and recursion has an end.
  static constexpr unsigned kMaxDepth = 64;

  void fail(const llvm::Twine &reason) {
    if (error.empty())
      error = reason.str();
    rest = {};
  }

  static bool isNameChar(char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.';
  }

  /// The next token; empty at the end.
  StringRef token() {
    rest = rest.ltrim();
    if (rest.empty())
      return rest;
    if (isNameChar(rest.front()))
      return rest.take_while(isNameChar);
    for (StringRef two : {"<=", ">=", "==", "!="})
      if (rest.starts_with(two))
        return rest.take_front(2);
    return rest.take_front(1);
  }

  bool consume(StringRef wanted) {
    if (token() != wanted)
      return false;
    rest = rest.drop_front(wanted.size());
    return true;
  }

  void expect(StringRef wanted) {
    if (!consume(wanted))
      fail("'" + wanted + "' is missing" +
           (token().empty() ? " at the end"
                            : " before '" + token().str() + "'"));
  }

  bool readOr() {
    bool holds = readAnd();
    while (consume("or"))
      holds = readAnd() || holds;
    return holds;
  }

  bool readAnd() {
    bool holds = readComparison();
    while (consume("and"))
      holds = readComparison() && holds;
    return holds;
  }

  bool readComparison() {
    LimitValue left = readSum();
    StringRef op = token();
    if (!llvm::is_contained({"==", "!=", "<", "<=", ">", ">="}, op)) {
      fail("there is no comparison" +
           (op.empty() ? "" : " before '" + op.str() + "'") +
           "; expected ==, !=, <, <=, > or >=");
      return false;
    }
    consume(op);
    LimitValue right = readSum();
    if (!error.empty() || !evaluates)
      return false;
    if (left.isList && right.isList &&
        left.numbers.size() != right.numbers.size())
      return op == "!=";
    size_t count = left.isList ? left.numbers.size() : right.numbers.size();
    bool all = true, anyDiffers = false;
    for (size_t i = 0; i < count; ++i) {
      int64_t a = left.numbers[left.isList ? i : 0];
      int64_t b = right.numbers[right.isList ? i : 0];
      anyDiffers |= a != b;
      all &= op == "=="   ? a == b
             : op == "<"  ? a < b
             : op == "<=" ? a <= b
             : op == ">"  ? a > b
                          : a >= b;
    }
    return op == "!=" ? anyDiffers : all;
  }

  LimitValue combine(LimitValue left, char op, const LimitValue &right) {
    if (!error.empty() || !evaluates)
      return left;
    if (left.isList && right.isList &&
        left.numbers.size() != right.numbers.size()) {
      fail("lists of " + llvm::Twine(left.numbers.size()) + " and " +
           llvm::Twine(right.numbers.size()) + " numbers have no '" +
           llvm::Twine(op) + "'");
      return left;
    }
    LimitValue result;
    result.isList = left.isList || right.isList;
    size_t count = left.isList ? left.numbers.size() : right.numbers.size();
    for (size_t i = 0; i < count; ++i) {
      int64_t a = left.numbers[left.isList ? i : 0];
      int64_t b = right.numbers[right.isList ? i : 0];
      std::optional<int64_t> value;
      int64_t sum;
      if (op == '+' && !llvm::AddOverflow(a, b, sum))
        value = sum;
      else if (op == '-' && !llvm::SubOverflow(a, b, sum))
        value = sum;
      else if (op == '*' && !llvm::MulOverflow(a, b, sum))
        value = sum;
      else if ((op == '/' || op == '%') && b > 0)
        value = op == '/' ? llvm::divideFloorSigned(a, b)
                          : a - llvm::divideFloorSigned(a, b) * b;
      if (!value) {
        fail(llvm::Twine(a) + " " + llvm::Twine(op) + " " + llvm::Twine(b) +
             (op == '/' || op == '%'
                  ? " has no value; expected a divisor above 0"
                  : " overflows"));
        return left;
      }
      result.numbers.push_back(*value);
    }
    return result;
  }

  LimitValue readSum() {
    LimitValue value = readProduct();
    while (llvm::is_contained({"+", "-"}, token())) {
      char op = token().front();
      rest = rest.drop_front();
      value = combine(std::move(value), op, readProduct());
    }
    return value;
  }

  LimitValue readProduct() {
    LimitValue value = readUnary();
    while (llvm::is_contained({"*", "/", "%"}, token())) {
      char op = token().front();
      rest = rest.drop_front();
      value = combine(std::move(value), op, readUnary());
    }
    return value;
  }

  static LimitValue getNumber(int64_t number) { return {{number}, false}; }

  LimitValue readUnary() {
    if (depth == kMaxDepth)
      fail("it is nested deeper than " + llvm::Twine(kMaxDepth));
    llvm::SaveAndRestore<unsigned> nested(depth, depth + 1);
    StringRef name = token();
    if (consume("-"))
      return combine(getNumber(0), '-', readUnary());
    if (consume("(")) {
      LimitValue value = readSum();
      expect(")");
      return value;
    }
    if (name.empty() || !isNameChar(name.front())) {
      fail(name.empty() ? "it ends where a value is expected"
                        : "'" + name.str() +
                              "' stands where a value is "
                              "expected");
      return getNumber(0);
    }
    consume(name);
    if (name == "true" || name == "false")
      return getNumber(name == "true");
    if (llvm::isDigit(name.front())) {
      int64_t number;
      if (name.getAsInteger(10, number))
        fail("'" + name + "' is no integer of 64 bits");
      return getNumber(number);
    }
    if (llvm::is_contained({"product", "min", "max"}, name) && consume("(")) {
      LimitValue value = reduce(name, readSum());
      expect(")");
      return value;
    }
    return readName(name);
  }

  LimitValue reduce(StringRef function, const LimitValue &list) {
    if (!error.empty() || !evaluates)
      return getNumber(0);
    if (list.numbers.empty()) {
      fail(function + " of no numbers has no value");
      return getNumber(0);
    }
    LimitValue result = getNumber(list.numbers.front());
    for (int64_t number : llvm::drop_begin(list.numbers))
      if (function == "product")
        result = combine(result, '*', getNumber(number));
      else
        result =
            getNumber(function == "min" ? std::min(result.numbers[0], number)
                                        : std::max(result.numbers[0], number));
    return result;
  }

  LimitValue readName(StringRef name) {
    LimitValue value = getNumber(0);
    if (evaluates) {
      llvm::Expected<LimitValue> found = lookup(name);
      if (!found) {
        fail(llvm::toString(found.takeError()));
        return value;
      }
      value = *found;
    }
    if (!consume("["))
      return value;
    bool fromEnd = consume("-");
    int64_t index;
    StringRef digits = token();
    if (digits.getAsInteger(10, index)) {
      fail("the index of '" + name + "' is '" + digits +
           "', expected an integer");
      return value;
    }
    consume(digits);
    expect("]");
    if (!error.empty() || !evaluates)
      return getNumber(0);
    int64_t count = value.numbers.size();
    int64_t place = fromEnd ? count - index : index;
    if (!value.isList || place < 0 || place >= count) {
      fail("'" + name + "' has no element " + (fromEnd ? "-" : "") +
           llvm::Twine(index));
      return value;
    }
    return getNumber(value.numbers[place]);
  }

  StringRef text, rest;
  LimitLookup lookup;
  bool evaluates;
  unsigned depth = 0;
  std::string error;
};
} // namespace

llvm::Expected<bool> qbackend::evaluateLimit(StringRef condition,
                                             LimitLookup lookup) {
  return Evaluator(condition, lookup, /*evaluates=*/true).run();
}

llvm::Error qbackend::verifyLimit(StringRef condition) {
  auto none = [](StringRef) -> llvm::Expected<LimitValue> {
    return LimitValue();
  };
  return Evaluator(condition, none, /*evaluates=*/false).run().takeError();
}
