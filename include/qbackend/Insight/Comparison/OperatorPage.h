// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of operators as one page for a browser.

#ifndef QBACKEND_INSIGHT_COMPARISON_OPERATORPAGE_H
#define QBACKEND_INSIGHT_COMPARISON_OPERATORPAGE_H

#include "qbackend/Insight/Comparison/Compare.h"
#include "qbackend/Insight/Comparison/OperatorErrors.h"

namespace qbackend::evaluation {

/// HTML that needs nothing else, not even a network: the whole, the graph of
/// `operators` coloured by error, the table of `findings`, and of each operator
/// its values, its range, and its weights by channel. The same for the same
/// numbers.
std::string makePage(llvm::StringRef title,
                     llvm::ArrayRef<Comparison> comparisons,
                     llvm::ArrayRef<OperatorErrors> operators,
                     llvm::ArrayRef<Finding> findings);

} // namespace qbackend::evaluation

#endif // QBACKEND_INSIGHT_COMPARISON_OPERATORPAGE_H
