// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values a tensor can hold, as far as the ranges of the arguments say.

#ifndef QBACKEND_TRANSFORMS_ANALYSIS_VALUERANGES_H
#define QBACKEND_TRANSFORMS_ANALYSIS_VALUERANGES_H

#include "qbackend/Dialect/QBackend/QBackend.h"

namespace qbackend {

/// The range of the result of `op`, of one kind or fused, from those of all its
/// inputs; nothing if no bound is known.
std::optional<FloatRange> inferRange(OperatorOp op,
                                     llvm::ArrayRef<FloatRange> inputs);

/// Interval arithmetic through the operators of a module, from
/// `qbackend.range` on the arguments and from constants. Ranges are safe, not
/// tight: no value leaves them, but for the roundings of f32.
class ValueRanges {
public:
  explicit ValueRanges(mlir::ModuleOp module);

  /// The range of `value`; nothing if no bound is known.
  std::optional<FloatRange> lookup(mlir::Value value) const;

  /// Why nothing is known of `value`: the first operator on the way to it that
  /// has no bounds although its inputs do, or an argument without a range.
  std::string explain(mlir::Value value) const;

private:
  void visit(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, FloatRange> ranges;
};

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_ANALYSIS_VALUERANGES_H
