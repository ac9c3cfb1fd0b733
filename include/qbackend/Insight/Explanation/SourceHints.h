// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What to do with the text of a module that this MLIR can't read.

#ifndef QBACKEND_INSIGHT_EXPLANATION_SOURCEHINTS_H
#define QBACKEND_INSIGHT_EXPLANATION_SOURCEHINTS_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace qbackend {

/// A place in a text, and what to do about it.
struct SourceHint {
  /// From 1.
  unsigned line, column;
  /// Names the converter of the dialect, or the present spelling.
  std::string message;
};

/// Finds the first op or type in `text`, a module that doesn't parse, of a
/// dialect that a front end converts from (torch, stablehlo, tf, onnx and
/// their kin), or in the spelling of an older MLIR; nothing if there is none.
std::optional<SourceHint> findSourceHint(llvm::StringRef text);

} // namespace qbackend

#endif // QBACKEND_INSIGHT_EXPLANATION_SOURCEHINTS_H
