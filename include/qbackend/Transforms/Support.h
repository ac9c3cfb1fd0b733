// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does a backend support an operator with a qconfig, and which one is it?

#ifndef QBACKEND_TRANSFORMS_SUPPORT_H
#define QBACKEND_TRANSFORMS_SUPPORT_H

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "llvm/Support/Regex.h"

namespace qbackend {

/// Finds the qconfig of operators in a mapping, in PyTorch's order of
/// precedence.
class QConfigTable {
public:
  explicit QConfigTable(QConfigMappingOp mapping);

  /// The entry for an operator of that name and kind; null if there is none.
  QConfigOp lookup(llvm::StringRef name, llvm::StringRef kind) const;

  /// The activation observer of the global entry; null if there is none.
  ObserverAttr getGlobalActivation() const;

private:
  QConfigOp global;
  llvm::StringMap<QConfigOp> byKind, byName;
  mutable llvm::SmallVector<std::pair<llvm::Regex, QConfigOp>> byRegex;
};

/// Why a qconfig doesn't satisfy any of the dtype configs of `pattern`; empty
/// if it satisfies one. `hasWeight` and `hasBias` say which roles there are.
/// Rules: torch.ao's _is_pattern_dtype_config_and_qconfig_supported_by_backend.
std::string whyUnsupported(PatternAttr pattern, QConfigAttr qconfig,
                           bool hasWeight, bool hasBias);

/// The smallest and largest integer of the observer's type and range.
std::pair<int64_t, int64_t> getQuantRange(ObserverAttr observer);

} // namespace qbackend

#endif // QBACKEND_TRANSFORMS_SUPPORT_H
