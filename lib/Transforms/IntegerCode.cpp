// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds integers that a module came with, and that no operator has.

#include "IntegerCode.h"

#include "qbackend/Operators/ConstantEvaluator.h"
#include "qbackend/Operators/ScalarOp.h"
#include "qbackend/Transforms/Engine.h"
#include "qbackend/Transforms/OperationCount.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/Quant.h"

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
