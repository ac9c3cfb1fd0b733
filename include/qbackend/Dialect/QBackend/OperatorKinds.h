// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operator kinds there are, and what they say about operators.

#ifndef QBACKEND_DIALECT_QBACKEND_OPERATORKINDS_H
#define QBACKEND_DIALECT_QBACKEND_OPERATORKINDS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <limits>

namespace qbackend {

/// The kinds that this dialect has attributes for, sorted.
llvm::ArrayRef<llvm::StringRef> getDialectKinds();

/// The operands of an operator of a kind.
struct OperatorOperands {
  llvm::SmallVector<mlir::RankedTensorType, 2> inputs;
  mlir::RankedTensorType output;
  /// Null where there is none.
  mlir::Value weight, bias, runningMean, runningVar;
  /// False for an operator that was fused behind another one, whose parameters
  /// these are.
  bool ownsParameters = true;
};

/// What the weight of an operator is.
enum class WeightRole {
  None,
  /// Factors of products that are summed up; each output channel has its own.
  Products,
  /// The rows of a table.
  Rows,
  /// Slopes below 0.
  Slopes,
  /// What a normalized tensor is multiplied by.
  Scale,
};

/// All floats from `min` to `max`.
struct FloatRange {
  double min = 0;
  double max = 0;
};

/// The scale of quantized numbers, and the distance of the zero point from the
/// smallest integer.
struct FixedParameters {
  double scale;
  int64_t zeroPointOffset;
};

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

/// A count that is no larger than this one, which stands for all above it, too.
inline constexpr int64_t kLargestCount = std::numeric_limits<int64_t>::max();

/// The sum and the product of counts, at most `kLargestCount`.
int64_t addCounts(int64_t a, int64_t b);
int64_t multiplyCounts(int64_t a, int64_t b);

/// The number of elements of a tensor of `shape`; a dynamic extent counts as 1.
int64_t countElements(llvm::ArrayRef<int64_t> shape);

/// The arithmetic of an operator.
struct OperationCounts {
  /// Products that are summed up.
  int64_t multiplyAccumulates = 0;
  /// All operations on floats.
  int64_t operations = 0;
};

} // namespace qbackend

#endif // QBACKEND_DIALECT_QBACKEND_OPERATORKINDS_H
