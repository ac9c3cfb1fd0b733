// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an element of a tensor is off by: t - e, of the other form's integer t
// and the exact one e. Two roundings to a nearest integer differ by no more
// than what is rounded does, and one:
//
//   d - 1 <= round'(a + d) - round(a) <= d + 1
//
// whichever way they round ties; where nothing differs before, by what the
// roundings of this one op can (`Local`).

#ifndef QBACKEND_CONVERSION_FORMDIFFERENCE_DIFFERENCE_H
#define QBACKEND_CONVERSION_FORMDIFFERENCE_DIFFERENCE_H

#include "qbackend/Conversion/FormDifference.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"

#include <array>

namespace qbackend::form_difference {

/// What an element is off by. An element may be right: lo <= 0 <= hi.
struct Difference {
  /// For any input.
  int64_t lo = 0, hi = 0;
  /// Expected: of the difference, its absolute value and its square.
  double bias = 0, mean = 0, square = 0;
  /// One element in a million is further.
  int64_t likely = 0;

  bool isZero() const { return lo == 0 && hi == 0; }
  /// What is one or the other.
  void include(const Difference &other);
};

/// What one op adds to its result where its operands are right.
struct Local {
  int64_t lo = 0, hi = 0;
  /// How many of all elements differ, of evenly distributed ones.
  double rate = 0, bias = 0;

  /// One step to either side, of `rate` elements.
  static Local either(double rate) { return {-1, 1, rate, 0}; }
  void include(const Local &other);
};

/// Counts what integers differ, of those that an op can have before it rounds.
class LocalCount {
public:
  void add(int64_t exact, int64_t other);
  /// Where the other form's is one of two.
  void add(int64_t exact, int64_t lower, int64_t upper);
  /// `count`: of how many.
  Local finish(double count) const;

private:
  Local found;
};

/// The sum of differences times factors, before it is rounded.
struct Delta {
  double lo = 0, hi = 0, bias = 0, mean = 0, variance = 0, likely = 0;

  void add(double factor, const Difference &difference);
};

/// The stored integers of a result.
struct OutputRange {
  explicit OutputRange(mlir::quant::UniformQuantizedType type,
                       bool relu = false);
  int64_t lo, hi;
};

/// The result of rounding what is off by `delta`.
Difference roundDelta(const Delta &delta, const Local &local,
                      OutputRange range);

/// Anything in the range.
Difference getAny(OutputRange range);

/// Those of a tensor: one for all elements, or one for each index of `axis`.
struct Differences {
  /// False for floats that are computed from what may differ.
  bool isKnown = true;
  int64_t axis = 0;
  llvm::SmallVector<Difference, 1> parts = {Difference()};
  /// Of floats that stand for integers; 0: not known.
  double scale = 0.0;

  bool isZero() const {
    return isKnown && llvm::all_of(parts, [](const Difference &part) {
             return part.isZero();
           });
  }
  const Difference &at(int64_t index) const {
    return parts[parts.size() == 1 ? 0 : index];
  }
  /// One for all elements.
  Difference join() const;
};

//===----------------------------------------------------------------------===//
// Ops of which a form rounds otherwise
//===----------------------------------------------------------------------===//

Local getAddLocal(qnnpack::AddOp op, InexactForm form);
Local getMulLocal(qnnpack::MulOp op, InexactForm form);
/// Of an average of `taps` integers by QNNPACK's formula.
Local getAverageLocal(mlir::quant::UniformQuantizedType type, int64_t taps);
/// Of integers with a table, which are floats in the other form.
Local getTableLocal(const std::array<int64_t, 256> &exact,
                    mlir::quant::UniformQuantizedType from,
                    mlir::quant::UniformQuantizedType to);

/// An op with a weight.
struct WeightedOp {
  mlir::Value input, weight, bias, output;
  int64_t groups = 1;
  bool relu = false;
  /// Multipliers of its own, or null.
  qnnpack::RequantizationAttr requantization;

  /// Nothing if `op` isn't one.
  static std::optional<WeightedOp> get(mlir::Operation *op);
};

/// The differences of the result, along its last dimension. `written`: the
/// multipliers of the form, as many as the kernel has, or none.
Differences propagateWeighted(const WeightedOp &op, const Differences &input,
                              InexactForm form, llvm::ArrayRef<float> written);

/// The differences of a batch norm's result, channel by channel, of `input`
/// that differs. `local` is what each rounding adds. Nothing if a parameter is
/// no constant.
std::optional<Differences> propagateBatchNorm(qnnpack::BatchNormOp op,
                                              const Differences &input,
                                              const Local &local);

/// Those of a norm by what it computes of its input, which differs: `weight`
/// may be null.
Differences propagateNorm(mlir::Value weight, mlir::Value output,
                          const Differences &differences, const Local &local);

} // namespace qbackend::form_difference

#endif // QBACKEND_CONVERSION_FORMDIFFERENCE_DIFFERENCE_H
