// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass qbackend-tabulate-bytes: a slow function of a byte is computed for
// all 256 of them, and looked up.
//
//   y[i] = f(x[i])   is   t[b] = f(b),   y[i] = t[x[i]]
//
// The table is filled by the code that the elements had, so that it has the
// same bytes. It is what an activation is that its backend doesn't quantize,
// between operators that it does: silu, gelu.

#include "ElementwiseCost.h"

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_TABULATEBYTESPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;
using namespace qbackend::codegen;

static constexpr int64_t tableSize = 256;
/// Below, the table would be most of the work.
static constexpr int64_t fewestElements = 8 * tableSize;

/// Whether `op` is a slow function of one byte for each element, and nothing
/// else. Extents that are not known count as 1.
static bool isFunctionOfByte(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() != 0 ||
      op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.hasIndexSemantics() || !isSlow(op))
    return false;
  auto isBytes = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getElementType().isSignlessInteger(8);
  };
  if (!isBytes(op.getInputs()[0]) || !isBytes(op.getOutputs()[0]) ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return false;
  int64_t elements = 1;
  for (int64_t extent : op.getStaticLoopRanges())
    if (ShapedType::isStatic(extent) && elements < fewestElements)
      elements *= extent;
  return elements >= fewestElements &&
         llvm::all_of(op.getBlock()->without_terminator(),
                      [](Operation &inner) {
                        return isPure(&inner) && inner.getNumRegions() == 0;
                      });
}

/// t[b] = f(b) for each byte.
static Value createTable(ImplicitLocOpBuilder &b, linalg::GenericOp op) {
  SmallVector<int8_t> bytes(tableSize);
  for (auto [i, byte] : llvm::enumerate(bytes))
    byte = static_cast<int8_t>(i);
  auto type = RankedTensorType::get({tableSize}, b.getI8Type());
  Value all = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef<int8_t>(bytes)));
  Value empty = tensor::EmptyOp::create(b, type, ValueRange());
  AffineMap identity = b.getMultiDimIdentityMap(1);
  auto table = linalg::GenericOp::create(
      b, type, all, empty, ArrayRef<AffineMap>{identity, identity},
      utils::IteratorType::parallel);
  IRMapping mapping;
  op.getRegion().cloneInto(&table.getRegion(), mapping);
  return table.getResult(0);
}

namespace {
struct TabulateBytesPass
    : qbackend::codegen::impl::TabulateBytesPassBase<TabulateBytesPass> {
  void runOnOperation() final {
    SmallVector<linalg::GenericOp> functions;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (isFunctionOfByte(op))
        functions.push_back(op);
    });
    for (linalg::GenericOp op : functions) {
      ImplicitLocOpBuilder b(op.getLoc(), op);
      Value table = createTable(b, op);
      Block *body = op.getBlock();
      Operation *yield = body->getTerminator();
      SmallVector<Operation *> steps;
      for (Operation &step : body->without_terminator())
        steps.push_back(&step);
      b.setInsertionPoint(yield);
      Value index = arith::IndexCastUIOp::create(b, b.getIndexType(),
                                                 body->getArgument(0));
      yield->setOperand(0,
                        tensor::ExtractOp::create(b, table, index).getResult());
      for (Operation *step : llvm::reverse(steps))
        step->erase();
    }
  }
};
} // namespace
