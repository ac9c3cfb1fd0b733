// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a recogniser has at hand: numbers and operators.

#include "Kinds/Recognition.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

FloatAttr Recognition::asFloat(double value) const {
  // The code computes with f32, however the number is spelled: of all numbers
  // that are that one, it is the one with the fewest digits, which is what the
  // network's author wrote.
  char text[32];
  auto [end, error] =
      std::to_chars(text, text + sizeof(text) - 1, static_cast<float>(value));
  *end = 0;
  return FloatAttr::get(Float64Type::get(context()),
                        std::strtod(text, nullptr));
}

DenseI64ArrayAttr Recognition::ints(ArrayRef<int64_t> values) const {
  return DenseI64ArrayAttr::get(context(), values);
}

void Recognition::add(Attribute kind, ArrayRef<Value> inputs) const {
  RecognizedOperator op{kind, result(), {}};
  for (Value input : inputs)
    op.inputs.push_back(RecognizedOperand::of(input));
  found.push_back(std::move(op));
}

bool Recognition::isSplat(Value value, double number) const {
  std::optional<double> splat = constants().getSplat(value);
  // Producers round scalars to f32, and some of them twice.
  return splat && std::fabs(*splat - number) <= std::fabs(number) * 1e-6;
}
