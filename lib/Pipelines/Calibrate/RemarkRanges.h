// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges that can't be right.

#ifndef QBACKEND_LIB_PIPELINES_CALIBRATE_REMARKRANGES_H
#define QBACKEND_LIB_PIPELINES_CALIBRATE_REMARKRANGES_H

#include "qbackend/Dialect/QBackend/QBackend.h"

namespace qbackend {

/// Says, with QB121, of calibrated observers that have seen what can't be
/// right.
void remarkRanges(mlir::ModuleOp module);

} // namespace qbackend

#endif // QBACKEND_LIB_PIPELINES_CALIBRATE_REMARKRANGES_H
