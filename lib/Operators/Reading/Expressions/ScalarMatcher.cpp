// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns of scalar expressions.

#include "Reading/Expressions/ScalarExpression.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// Calls `match` on `scalar` if it is of `kind`, or on what computes it.
static bool matchKind(ScalarMatcher &matcher, const Scalar *scalar,
                      ScalarKind kind,
                      llvm::function_ref<bool(const Scalar *)> match) {
  // Bounded: identities in a row.
  for (unsigned depth = 0; scalar && depth < 4; ++depth) {
    if (scalar->kind == kind)
      return match(scalar);
    if (scalar->kind != ScalarKind::Operand)
      return false;
    scalar = matcher.expressions.expand(scalar);
  }
  return false;
}

static bool isSame(const Scalar *lhs, const Scalar *rhs) {
  return lhs->value == rhs->value && lhs->full && rhs->full;
}

ScalarMatcher::Pattern ScalarMatcher::x() {
  return [](ScalarMatcher &matcher, const Scalar *scalar) {
    if (!matcher.expressions.isActivation(scalar) || !scalar->full)
      return false;
    if (matcher.input)
      return isSame(matcher.input, scalar);
    matcher.input = scalar;
    return true;
  };
}

ScalarMatcher::Pattern ScalarMatcher::number(double number) {
  return [number](ScalarMatcher &matcher, const Scalar *scalar) {
    std::optional<double> found = matcher.expressions.getNumber(scalar);
    return found && isClose(*found, number);
  };
}

ScalarMatcher::Pattern ScalarMatcher::capture(double &number) {
  return [&number](ScalarMatcher &matcher, const Scalar *scalar) {
    std::optional<double> found = matcher.expressions.getNumber(scalar);
    number = found.value_or(0);
    return found.has_value();
  };
}

ScalarMatcher::Pattern ScalarMatcher::unary(ScalarKind kind, Pattern a) {
  return [=](ScalarMatcher &matcher, const Scalar *scalar) {
    return matchKind(matcher, scalar, kind,
                     [&](const Scalar *found) { return a(matcher, found->a); });
  };
}

ScalarMatcher::Pattern ScalarMatcher::binary(ScalarKind kind, Pattern a,
                                             Pattern b) {
  bool commutes = kind == ScalarKind::Add || kind == ScalarKind::Mul ||
                  kind == ScalarKind::Max || kind == ScalarKind::Min;
  return [=](ScalarMatcher &matcher, const Scalar *scalar) {
    return matchKind(matcher, scalar, kind, [&](const Scalar *found) {
      const Scalar *before = matcher.input;
      if (a(matcher, found->a) && b(matcher, found->b))
        return true;
      matcher.input = before;
      if (commutes && a(matcher, found->b) && b(matcher, found->a))
        return true;
      matcher.input = before;
      return false;
    });
  };
}

ScalarMatcher::Pattern ScalarMatcher::oneOf(std::vector<Pattern> patterns) {
  return [=](ScalarMatcher &matcher, const Scalar *scalar) {
    const Scalar *before = matcher.input;
    for (const Pattern &pattern : patterns) {
      matcher.input = before;
      if (pattern(matcher, scalar))
        return true;
    }
    matcher.input = before;
    return false;
  };
}

ScalarMatcher::Pattern ScalarMatcher::channel(const Scalar *&operand) {
  return [&operand](ScalarMatcher &matcher, const Scalar *scalar) {
    // Broadcasts and reshapes of what varies along one loop.
    for (unsigned depth = 0; scalar && depth < 4; ++depth) {
      if (scalar->kind != ScalarKind::Operand)
        return false;
      if (getChannelLoop(scalar)) {
        operand = scalar;
        return true;
      }
      scalar = matcher.expressions.expand(scalar);
    }
    return false;
  };
}
