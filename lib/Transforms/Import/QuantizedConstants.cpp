// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows quantized constants through ops that only move values: the
// code is evaluated with the positions of the elements in their place, and the
// result says where each one came from.

#include "QuantizedConstants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace qbackend;

/// A constant goes through no more ops than this.
static constexpr size_t kMaxOps = 64;
/// Positions are two f32 numbers, each of so many bits: an f32 has 24.
static constexpr unsigned kPositionBits = 20;

/// The ops from the dequantize to `value`, each after those it uses.
static llvm::SetVector<Operation *> getPath(Value value) {
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty() && ops.size() < kMaxOps) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || !ops.insert(op) || isa<DequantizeOp>(op))
      continue;
    llvm::append_range(worklist, op->getOperands());
  }
  return ops;
}

DequantizeOp qbackend::findQuantized(Value value) {
  DequantizeOp found;
  if (!value)
    return found;
  for (Operation *op : getPath(value)) {
    auto dequantize = dyn_cast<DequantizeOp>(op);
    if (!dequantize)
      continue;
    if (found || !dequantize.getInput().getDefiningOp<quant::StorageCastOp>())
      return {};
    found = dequantize;
  }
  return found;
}

/// What the code from `source` to `value` makes of `numbers` in its place.
static DenseElementsAttr
evaluateWith(OpBuilder &builder, DequantizeOp source, Value value,
             ArrayRef<float> numbers,
             function_ref<DenseElementsAttr(DenseElementsAttr)> arrange) {
  auto elements = DenseElementsAttr::get(source.getOutput().getType(), numbers);
  if (value == source.getOutput())
    return arrange(elements);
  // Copies of the ops, which are gone afterwards.
  llvm::SetVector<Operation *> path = getPath(value);
  SmallVector<Operation *> ordered(path.begin(), path.end());
  if (!llvm::all_of(ordered, [&](Operation *op) {
        return op->getBlock() == source->getBlock();
      }))
    return {};
  llvm::sort(ordered, [](Operation *lhs, Operation *rhs) {
    return lhs->isBeforeInBlock(rhs);
  });
  IRMapping mapping;
  SmallVector<Operation *> copies;
  for (Operation *op : ordered)
    if (op == source) {
      copies.push_back(
          arith::ConstantOp::create(builder, source.getLoc(), elements));
      mapping.map(source.getOutput(), copies.back()->getResult(0));
    } else {
      copies.push_back(builder.clone(*op, mapping));
    }
  DenseElementsAttr result =
      ConstantEvaluator().evaluate(mapping.lookup(value));
  for (Operation *copy : llvm::reverse(copies))
    copy->erase();
  return result && result.getElementType().isF32() ? arrange(result)
                                                   : DenseElementsAttr();
}

OrRefusal<Value> qbackend::moveQuantized(
    OpBuilder &builder, Location loc, DequantizeOp source, Value value,
    function_ref<DenseElementsAttr(DenseElementsAttr)> arrange,
    ConstantEvaluator &constants, bool perChannel) {
  auto cast = source.getInput().getDefiningOp<quant::StorageCastOp>();
  DenseElementsAttr integers = constants.evaluate(cast.getInput());
  DenseElementsAttr before = constants.evaluate(source.getOutput()),
                    after = constants.evaluate(value);
  if (!integers || !before || !after ||
      !integers.getElementType().isSignlessInteger(8))
    return Refusal("they are not constants of 8 bits with data");
  after = arrange(after);

  // Where each element comes from, in two parts.
  size_t count = before.size();
  std::vector<float> low(count), high(count);
  for (size_t i = 0; i < count; ++i) {
    low[i] = i & ((size_t(1) << kPositionBits) - 1);
    high[i] = i >> kPositionBits;
  }
  DenseElementsAttr lows = evaluateWith(builder, source, value, low, arrange);
  DenseElementsAttr highs =
      count >> kPositionBits
          ? evaluateWith(builder, source, value, high, arrange)
          : lows;
  if (!lows || !highs || lows.size() != after.size())
    return Refusal("its code is not understood");
  SmallVector<size_t> positions;
  positions.reserve(after.size());
  auto isSame = [](float lhs, float rhs) { return lhs == rhs; };
  SmallVector<float> numbers(before.getValues<float>());
  for (auto [lowPart, highPart, number] :
       llvm::zip(lows.getValues<float>(), highs.getValues<float>(),
                 after.getValues<float>())) {
    size_t position = size_t(lowPart);
    if (count >> kPositionBits)
      position += size_t(highPart) << kPositionBits;
    if (!(lowPart >= 0) || position >= count ||
        !isSame(numbers[position], number))
      return Refusal("arithmetic follows on its numbers");
    positions.push_back(position);
  }

  auto element = ::cast<quant::QuantizedType>(
      source.getInput().getType().getElementType());
  Type moved = element;
  int64_t channels =
      after.getType().getRank() ? after.getType().getDimSize(0) : 1;
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(element)) {
    if (!perChannel)
      return Refusal("an activation has one scale");
    size_t inner = 1;
    for (int64_t size : integers.getType().getShape().drop_front(
             perAxis.getQuantizedDimension() + 1))
      inner *= size;
    size_t size = perAxis.getScales().size();
    size_t perRow = positions.size() / std::max<int64_t>(channels, 1);
    SmallVector<double> scales;
    SmallVector<int64_t> zeroPoints;
    for (auto [i, position] : llvm::enumerate(positions)) {
      size_t channel = position / inner % size;
      double scale = perAxis.getScales()[channel];
      int64_t zeroPoint = perAxis.getZeroPoints()[channel];
      if (i % perRow == 0) {
        scales.push_back(scale);
        zeroPoints.push_back(zeroPoint);
      } else if (scales.back() != scale || zeroPoints.back() != zeroPoint)
        return Refusal("their scales are not those of the output channels");
    }
    moved = quant::UniformQuantizedPerAxisType::get(
        perAxis.getFlags(), perAxis.getStorageType(),
        perAxis.getExpressedType(), scales, zeroPoints,
        /*quantizedDimension=*/0, perAxis.getStorageTypeMin(),
        perAxis.getStorageTypeMax());
  }
  std::vector<char> bytes;
  bytes.reserve(positions.size());
  ArrayRef<char> raw = integers.getRawData();
  for (size_t position : positions)
    bytes.push_back(raw[integers.isSplat() ? 0 : position]);
  auto type = RankedTensorType::get(after.getType().getShape(),
                                    integers.getElementType());
  Value constant = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::getFromRawBuffer(type, bytes));
  Value quantized =
      quant::StorageCastOp::create(builder, loc, type.clone(moved), constant);
  return DequantizeOp::create(builder, loc, type.clone(builder.getF32Type()),
                              quantized)
      .getOutput();
}
