// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes on the arguments and results of functions.

#ifndef QBACKEND_TRANSFORMS_ANALYSIS_SIGNATUREATTRS_H
#define QBACKEND_TRANSFORMS_ANALYSIS_SIGNATUREATTRS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace qbackend {

/// Removes the attributes called `names` from all arguments and results of
/// `function`, in time that is linear in their number.
void eraseSignatureAttrs(mlir::FunctionOpInterface function,
                         llvm::ArrayRef<llvm::StringRef> names);

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_ANALYSIS_SIGNATUREATTRS_H
