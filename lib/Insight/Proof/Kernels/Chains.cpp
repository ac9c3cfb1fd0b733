// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conversion itself says which ops a kernel takes: those that it leaves
// nothing of, from a layer on along the only users.

#include "Kernels/Chains.h"

#include "qbackend/Dialect/QNNPack/QNNPack.h"
#include "qbackend/Execution/Int8/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace qbackend;

static bool isOp(Operation *op) {
  return isa_and_nonnull<qnnpack::QNNPackDialect>(op->getDialect());
}

static bool isLayer(Operation *op) {
  return isa<qnnpack::Conv1dOp, qnnpack::Conv2dOp, qnnpack::Conv3dOp,
             qnnpack::ConvTranspose1dOp, qnnpack::ConvTranspose2dOp,
             qnnpack::LinearOp>(op);
}

FailureOr<std::vector<SmallVector<Operation *>>>
qbackend::proof::findChains(ModuleOp module) {
  constexpr StringLiteral name = "proof.number";
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isOp(op))
      ops.push_back(op);
  });
  OwningOpRef<ModuleOp> copy(module.clone());
  int64_t next = 0;
  Builder builder(module.getContext());
  copy->walk([&](Operation *op) {
    if (isOp(op))
      op->setAttr(name, builder.getI64IntegerAttr(next++));
  });
  PassManager passes(module.getContext());
  passes.addPass(createConvertQNNPackToInt8Pass());
  if (failed(passes.run(*copy)))
    return failure();
  DenseSet<Operation *> left;
  copy->walk([&](Operation *op) {
    if (auto number = op->getAttrOfType<IntegerAttr>(name))
      left.insert(ops[number.getInt()]);
  });
  std::vector<SmallVector<Operation *>> chains;
  DenseSet<Operation *> taken;
  for (Operation *op : ops) {
    if (!taken.insert(op).second)
      continue;
    SmallVector<Operation *> &chain = chains.emplace_back();
    chain.push_back(op);
    if (left.contains(op) || !isLayer(op))
      continue;
    while (chain.back()->getResult(0).hasOneUse()) {
      Operation *user = *chain.back()->getResult(0).user_begin();
      if (!isOp(user) || isLayer(user) || left.contains(user) ||
          !taken.insert(user).second)
        break;
      chain.push_back(user);
    }
  }
  return chains;
}
