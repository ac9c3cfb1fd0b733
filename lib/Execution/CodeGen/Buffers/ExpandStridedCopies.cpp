// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of what is not contiguous to loops. Contiguous copies become memcpy;
// the others would call a function of MLIR's C runtime, which copies element by
// element and may not be installed.

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_EXPANDSTRIDEDCOPIESPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;

namespace {
struct ExpandStridedCopiesPass
    : qbackend::codegen::impl::ExpandStridedCopiesPassBase<
          ExpandStridedCopiesPass> {
  void runOnOperation() final {
    getOperation()->walk([](memref::CopyOp copy) {
      auto source = dyn_cast<MemRefType>(copy.getSource().getType());
      auto target = dyn_cast<MemRefType>(copy.getTarget().getType());
      if (!source || !target ||
          (source.getLayout().isIdentity() && target.getLayout().isIdentity()))
        return;
      OpBuilder builder(copy);
      linalg::makeMemRefCopyOp(builder, copy.getLoc(), copy.getSource(),
                               copy.getTarget());
      copy.erase();
    });
  }
};
} // namespace
