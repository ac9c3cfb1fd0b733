// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What two configurations have different.

#ifndef QBACKEND_INSIGHT_EXPLANATION_DIFF_H
#define QBACKEND_INSIGHT_EXPLANATION_DIFF_H

#include "qbackend/Dialect/QBackend/QBackend.h"

namespace qbackend {

/// Prints how `after`, which is of the same context, differs from `before`: `-`
/// is only in `before`, `+` only in `after`, other lines name a field with its
/// old and new value, or an entry that stands elsewhere. Patterns are the same
/// if their operators and their `torch` are. Returns true if there is a
/// difference.
bool diff(BackendConfigOp before, BackendConfigOp after, llvm::raw_ostream &os);

} // namespace qbackend

#endif // QBACKEND_INSIGHT_EXPLANATION_DIFF_H
