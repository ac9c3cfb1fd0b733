// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that quantizes and dequantizes, in any spelling, becomes
// qbackend.quantize and dequantize.

#include "QuantizationForms.h"

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Numerics/Quantize.h"
#include "qbackend/Transforms/Passes.h"
#include "qbackend/Transforms/QuantizeWeights.h"
#include "qbackend/Transforms/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace qbackend {
#define GEN_PASS_DEF_IMPORTQUANTIZATIONPASS
#include "qbackend/Transforms/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

/// An activation whose integers are fewer than those of `reduce_range` would
/// lose its limits: kernels have the whole range of their type.
static constexpr double kMinLevels = 127;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The type of the integers of `form`, of 8 bits and with the whole range.
static OrRefusal<quant::QuantizedType> getElement(const QuantizationForm &form,
                                                  MLIRContext *context) {
  bool isSigned = form.isSigned.value_or(form.min < 0);
  int64_t low = isSigned ? -128 : 0, high = low + 255;
  if (!form.isDequantize && (form.min < low || form.max > high))
    return Refusal(
        llvm::formatv("its integers are those in [{0}, {1}], expected "
                      "[{2}, {3}] or less",
                      form.min, form.max, low, high)
            .str());
  for (double scale : form.scales.values)
    if (!std::isfinite(scale) || !(scale > 0))
      return Refusal(
          llvm::formatv("its scale is {0}, expected a positive number", scale)
              .str());
  SmallVector<int64_t> zeroPoints;
  for (double zeroPoint : form.zeroPoints.values) {
    if (zeroPoint != std::trunc(zeroPoint) || zeroPoint < low ||
        zeroPoint > high)
      return Refusal(
          llvm::formatv("its zero point is {0}, expected an integer in "
                        "[{1}, {2}]",
                        zeroPoint, low, high)
              .str());
    zeroPoints.push_back(static_cast<int64_t>(zeroPoint));
  }
  SmallVector<double> scales(form.scales.values);
  Type dtype = IntegerType::get(
      context, 8, isSigned ? IntegerType::Signed : IntegerType::Unsigned);
  auto perTensor = getQuantizedElement(dtype, scales[0], zeroPoints[0]);
  std::optional<int64_t> axis =
      form.scales.axis ? form.scales.axis : form.zeroPoints.axis;
  if (!axis)
    return perTensor;
  size_t channels = std::max(scales.size(), zeroPoints.size());
  scales.resize(channels, scales[0]);
  zeroPoints.resize(channels, zeroPoints[0]);
  return quant::UniformQuantizedPerAxisType::get(
      perTensor.getFlags(), perTensor.getStorageType(),
      perTensor.getExpressedType(), scales, zeroPoints, *axis, low, high);
}

static std::string getText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The same with the whole range of its storage, if it is of 8 bits and per
/// tensor or per channel.
static OrRefusal<quant::QuantizedType> getElement(quant::QuantizedType type) {
  if (type.getStorageTypeIntegralWidth() != 8 ||
      !type.getExpressedType().isF32())
    return Refusal("its type is " + getText(type) +
                   ", expected 8 bits for f32");
  int64_t low = type.isSigned() ? -128 : 0;
  if (auto perTensor = dyn_cast<quant::UniformQuantizedType>(type))
    return quant::UniformQuantizedType::get(
        type.getFlags(), type.getStorageType(), type.getExpressedType(),
        perTensor.getScale(), perTensor.getZeroPoint(), low, low + 255);
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(type))
    return quant::UniformQuantizedPerAxisType::get(
        type.getFlags(), type.getStorageType(), type.getExpressedType(),
        perAxis.getScales(), perAxis.getZeroPoints(),
        perAxis.getQuantizedDimension(), low, low + 255);
  return Refusal("its type is " + getText(type) +
                 ", expected one scale, or one per channel");
}

/// The integers of real `elements` by `element`, limited to [min, max].
static DenseElementsAttr quantizeElements(DenseElementsAttr elements,
                                          quant::QuantizedType element,
                                          int64_t min, int64_t max) {
  ArrayRef<int64_t> shape = elements.getType().getShape();
  SmallVector<double> scales;
  SmallVector<int64_t> zeroPoints;
  int64_t inner = 1;
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(element)) {
    llvm::append_range(scales, perAxis.getScales());
    llvm::append_range(zeroPoints, perAxis.getZeroPoints());
    for (int64_t size : shape.drop_front(perAxis.getQuantizedDimension() + 1))
      inner *= size;
  } else {
    auto perTensor = cast<quant::UniformQuantizedType>(element);
    scales.push_back(perTensor.getScale());
    zeroPoints.push_back(perTensor.getZeroPoint());
  }
  std::vector<int8_t> integers;
  integers.reserve(elements.size());
  for (auto [i, value] : llvm::enumerate(elements.getValues<float>())) {
    size_t channel = i / inner % scales.size();
    integers.push_back(static_cast<int8_t>(numerics::quantize(
        value, scales[channel], zeroPoints[channel], min, max)));
  }
  auto type =
      RankedTensorType::get(shape, IntegerType::get(element.getContext(), 8));
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef(reinterpret_cast<const char *>(integers.data()),
                     integers.size()));
}

//===----------------------------------------------------------------------===//
// Import
//===----------------------------------------------------------------------===//

namespace {
class Importer : public RewriterBase::Listener {
public:
  Importer(MLIRContext *context, bool castsOnly)
      : rewriter(context, this), castsOnly(castsOnly) {}

  void notifyOperationErased(Operation *op) override {
    constants.notifyOperationErased(op);
    if (auto dequantize = dyn_cast<DequantizeOp>(op))
      if (auto key = keys.find(dequantize.getOutput()); key != keys.end()) {
        pairs.erase(key->second);
        keys.erase(key);
      }
  }

  /// Replaces `op` if it is the end of a form.
  void visit(Operation *op) {
    auto cast = dyn_cast<quant::DequantizeCastOp>(op);
    if (!cast && castsOnly)
      return;
    OrRefusal<Value> replacement = cast ? importCast(cast) : importCode(op);
    if (replacement) {
      rewriter.replaceAllUsesWith(op->getResult(0), *replacement);
      eraseDead(op);
    } else if (!replacement.getRefusal().reason.empty()) {
      remarkMissed(op, "QB140", "quantization of the module",
                   "is kept as code: " + replacement.getRefusal().reason,
                   "see docs/Pipeline.md for what is recognised");
    }
  }

private:
  OrRefusal<Value> importCode(Operation *op) {
    auto type = op->getNumResults() == 1
                    ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                    : RankedTensorType();
    if (!type || !type.getElementType().isF32())
      return Refusal();
    QuantizationReader reader(constants);
    OrRefusal<QuantizationForm> form = reader.read(op->getResult(0));
    if (!form)
      return form.getRefusal();
    if (form->isDequantize) {
      DenseElementsAttr integers = constants.evaluate(form->source);
      // A bias is a real number again: kernels quantize it by its own rule.
      if (!integers || integers.getElementType().getIntOrFloatBitWidth() != 8)
        return Refusal();
      auto element = getElement(*form, op->getContext());
      return element ? createConstant(op, integers, *element)
                     : element.getRefusal();
    }
    bool isConstant = constants.isConstant(form->source);
    // So is one that is quantized to 32 bits.
    if (isConstant && form->max - form->min >= 0x1p31)
      return form->source;
    auto element = getElement(*form, op->getContext());
    if (!element)
      return element.getRefusal();
    if (isConstant) {
      DenseElementsAttr elements = constants.evaluate(form->source);
      if (!elements || !elements.getElementType().isF32())
        return Refusal();
      return createConstant(
          op, quantizeElements(elements, *element, form->min, form->max),
          *element);
    }
    if (form->max - form->min < kMinLevels)
      return Refusal(
          llvm::formatv("its integers are those in [{0}, {1}], and a "
                        "kernel doesn't stop there",
                        form->min, form->max)
              .str());
    return createPair(op, form->source, *element);
  }

  OrRefusal<Value> importCast(quant::DequantizeCastOp op) {
    // Storage casts there and back are none.
    Value quantized = op.getInput();
    while (auto cast = quantized.getDefiningOp<quant::StorageCastOp>()) {
      auto before = cast.getInput().getDefiningOp<quant::StorageCastOp>();
      if (!before || before.getInput().getType() != quantized.getType())
        break;
      quantized = before.getInput();
    }
    auto type = dyn_cast<RankedTensorType>(quantized.getType());
    if (!type)
      return Refusal("it is not of a ranked tensor");
    auto quantizedType = cast<quant::QuantizedType>(type.getElementType());
    if (auto cast = quantized.getDefiningOp<quant::QuantizeCastOp>()) {
      // Wider ones are biases, which stay real numbers.
      bool isConstant = constants.isConstant(cast.getInput());
      if (isConstant && quantizedType.getStorageTypeIntegralWidth() == 32)
        return cast.getInput();
      auto element = getElement(quantizedType);
      if (!element)
        return element.getRefusal();
      DenseElementsAttr elements = isConstant
                                       ? constants.evaluate(cast.getInput())
                                       : DenseElementsAttr();
      if (elements && elements.getElementType().isF32())
        return createConstant(
            op,
            quantizeElements(elements, *element,
                             quantizedType.getStorageTypeMin(),
                             quantizedType.getStorageTypeMax()),
            *element);
      return createPair(op, cast.getInput(), *element);
    }
    auto cast = quantized.getDefiningOp<quant::StorageCastOp>();
    DenseElementsAttr integers =
        cast ? constants.evaluate(cast.getInput()) : DenseElementsAttr();
    if (!integers)
      return Refusal("its integers are neither constants nor from a quantize");
    OpBuilder builder(op);
    // Of any width: the evaluator knows the numbers of a dequantize.
    if (integers.getElementType().getIntOrFloatBitWidth() != 8)
      return DequantizeOp::create(builder, op.getLoc(), op.getType(), quantized)
          .getOutput();
    auto element = getElement(quantizedType);
    return element ? createConstant(op, integers, *element)
                   : element.getRefusal();
  }

  /// The numbers that constant `integers` stand for.
  static OrRefusal<Value> createConstant(Operation *op,
                                         DenseElementsAttr integers,
                                         quant::QuantizedType element) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value constant = arith::ConstantOp::create(builder, loc, integers);
    Value quantized = quant::StorageCastOp::create(
        builder, loc, integers.getType().clone(element), constant);
    Value real = DequantizeOp::create(
        builder, loc, integers.getType().clone(builder.getF32Type()),
        quantized);
    if (real.getType() != type)
      return Refusal();
    return real;
  }

  /// What is quantized like `source` before, is quantized once.
  OrRefusal<Value> createPair(Operation *op, Value source,
                               quant::QuantizedType element) {
    if (!isa<quant::UniformQuantizedType>(element))
      return Refusal(
          "it is of an activation, and has a scale for each channel");
    Key key = {source, element};
    Value known = pairs.lookup(key);
    if (known && known.getDefiningOp()->getBlock() == op->getBlock() &&
        known.getType() == op->getResult(0).getType())
      return known;
    OpBuilder builder(op);
    auto type = cast<RankedTensorType>(source.getType());
    if (type != op->getResult(0).getType())
      return Refusal();
    Value quantized =
        QuantizeOp::create(builder, op->getLoc(), type.clone(element), source);
    known = DequantizeOp::create(builder, op->getLoc(), type, quantized);
    pairs[key] = known;
    keys[known] = key;
    return known;
  }

  /// Erases `op`, and what it was computed from, as far as nothing else is.
  void eraseDead(Operation *op) {
    SmallVector<Operation *> worklist = {op};
    while (!worklist.empty()) {
      Operation *dead = worklist.pop_back_val();
      if (!isOpTriviallyDead(dead))
        continue;
      SmallVector<Operation *> producers;
      llvm::SetVector<Value> read(dead->operand_begin(), dead->operand_end());
      getUsedValuesDefinedAbove(dead->getRegions(), read);
      for (Value operand : read)
        if (Operation *producer = operand.getDefiningOp();
            producer && !llvm::is_contained(producers, producer))
          producers.push_back(producer);
      rewriter.eraseOp(dead);
      for (Operation *producer : producers)
        if (!llvm::is_contained(worklist, producer))
          worklist.push_back(producer);
    }
  }

  /// What is quantized, and how.
  using Key = std::pair<Value, Type>;

  IRRewriter rewriter;
  bool castsOnly;
  ConstantEvaluator constants;
  /// What the dequantize of each pair gives, and of which pair that is.
  llvm::DenseMap<Key, Value> pairs;
  llvm::DenseMap<Value, Key> keys;
};

struct ImportQuantizationPass
    : qbackend::impl::ImportQuantizationPassBase<ImportQuantizationPass> {
  using ImportQuantizationPassBase::ImportQuantizationPassBase;

  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      // The scalar code of structured ops, and what has symbols of its own.
      bool isForeign =
          op != getOperation() && op->getNumRegions() != 0 &&
          (!op->isRegistered() || op->hasTrait<OpTrait::SymbolTable>());
      if (isForeign || isa<OperatorOp>(op) ||
          op->getName().getDialectNamespace() == "linalg")
        return WalkResult::skip();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          blocks.push_back(&block);
      return WalkResult::advance();
    });
    Importer importer(&getContext(), castsOnly);
    for (Block *block : blocks)
      for (Operation &op : llvm::make_early_inc_range(*block))
        importer.visit(&op);
  }
};
} // namespace
