// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is a parameter: front ends pass weights as constants, globals, or
// arguments beside the data.

#include "Reading/Layout.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// No parameter goes through more layout ops than this.
static constexpr unsigned kMaxLayoutOps = 16;
/// What so many ops read as a parameter is one, whatever others do.
static constexpr unsigned kMaxUses = 256;

/// What `op` is a part of; null for other ops.
static Value getSliced(Operation *op) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return slice.getSource();
  if (auto slice = dyn_cast<tosa::SliceOp>(op))
    return slice.getInput1();
  return {};
}

/// Whether `op` gets its result from a variable, a buffer or a file: it reads
/// no tensor, and is nothing that makes one of numbers.
static bool isStored(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() ||
      isa<tensor::EmptyOp, tensor::GenerateOp, tensor::FromElementsOp,
          tensor::SplatOp, CallOpInterface>(op) ||
      op->getNumRegions() != 0 ||
      isa_and_nonnull<linalg::LinalgDialect>(op->getDialect()))
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  bool readsTensor = llvm::any_of(op->getOperandTypes(), [](Type operand) {
    auto tensor = dyn_cast<RankedTensorType>(operand);
    return tensor && isa<FloatType>(tensor.getElementType());
  });
  return type && type.hasStaticShape() && !readsTensor &&
         (!op->isRegistered() ||
          op->getDialect()->getNamespace() == "bufferization");
}

namespace {
enum class Reading { Data, Parameter, Layout };
} // namespace

/// How an op reads an operand. What can be either, such as a value that is
/// returned or looked up in as a table, is no sign of data. Nor is what happens
/// to the elements of a vector: scales and offsets are vectors.
static Reading getReading(OpOperand &use, bool isVector) {
  Operation *op = use.getOwner();
  if (auto raised = dyn_cast<OperatorOp>(op)) {
    auto kind = dyn_cast<OperatorKindAttrInterface>(raised.getKinds()[0]);
    if (kind && kind.isShapeOnly())
      return Reading::Layout;
    return llvm::is_contained(raised.getInputs(), use.get())
               ? Reading::Data
               : Reading::Parameter;
  }
  Value source;
  if (isa<TransposeOp, tensor::CastOp, tosa::ReverseOp>(op) ||
      (getReshaped(op) && use.getOperandNumber() == 0))
    return Reading::Layout;
  // A broadcast doesn't tell.
  if (auto map = getCopyMap(op, source); map && source == use.get())
    return map->isPermutation() ? Reading::Layout : Reading::Parameter;
  if (isa<tensor::DimOp, tensor::ExtractOp, tensor::GatherOp, tosa::GatherOp,
          CallOpInterface>(op) ||
      op->hasTrait<OpTrait::ReturnLike>() || getSliced(op))
    return Reading::Parameter;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    bool reduces = linalgOp.getNumLoops() != linalgOp.getNumParallelLoops();
    if (linalgOp.isDpsInit(&use))
      return Reading::Parameter;
    if (reduces && linalgOp.getNumDpsInputs() > 1)
      return use.getOperandNumber() == 0 ? Reading::Data : Reading::Parameter;
    if (reduces)
      return Reading::Data;
    return !isVector && linalgOp.getMatchingIndexingMap(&use).isIdentity()
               ? Reading::Data
               : Reading::Parameter;
  }
  if (isa<tosa::MatMulOp, tosa::Conv2DOp, tosa::Conv3DOp,
          tosa::DepthwiseConv2DOp, tosa::TransposeConv2DOp>(op))
    return use.getOperandNumber() == 0 ? Reading::Data : Reading::Parameter;
  if (OpTrait::hasElementwiseMappableTraits(op) ||
      isa<tosa::AddOp, tosa::SubOp, tosa::MulOp, tosa::RsqrtOp>(op)) {
    auto type = getFloatType(use.get());
    auto resultType = getFloatType(op->getResult(0));
    bool isBroadcast =
        type && resultType && type.getShape() != resultType.getShape();
    return isVector || isBroadcast ? Reading::Parameter : Reading::Data;
  }
  return Reading::Data;
}

/// Whether `value`, which leads to `reader`, is data of another op.
static bool isReadAsData(Value value, Operation *reader, bool isVector,
                         unsigned &budget) {
  SmallVector<Value> values = {value};
  while (!values.empty()) {
    value = values.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      if (use.getOwner() == reader)
        continue;
      if (budget == 0)
        return false;
      --budget;
      switch (getReading(use, isVector)) {
      case Reading::Data:
        return true;
      case Reading::Parameter:
        break;
      case Reading::Layout:
        llvm::append_range(values, use.getOwner()->getResults());
        break;
      }
    }
  }
  return false;
}

Origin forms::getOrigin(Value value, ConstantEvaluator &constants,
                        Operation *reader) {
  Origin origin;
  if (constants.isConstant(value)) {
    origin.kind = Origin::Parameter;
    return origin;
  }
  // Values on the way, each with the op that reads it.
  SmallVector<std::pair<Value, Operation *>> chain;
  for (unsigned depth = 0; depth < kMaxLayoutOps; ++depth) {
    // Of an argument that holds many parameters, each part is on its own.
    if (!origin.sliced)
      chain.emplace_back(value, reader);
    Operation *op = value.getDefiningOp();
    if (!op)
      break;
    reader = op;
    Value source;
    if (auto map = getCopyMap(op, source)) {
      SmallVector<unsigned> positions;
      for (AffineExpr expr : map->getResults())
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          positions.push_back(dim.getPosition());
      origin.transposed |= !llvm::is_sorted(positions);
      value = source;
    } else if (auto cast = dyn_cast<tensor::CastOp>(op)) {
      value = cast.getSource();
    } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
      origin.transposed |= !llvm::is_sorted(transpose.getPermutation());
      value = transpose.getInput();
    } else if (Value before = getReshaped(op)) {
      value = before;
    } else if (Value whole = getSliced(op)) {
      origin.sliced = true;
      value = whole;
    } else {
      if (op->getName().getStringRef().starts_with("ml_program.global_load") ||
          isStored(op))
        origin.kind = Origin::Parameter;
      return origin;
    }
  }
  auto argument = dyn_cast<BlockArgument>(value);
  auto type = getFloatType(value);
  if (!argument || !type || !type.hasStaticShape() ||
      !argument.getOwner()->isEntryBlock() ||
      !isa_and_nonnull<FunctionOpInterface>(argument.getOwner()->getParentOp()))
    return origin;
  auto partType = getFloatType(chain.back().first);
  bool isVector = partType && partType.getRank() < 2;
  unsigned budget = kMaxUses;
  for (auto [link, linkReader] : chain)
    if (isReadAsData(link, linkReader, isVector, budget))
      return origin;
  origin.kind = Origin::Argument;
  origin.argument = argument;
  return origin;
}

bool forms::isParameter(Value value, ConstantEvaluator &constants) {
  return getOrigin(value, constants).kind != Origin::Activation;
}
