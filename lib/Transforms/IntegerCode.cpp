// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds integers that a module came with, and that no operator has.

#include "IntegerCode.h"

#include "qbackend/Operators/ConstantEvaluator.h"
#include "qbackend/Operators/ScalarOp.h"
#include "qbackend/Transforms/Engine.h"
#include "qbackend/Transforms/OperationCount.h"
#include "qbackend/Transforms/Remarks.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace qbackend;

/// Wider integers are positions and labels, not quantized numbers.
static constexpr unsigned kMaxWidth = 16;

/// Whether `op`, on scalars or tensors, makes quantized numbers of real ones.
static bool quantizes(Operation *op) {
  if (isa<quant::QuantizeCastOp>(op))
    return true;
  std::optional<ScalarSteps> steps = getScalarSteps(op);
  if (!steps)
    return false;
  return llvm::any_of(*steps, [](const ScalarStep &step) {
    switch (step.code) {
    case ScalarCode::RoundEven:
    case ScalarCode::Round:
      return true;
    case ScalarCode::RealToSigned:
    case ScalarCode::RealToUnsigned:
      return step.type.width > 1 && step.type.width <= kMaxWidth;
    default:
      return false;
    }
  });
}

IntegerCode::IntegerCode(ModuleOp module) {
  ConstantEvaluator constants;
  auto isConstant = [&](Operation *op) {
    return op->getNumResults() != 0 && constants.isConstant(op->getResult(0));
  };
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<OperatorOp, BackendConfigOp, QConfigMappingOp, QuantizeOp,
            DequantizeOp>(op) ||
        (op != module && op->hasTrait<OpTrait::SymbolTable>()))
      return WalkResult::skip();
    if (auto *dialect = op->getDialect();
        dialect && dialect->getRegisteredInterface<EngineDialectInterface>()) {
      kernels.push_back(op);
      return WalkResult::skip();
    }
    bool isStructured = isa<linalg::LinalgOp>(op);
    if (int64_t count = countIntegerMultiplyAccumulates(op)) {
      kernels.push_back(op);
      macs = addCounts(macs, count);
    } else if (isStructured) {
      bool isFound =
          llvm::any_of(*cast<linalg::LinalgOp>(op).getBlock(),
                       [](Operation &inner) { return quantizes(&inner); });
      if (isFound && !isConstant(op))
        conversions.push_back(op);
    } else if (quantizes(op) && !isConstant(op)) {
      conversions.push_back(op);
    }
    return isStructured ? WalkResult::skip() : WalkResult::advance();
  });
}

void IntegerCode::remark() const {
  for (Operation *op : conversions)
    remarkMissed(op, "QB144", "quantization of the module",
                 "makes integers of real numbers in a way that is not "
                 "recognised, so that nothing is quantized but what the module "
                 "quantizes",
                 "see docs/Pipeline.md for what is recognised, or export the "
                 "module without quantization");
  if (kernels.empty())
    return;
  remarkMissed(kernels.front(), "QB145", "quantization of the module",
               llvm::formatv("is integer code already: {0} such op{1}, the "
                             "first is this one, with {2} "
                             "multiply-accumulates in all",
                             kernels.size(), kernels.size() == 1 ? "" : "s",
                             macs)
                   .str(),
               "nothing, if it is meant to stay; else give the network from "
               "before it was lowered");
}
