// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes as text.

#ifndef QBACKEND_SUPPORT_SHAPE_H
#define QBACKEND_SUPPORT_SHAPE_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>

namespace qbackend {

/// Writes a shape as `1x3x224x224`, with `?` for a dynamic extent, which is
/// negative, and `()` for rank 0.
std::string formatShape(llvm::ArrayRef<int64_t> shape);

} // namespace qbackend

#endif // QBACKEND_SUPPORT_SHAPE_H
