// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes say about operators that stay real-valued.

#include "qbackend/Transforms/Remarks.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;

void qbackend::remarkMissed(Location loc, StringRef code, StringRef subject,
                            const Twine &reason, const Twine &suggestion) {
  auto remark =
      remark::missed(loc, remark::RemarkOpts::name(code).category("qbackend"));
  if (!remark)
    return;
  remark << subject << remark::reason("{0}", reason.str())
         << remark::suggest("{0}", suggestion.str());
}
