// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons of networks as JSON: what the C interface gives, and
// `qbackend-run --format=json` prints. qbackend-c/QBackend.h says what is in
// it.

#ifndef QBACKEND_INSIGHT_COMPARISON_COMPARISONJSON_H
#define QBACKEND_INSIGHT_COMPARISON_COMPARISONJSON_H

#include "qbackend/Insight/Comparison/Compare.h"
#include "qbackend/Insight/Comparison/OperatorErrors.h"

namespace qbackend::evaluation {

/// How results differ: an object for each, with "accuracy" where there are
/// labels.
llvm::json::Array toJSON(llvm::ArrayRef<Comparison> comparisons);

/// An operator, without what is found about it.
llvm::json::Object toJSON(const OperatorErrors &op);

/// What was found about the operators: "cause", "reason", "suggestion", and
/// "gain" in dB if the suggestion was tried.
llvm::json::Object toJSON(const Finding &finding);

/// {"outputs", "operators" with their findings, "ranking", "missing"}.
llvm::json::Object toJSON(llvm::ArrayRef<Comparison> comparisons,
                          llvm::ArrayRef<OperatorErrors> operators,
                          llvm::ArrayRef<Finding> findings);

} // namespace qbackend::evaluation

#endif // QBACKEND_INSIGHT_COMPARISON_COMPARISONJSON_H
