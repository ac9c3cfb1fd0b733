// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conditions of `qbackend.limit`: comparisons over what an operator is.

#ifndef QBACKEND_DIALECT_QBACKEND_LIMITCONDITION_H
#define QBACKEND_DIALECT_QBACKEND_LIMITCONDITION_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace qbackend {

/// A number, or a list of them.
struct LimitValue {
  llvm::SmallVector<int64_t> numbers;
  bool isList = false;
};

/// What a name such as "stride" or "weight.shape" stands for; an error says why
/// it stands for nothing.
using LimitLookup =
    llvm::function_ref<llvm::Expected<LimitValue>(llvm::StringRef name)>;

/// Whether `condition` holds, whose names `lookup` knows. An error says what is
/// wrong with the text, or what can't be computed.
llvm::Expected<bool> evaluateLimit(llvm::StringRef condition,
                                   LimitLookup lookup);

/// Fails, with a reason, unless `condition` is a condition.
llvm::Error verifyLimit(llvm::StringRef condition);

} // namespace qbackend

#endif // QBACKEND_DIALECT_QBACKEND_LIMITCONDITION_H
