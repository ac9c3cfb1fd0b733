// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes as text.

#include "qbackend/Support/Shape.h"

std::string qbackend::formatShape(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") +
            (extent < 0 ? std::string("?") : std::to_string(extent));
  return text.empty() ? "()" : text;
}
