// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a linalg op on buffers to loops and strides.

#include "LoopNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qbackend::codegen;

/// Returns whether `op` of a body gives, on vectors, what it gives on each of
/// their elements.
static bool worksOnVectors(Operation *op) {
  // Lanes behind the end may hold a divisor of 0, which traps.
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
          math::FPowIOp, math::IPowIOp>(op))
    return false;
  if (isa<linalg::IndexOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
    return true;
  return op->getNumRegions() == 0 && op->getNumResults() == 1 &&
         OpTrait::hasElementwiseMappableTraits(op) &&
         op->getResult(0).getType().isIntOrIndexOrFloat();
}

/// Returns what `buffer` holds if nothing ever writes it.
static ElementsAttr getConstant(Value buffer, const SymbolTable &symbols) {
  while (Operation *op = buffer.getDefiningOp()) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (!type || !type.getLayout().isIdentity())
      return {};
    if (isa<memref::CollapseShapeOp, memref::ExpandShapeOp, memref::CastOp>(
            op)) {
      buffer = op->getOperand(0);
      continue;
    }
    auto get = dyn_cast<memref::GetGlobalOp>(op);
    if (!get)
      return {};
    auto global = symbols.lookup<memref::GlobalOp>(get.getName());
    if (!global || !global.getConstant() || !global.getInitialValue())
      return {};
    return dyn_cast<ElementsAttr>(*global.getInitialValue());
  }
  return {};
}

/// Adds `a * b` to `sum`. False if that is no number of 64 bits.
static bool addProduct(int64_t a, int64_t b, int64_t &sum) {
  int64_t product;
  return !llvm::MulOverflow(a, b, product) &&
         !llvm::AddOverflow(sum, product, sum);
}

/// Adds `factor` times each of the dimensions that `expr` is a sum of. False if
/// it is no such sum.
static bool addLinear(AffineExpr expr, int64_t factor,
                      MutableArrayRef<int64_t> factors, int64_t &constant) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    return addProduct(factor, 1, factors[dim.getPosition()]);
  }
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    return addProduct(factor, number.getValue(), constant);
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), factor, factors, constant) &&
           addLinear(binary.getRHS(), factor, factors, constant);
  if (binary.getKind() != AffineExprKind::Mul)
    return false;
  auto number = dyn_cast<AffineConstantExpr>(binary.getRHS());
  int64_t inner = 0;
  return number && addProduct(factor, number.getValue(), inner) &&
         addLinear(binary.getLHS(), inner, factors, constant);
}

/// Sets the strides of a buffer that is indexed with `map`.
static bool setStrides(OpBuilder &builder, Location loc, AffineMap map,
                       NestOperand &operand) {
  auto type = dyn_cast<MemRefType>(operand.buffer.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type || map.getNumSymbols() != 0 ||
      failed(type.getStridesAndOffset(strides, offset)))
    return false;
  operand.elementType = type.getElementType();
  operand.strides.assign(map.getNumDims(), Stride());
  Operation *metadata = nullptr;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    SmallVector<int64_t> factors(map.getNumDims(), 0);
    int64_t constant = 0;
    if (!addLinear(expr, 1, factors, constant))
      return false;
    if (!ShapedType::isDynamic(strides[i])) {
      if (!addProduct(constant, strides[i], operand.offset))
        return false;
      for (auto [stride, factor] : llvm::zip(operand.strides, factors))
        if (factor != 0 && strides[i] != 0)
          if (!stride.constant ||
              !addProduct(factor, strides[i], *stride.constant))
            return false;
      continue;
    }
    if (constant != 0)
      return false;
    for (auto [stride, factor] : llvm::zip(operand.strides, factors)) {
      if (factor == 0)
        continue;
      if (!stride.is(0))
        return false;
      if (!metadata)
        metadata = memref::ExtractStridedMetadataOp::create(builder, loc,
                                                            operand.buffer);
      stride.constant.reset();
      stride.value =
          cast<memref::ExtractStridedMetadataOp>(metadata).getStrides()[i];
      if (factor != 1)
        stride.value = arith::MulIOp::create(
            builder, loc, stride.value,
            arith::ConstantIndexOp::create(builder, loc, factor));
    }
  }
  return true;
}

SmallVector<NestOperand *> LoopNest::getOperands() {
  SmallVector<NestOperand *> operands;
  auto append = [&](SmallVector<NestOperand> &some) {
    for (NestOperand &operand : some)
      operands.push_back(&operand);
  };
  append(inputs);
  append(outputs);
  if (start)
    append(start->inputs);
  if (finish)
    append(finish->inputs);
  return operands;
}

SmallVector<const NestOperand *> LoopNest::getOperands() const {
  SmallVector<NestOperand *> operands =
      const_cast<LoopNest *>(this)->getOperands();
  return {operands.begin(), operands.end()};
}

/// Drops loop `i` from the nest.
static void eraseLoop(LoopNest &nest, unsigned i) {
  nest.loops.erase(nest.loops.begin() + i);
  for (NestOperand *operand : nest.getOperands())
    if (!operand->scalar)
      operand->strides.erase(operand->strides.begin() + i);
}

/// Returns whether loops `i` and `i + 1` walk every operand like one loop.
static bool canMerge(const LoopNest &nest, unsigned i) {
  const Loop &outer = nest.loops[i], &inner = nest.loops[i + 1];
  if (nest.usesIndex || outer.isReduction != inner.isReduction ||
      ShapedType::isDynamic(outer.extent) ||
      ShapedType::isDynamic(inner.extent))
    return false;
  for (const NestOperand *operand : nest.getOperands()) {
    if (operand->scalar)
      continue;
    const Stride &a = operand->strides[i], &b = operand->strides[i + 1];
    if (!a.constant || !b.constant || *a.constant != *b.constant * inner.extent)
      return false;
  }
  return true;
}

/// Returns what the body of `operand`'s op reads, or writes, at the indices
/// that `map` gives to a loop nest.
static std::optional<NestOperand> readOperand(OpBuilder &builder,
                                              linalg::LinalgOp op,
                                              OpOperand &operand, AffineMap map,
                                              const SymbolTable &symbols) {
  NestOperand result;
  result.argument = op.getMatchingBlockArgument(&operand);
  result.isRead = !result.argument.use_empty();
  if (!isa<ShapedType>(operand.get().getType())) {
    result.scalar = operand.get();
    return result;
  }
  result.buffer = operand.get();
  if (!setStrides(builder, op.getLoc(), map, result))
    return std::nullopt;
  // One bit each in a vector, but one byte in a buffer; six bytes, but eight.
  if (!result.elementType.isIntOrIndexOrFloat())
    return std::nullopt;
  if (result.elementType.isInteger()) {
    unsigned bits = result.elementType.getIntOrFloatBitWidth();
    if (bits < 8 || !llvm::isPowerOf2_32(bits))
      return std::nullopt;
  }
  if (!op.isDpsInit(&operand))
    result.constant = getConstant(operand.get(), symbols);
  return result;
}

/// Returns `op`, one of the stages around `sum`, whose operand `sums` is what
/// `sum` adds to; nothing if it has no vector form. Its output goes to
/// `output`.
static std::optional<Stage> readStage(OpBuilder &builder, linalg::LinalgOp op,
                                      OpOperand &sums, linalg::LinalgOp sum,
                                      NestOperand *output,
                                      const SymbolTable &symbols) {
  Stage stage;
  stage.body = op.getBlock();
  for (Operation &inner : stage.body->without_terminator())
    if (!worksOnVectors(&inner) || isa<linalg::IndexOp>(inner))
      return std::nullopt;
  // From the loops of the sum to an element of its output, and from there to
  // the loops of the stage.
  AffineMap toLoops =
      inversePermutation(op.getMatchingIndexingMap(&sums))
          .compose(sum.getMatchingIndexingMap(sum.getDpsInitOperand(0)));
  for (OpOperand &operand : op->getOpOperands()) {
    if (&operand == &sums && !op.isDpsInit(&operand)) {
      stage.sum = op.getMatchingBlockArgument(&operand);
      continue;
    }
    std::optional<NestOperand> read = readOperand(
        builder, op, operand,
        op.getMatchingIndexingMap(&operand).compose(toLoops), symbols);
    if (!read)
      return std::nullopt;
    if (!op.isDpsInit(&operand))
      stage.inputs.push_back(std::move(*read));
    else if (output)
      std::tie(output->buffer, output->strides, output->offset) =
          std::tie(read->buffer, read->strides, read->offset);
  }
  return stage;
}

/// Whether nothing that `op` writes can be a part of `buffer`: it is a
/// constant, or one allocation, and what is written is another or comes from
/// the caller.
static bool isOnlyRead(Value buffer, linalg::LinalgOp op,
                       const SymbolTable &symbols) {
  if (getConstant(buffer, symbols))
    return true;
  return buffer.getDefiningOp<memref::AllocOp>() &&
         llvm::all_of(op.getDpsInits(), [&](Value output) {
           while (auto view = output.getDefiningOp<ViewLikeOpInterface>())
             output = view.getViewSource();
           auto argument = dyn_cast<BlockArgument>(output);
           bool isOfCaller =
               argument &&
               isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
           return output != buffer &&
                  (isOfCaller || output.getDefiningOp<memref::AllocOp>());
         });
}

void LoopNest::readTableLoads(linalg::LinalgOp op, const SymbolTable &symbols) {
  for (auto load : body->getOps<memref::LoadOp>()) {
    std::optional<TableLoad> read = readTableLoad(load);
    if (!read || !isOnlyRead(load.getMemRef(), op, symbols))
      continue;
    tableIndices.insert_range(read->indices);
    tableLoads.try_emplace(load, std::move(*read));
  }
}

std::optional<LoopNest> LoopNest::analyze(OpBuilder &builder,
                                          linalg::LinalgOp op, SumStages stages,
                                          ByteLookup lookup,
                                          const SymbolTable &symbols) {
  if (!op.hasPureBufferSemantics() || op.getNumLoops() == 0)
    return std::nullopt;
  LoopNest nest;
  nest.body = op.getBlock();
  nest.lookup = lookup;
  if (lookup != ByteLookup::None)
    nest.readTableLoads(op, symbols);
  for (Operation &inner : nest.body->without_terminator()) {
    if (!nest.tableLoads.contains(&inner) && !worksOnVectors(&inner))
      return std::nullopt;
    nest.usesIndex |= isa<linalg::IndexOp>(inner);
  }
  Location loc = op.getLoc();
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<NestOperand> read = readOperand(
        builder, op, operand, op.getMatchingIndexingMap(&operand), symbols);
    if (!read)
      return std::nullopt;
    if (op.isDpsInit(&operand))
      nest.outputs.push_back(std::move(*read));
    else if (read->isRead)
      nest.inputs.push_back(std::move(*read));
  }
  if (stages.start) {
    nest.start =
        readStage(builder, stages.start, *stages.start.getDpsInitOperand(0), op,
                  /*output=*/nullptr, symbols);
    if (!nest.start)
      return std::nullopt;
  }
  if (stages.finish) {
    nest.finish = readStage(builder, stages.finish, *stages.finished, op,
                            &nest.outputs[0], symbols);
    if (!nest.finish)
      return std::nullopt;
  }

  SmallVector<Range> ranges = op.createLoopRanges(builder, loc);
  for (auto [i, range, kind] :
       llvm::enumerate(ranges, op.getIteratorTypesArray())) {
    std::optional<int64_t> extent = getConstantIntValue(range.size);
    // Of code that stops at an assertion before.
    if (extent && *extent < 0)
      return std::nullopt;
    nest.loops.push_back({extent.value_or(ShapedType::kDynamic),
                          extent ? Value() : cast<Value>(range.size),
                          kind == utils::IteratorType::reduction, unsigned(i)});
  }
  // What is computed from strides and extents has to be computable.
  constexpr int64_t farthest = int64_t(1) << 48;
  for (const NestOperand *operand : nest.getOperands()) {
    if (operand->scalar)
      continue;
    int64_t reach = operand->offset;
    for (auto [stride, loop] : llvm::zip(operand->strides, nest.loops))
      if (stride.constant &&
          (!addProduct(*stride.constant,
                       ShapedType::isDynamic(loop.extent) ? 1 : loop.extent,
                       reach) ||
           *stride.constant > farthest || *stride.constant < -farthest ||
           reach > farthest || reach < -farthest))
        return std::nullopt;
  }
  // One element would be several sums.
  for (auto [i, loop] : llvm::enumerate(nest.loops))
    if (loop.isReduction &&
        llvm::any_of(nest.outputs,
                     [&, i = i](auto &output) { return output.varies(i); }))
      return std::nullopt;
  int64_t iterations = 1;
  for (unsigned i = nest.loops.size(); i-- > 0;) {
    if (nest.loops[i].extent == 0)
      return std::nullopt;
    // What is computed from extents has to be computable.
    if (!ShapedType::isDynamic(nest.loops[i].extent) &&
        llvm::MulOverflow(iterations, nest.loops[i].extent, iterations))
      return std::nullopt;
    if (nest.loops[i].extent == 1)
      eraseLoop(nest, i);
  }
  for (unsigned i = nest.loops.size(); i-- > 1;)
    if (canMerge(nest, i - 1)) {
      nest.loops[i].extent *= nest.loops[i - 1].extent;
      eraseLoop(nest, i - 1);
    }
  return nest;
}
