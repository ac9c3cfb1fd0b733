// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operator kinds there are.

#ifndef QBACKEND_DIALECT_QBACKEND_OPERATORKINDS_H
#define QBACKEND_DIALECT_QBACKEND_OPERATORKINDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace qbackend {

/// The kinds that this dialect has attributes for, sorted.
llvm::ArrayRef<llvm::StringRef> getDialectKinds();

} // namespace qbackend

#endif // QBACKEND_DIALECT_QBACKEND_OPERATORKINDS_H
