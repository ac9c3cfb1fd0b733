// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// softmax, with the kernel's table of exponentials and its division:
//
//   d = q - max q, e = T[d + 255], S = sum e, y = (256 * e + S / 2) / S
//
// TOSA's tables of bytes hold bytes, so there are three for the 24 bits of T.
// Numbers are signed there, so the division is done two bits at a time: with S
// about 2^28 nothing overflows (4.5 S is less than 2^31). For up to 32 elements
// all of that is exact; T is rounded to fewer bits for more of them.

#include "Tensors.h"

#include "qbackend/Numerics/Tables.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;
using namespace qbackend::qnnpack_to_tosa;

namespace {
/// Elementwise i32 arithmetic on tensors of one rank.
struct Words {
  ImplicitLocOpBuilder &b;

  Value number(Value like, int64_t value) {
    return splat(b, value, cast<RankedTensorType>(like.getType()).getRank());
  }
  Value add(Value lhs, Value rhs) {
    return tosa::AddOp::create(b, lhs.getType(), lhs, rhs);
  }
  Value sub(Value lhs, Value rhs) {
    return tosa::SubOp::create(b, lhs.getType(), lhs, rhs);
  }
  Value mul(Value lhs, Value rhs) {
    return tosa::MulOp::create(b, lhs.getType(), lhs, rhs, byte(b, 0));
  }
  Value div(Value lhs, Value rhs) {
    return tosa::IntDivOp::create(b, lhs.getType(), lhs, rhs);
  }
  Value shiftLeft(Value value, int64_t bits) {
    return mul(value, number(value, int64_t(1) << bits));
  }
  Value shiftRight(Value value, int64_t bits) {
    return tosa::ArithmeticRightShiftOp::create(
        b, value.getType(), value, number(value, bits), /*round=*/false);
  }
  Value toBytes(Value value) {
    return tosa::CastOp::create(
        b, cast<RankedTensorType>(value.getType()).clone(b.getI8Type()), value);
  }
  Value fromBytes(Value value) {
    return tosa::CastOp::create(
        b, cast<RankedTensorType>(value.getType()).clone(b.getI32Type()),
        value);
  }
};
/// table[index + 128].
static Value lookUpWords(Words words, Value index,
                         const std::array<uint32_t, 256> &table) {
  ImplicitLocOpBuilder &b = words.b;
  Value result;
  int64_t offset = 0;
  for (int bits : {0, 8, 16}) {
    // Bytes are signed: 128 less is stored.
    SmallVector<int8_t> entries;
    for (uint32_t entry : table)
      entries.push_back(static_cast<int8_t>(((entry >> bits) & 255) - 128));
    Value part = tosa::TableOp::create(b, index.getType(), index,
                                       constant(b, entries, {256}));
    part = words.fromBytes(part);
    if (bits != 0)
      part = words.shiftLeft(part, bits);
    offset += int64_t(128) << bits;
    result = result ? words.add(result, part) : part;
  }
  return words.add(result, words.number(result, offset));
}

/// min(255, floor((256 * e + floor(sum / 2)) / sum)) - 128, as bytes.
static Value quotient(Words words, Value e, Value sum) {
  // digits = floor(4^i * e / sum), and what remains of e.
  Value digits, remainder = e;
  for (int i = 0; i < 5; ++i) {
    // e is at most the sum: the first digit is 0 or 1.
    if (i != 0)
      remainder = words.shiftLeft(remainder, 2);
    bool last = i == 4;
    Value dividend =
        last ? words.add(remainder, words.shiftRight(sum, 1)) : remainder;
    Value digit = words.div(dividend, sum);
    digits = digits ? words.add(words.shiftLeft(digits, 2), digit) : digit;
    if (!last)
      remainder = words.sub(remainder, words.mul(digit, sum));
  }
  ImplicitLocOpBuilder &b = words.b;
  Value capped = tosa::MinimumOp::create(b, digits.getType(), digits,
                                         words.number(digits, 255));
  return words.toBytes(words.sub(capped, words.number(capped, 128)));
}

// softmax(q) -> (256 * e + S / 2) / S with e = T[q - max q], S = sum e
static Value lowerSoftmax(SoftmaxOp op, SoftmaxOp::Adaptor adaptor,
                          LoweringBuilder &b) {
  RankedTensorType type = b.resultType(op);
  int64_t count = type.getDimSize(op.getAxis());
  std::array<uint32_t, 256> table = numerics::softmaxTable(
      getQuantizedType(op.getInput().getType()).getScale(), count);
  // The entries lose bits until the sum has 28, but for what rounding adds;
  // the largest one is the last.
  int drop = 0;
  auto rounded = [&](uint32_t entry) -> uint64_t {
    return drop == 0 ? entry : (entry + (1u << (drop - 1))) >> drop;
  };
  while (rounded(table[255]) * count > (uint64_t(1) << 28) + count)
    ++drop;
  // Each rounded entry is off by a half, and the quotient by less than this.
  if (drop != 0 && 128.0 * count * std::ldexp(1.0, drop) >= table[255])
    return b.decline(op, "its axis has " + std::to_string(count) +
                             " elements, too many for sums of 28 bits");
  for (uint32_t &entry : table)
    entry = static_cast<uint32_t>(rounded(entry));

  Words words{b};
  Value integers = words.fromBytes(adaptor.getInput());
  Value largest = tosa::ReduceMaxOp::create(
      b, integers, static_cast<uint32_t>(op.getAxis()));
  // In [-255, 0], so that 127 more is a byte.
  Value below = words.sub(integers, largest);
  Value index = words.toBytes(words.add(below, words.number(below, 127)));
  Value e = lookUpWords(words, index, table);
  Value sum =
      tosa::ReduceSumOp::create(b, e, static_cast<uint32_t>(op.getAxis()));
  return quotient(words, e, sum);
}
} // namespace

void qnnpack_to_tosa::populateSoftmaxPatterns(const TypeConverter &converter,
                                              RewritePatternSet &patterns,
                                              Reasons &reasons) {
  addLowerings(converter, patterns, reasons, lowerSoftmax);
}
