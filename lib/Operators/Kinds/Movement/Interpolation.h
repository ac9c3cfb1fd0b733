// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's ways to resize images, compared with what code reads.

#ifndef QBACKEND_LIB_OPERATORS_KINDS_MOVEMENT_INTERPOLATION_H
#define QBACKEND_LIB_OPERATORS_KINDS_MOVEMENT_INTERPOLATION_H

#include "qbackend/Dialect/QBackend/QBackend.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace qbackend::forms {

/// A pixel of the input, and its part in a pixel of the result.
struct Tap {
  int64_t row = 0, column = 0;
  double weight = 1;
};

/// Appends what the pixel of the result at (row, column) is made of; false if
/// that isn't known.
using TapReader = llvm::function_ref<bool(int64_t row, int64_t column,
                                          llvm::SmallVectorImpl<Tap> &taps)>;

/// The interpolation from an image of `in` rows and columns to one of `out`
/// that reads what `read` says, each of whose rows and columns is compared;
/// null if there is none. `factors` are numbers that a scale may be.
InterpolateAttr matchInterpolation(mlir::MLIRContext *context,
                                   llvm::ArrayRef<int64_t> in,
                                   llvm::ArrayRef<int64_t> out,
                                   llvm::ArrayRef<double> factors,
                                   TapReader read);

} // namespace qbackend::forms

#endif // QBACKEND_LIB_OPERATORS_KINDS_MOVEMENT_INTERPOLATION_H
