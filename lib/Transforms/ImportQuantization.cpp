// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that quantizes and dequantizes, in any spelling, becomes
// qbackend.quantize and dequantize.

#include "Import/ElementSlices.h"
#include "Import/ImportedElements.h"
#include "Import/IntegerCode.h"
#include "Import/IntegerContractions.h"
#include "Import/QuantizationForms.h"

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Numerics/Quantize.h"
#include "qbackend/Support/Remarks.h"
#include "qbackend/Transforms/Analysis/OperationCount.h"
#include "qbackend/Transforms/Passes.h"
#include "qbackend/Transforms/QuantizeWeights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

namespace qbackend {
#define GEN_PASS_DEF_IMPORTQUANTIZATIONPASS
#include "qbackend/Transforms/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

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
    rest.remove(op);
    op->walk([&](Operation *inner) { refused.erase(inner); });
    if (auto dequantize = dyn_cast<DequantizeOp>(op))
      if (auto key = keys.find(dequantize.getOutput()); key != keys.end()) {
        pairs.erase(key->second);
        keys.erase(key);
      }
  }

  /// Visits the ops of `blocks`, outer ones first, unless they die before.
  void run(ArrayRef<Block *> blocks) {
    open.insert(blocks.begin(), blocks.end());
    for (Block *block : blocks)
      if (open.erase(block))
        for (Operation &op : llvm::make_early_inc_range(*block))
          visit(&op);
  }

  /// Says what stays as code. Returns whether some of that rounds.
  bool remark() {
    for (auto &[op, kept] : refused)
      remarkMissed(op, "QB140", "quantization of the module",
                   "is kept as code: " + kept.reason,
                   "see docs/Pipeline.md for what is recognised");
    return llvm::any_of(refused,
                        [](const auto &each) { return each.second.rounds; });
  }

  /// Drops integers that nobody wants any more from ops with several results.
  void eraseDeadResults() {
    for (Operation *op : rest.takeVector())
      if (llvm::any_of(op->getResults(),
                       [](Value result) { return result.use_empty(); }))
        replaceScalars(cast<linalg::LinalgOp>(op), {});
  }

private:
  /// Scalars of a region, and tensors that have them as elements.
  using Scalars = SmallVector<ScalarTensor, 2>;

  /// Replaces what `op` computes if it is the end of a form.
  void visit(Operation *op) {
    auto cast = dyn_cast<quant::DequantizeCastOp>(op);
    // Guards have no results.
    if ((!cast && castsOnly) || op->getNumResults() == 0)
      return;
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      return visitRegion(linalgOp);
    if (op->getNumResults() != 1)
      return;
    Scalars cut;
    isGrid = false;
    OrRefusal<Value> replacement =
        cast ? importCast(cast) : importCode(op->getResult(0), cut);
    if (!replacement)
      return refuse(op, replacement.getRefusal());
    rewriter.replaceAllUsesWith(op->getResult(0), *replacement);
    eraseDead(op);
    replaceScalars(cut);
  }

  void refuse(Operation *op, const Refusal &refusal) {
    if (!refusal.reason.empty())
      refused[op] = {refusal.reason, isGrid};
  }

  /// The same for the scalars of a structured op, which may compute more than
  /// quantization. What it does before and after becomes ops of their own.
  void visitRegion(linalg::LinalgOp op) {
    if (op.getNumReductionLoops() != 0)
      return visitReduction(op);
    if (!canBeSliced(op))
      return;
    if (op->getNumResults() > 1)
      rest.insert(op);
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      for (Operation &inner : *op.getBlock()) {
        if (inner.getNumResults() != 1 || !isScalarOp(inner.getName()) ||
            !inner.getResult(0).getType().isF32())
          continue;
        Scalars cut;
        OrRefusal<Value> replacement = importCode(inner.getResult(0), cut);
        if (!replacement) {
          refuse(&inner, replacement.getRefusal());
          continue;
        }
        // What is quantized may be computed by the same op, or by another.
        Scalars replaced = {{inner.getResult(0), *replacement}};
        if (!cut.empty() &&
            cut.front().scalar.getParentBlock() == inner.getBlock())
          replaced.append(cut);
        else
          replaceScalars(cut);
        op = replaceScalars(op, replaced);
        if (!op)
          return;
        isChanged = true;
        break;
      }
    }
  }

  /// What a reduction quantizes of its inputs, before it uses them, becomes ops
  /// of their own.
  void visitReduction(linalg::LinalgOp op) {
    auto converts = [](Operation *inner) {
      std::optional<ScalarSteps> steps = getScalarSteps(inner);
      return steps && llvm::any_of(*steps, [](const ScalarStep &step) {
               return step.code == ScalarCode::SignedToFloat ||
                      step.code == ScalarCode::UnsignedToFloat ||
                      step.code == ScalarCode::RoundEven;
             });
    };
    SmallVector<ScalarTensor> prologues =
        createPrologues(rewriter, op, constants, converts);
    if (prologues.empty())
      return;
    SmallVector<Operation *> parts;
    for (const ScalarTensor &each : prologues)
      parts.push_back(each.tensor.getDefiningOp());
    replaceScalars(op, prologues);
    for (Operation *part : parts)
      visitRegion(cast<linalg::LinalgOp>(part));
  }

  /// What replaces `result`, a tensor or a scalar of a region: a tensor of its
  /// elements. `cut` gets what became a tensor for it.
  OrRefusal<Value> importCode(Value result, Scalars &cut) {
    if (!getElementTypeOrSelf(result.getType()).isF32())
      return Refusal();
    QuantizationReader reader(constants);
    OrRefusal<QuantizationForm> form = reader.read(result);
    isGrid = reader.isGrid();
    if (!form)
      return form.getRefusal();
    Operation *op = result.getDefiningOp();
    if (!isa<RankedTensorType>(result.getType()))
      op = op->getParentOp();
    auto type = cast<RankedTensorType>(op->getResult(0).getType())
                    .clone(Float32Type::get(op->getContext()));
    // What fusion has put in front of a constant's quantization is constant.
    if (!form->isDequantize && constants.isConstant(op->getResult(0)) &&
        !isa<RankedTensorType>(form->source.getType()))
      form->source = getTensor(form->source, cut);
    bool isConstant = constants.isConstant(form->source);
    if (form->isDequantize && !isConstant &&
        getElementTypeOrSelf(form->source.getType()).isInteger(32))
      return importContraction(op, *form, cut);
    if (form->isDequantize && !isConstant)
      return Refusal("its integers are neither constants nor from a quantize");
    // A bias of 32 bits is a float again: kernels quantize it by their
    // own rule.
    if (isConstant && form->max - form->min >= 1 << 16)
      return form->source;
    auto element = getElement(*form, op->getContext());
    if (!element)
      return element.getRefusal();
    if (isConstant) {
      DenseElementsAttr elements = constants.evaluate(form->source);
      if (!elements)
        return Refusal();
      return createConstant(
          op,
          form->isDequantize
              ? limitElements(elements, *form)
              : quantizeElements(elements, *element, form->min, form->max),
          type, *element);
    }
    if (!isa<quant::UniformQuantizedType>(*element))
      return Refusal(
          "it is of an activation, and has a scale for each channel");
    return createPair(op, *form, cut);
  }

  /// The same of sums of products of integers, which are dequantized by `form`.
  OrRefusal<Value>
  importContraction(Operation *op, const QuantizationForm &form, Scalars &cut) {
    if (form.scales.size() != 1)
      return Refusal();
    Operation *before = op->getPrevNode();
    ContractionImporter importer(
        constants,
        [&](Operation *at, const QuantizationForm &quantize) {
          return createPair(at, quantize, cut);
        },
        [&](Operation *at, DenseElementsAttr integers,
            const QuantizationForm &weight) -> OrRefusal<Value> {
          auto element = getElement(weight, at->getContext());
          if (!element)
            return element.getRefusal();
          return createConstant(
              at, integers,
              integers.getType().clone(Float32Type::get(at->getContext())),
              *element);
        });
    OrRefusal<Value> asFloat = importer.import(op, form.source, form.scales[0]);
    if (asFloat)
      return asFloat;
    // What was created for it has no use.
    for (Operation *last = op->getPrevNode(); last && last != before;) {
      Operation *previous = last->getPrevNode();
      if (isOpTriviallyDead(last))
        erase(last);
      last = previous;
    }
    return asFloat;
  }

  /// What `form` quantizes, quantized and dequantized at `op`.
  OrRefusal<Value> createPair(Operation *op, const QuantizationForm &form,
                              Scalars &cut) {
    auto element = getElement(form, op->getContext());
    if (!element)
      return element.getRefusal();
    if (!form.roundsTiesToEven)
      remarkMissed(op, "QB143", "quantization of the module",
                   "rounds ties otherwise: numbers in the middle of two "
                   "integers may become the other one",
                   "round to even, before the zero point is added");
    return createPair(op, getTensor(form.source, cut), *element, form.min,
                      form.max);
  }

  /// The tensor of a form's source.
  Value getTensor(Value source, Scalars &cut) {
    Value tensor = ElementProgramReader::getTensor(source);
    if (isa<RankedTensorType>(tensor.getType()))
      return tensor;
    auto op = cast<linalg::LinalgOp>(source.getParentBlock()->getParentOp());
    for (auto [yielded, result] : llvm::zip(
             op.getBlock()->getTerminator()->getOperands(), op->getResults()))
      if (yielded == source)
        return result;
    tensor = createSlice(rewriter, op, source)->getResult(0);
    cut.push_back({source, tensor});
    return tensor;
  }

  void replaceScalars(const Scalars &replaced) {
    for (ScalarTensor each : replaced)
      replaceScalars(
          cast<linalg::LinalgOp>(each.scalar.getParentBlock()->getParentOp()),
          each);
  }

  /// Replaces `op` by one that reads the scalars of `replaced` from tensors,
  /// and has no results without a use. Null if nothing is left.
  linalg::LinalgOp replaceScalars(linalg::LinalgOp op,
                                  ArrayRef<ScalarTensor> replaced) {
    rest.remove(op);
    SmallVector<unsigned> kept;
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      if (result.use_empty())
        continue;
      Value yielded = op.getBlock()->getTerminator()->getOperand(i);
      Value tensor = ElementProgramReader::getTensor(yielded);
      for (const ScalarTensor &each : replaced)
        if (each.scalar == yielded && !each.map)
          tensor = each.tensor;
      if (tensor.getType() == result.getType())
        rewriter.replaceAllUsesWith(result, tensor);
      else
        kept.push_back(i);
    }
    linalg::LinalgOp next;
    if (!kept.empty()) {
      next = cast<linalg::LinalgOp>(
          createRest(rewriter, op, kept, replaced).getOperation());
      for (auto [i, replacement] : llvm::zip(kept, next->getResults()))
        rewriter.replaceAllUsesWith(op->getResult(i), replacement);
      if (kept.size() > 1)
        rest.insert(next);
    }
    eraseDead(op);
    return next;
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
      // Wider ones are biases, which stay floats.
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
            type.clone(quantizedType.getExpressedType()), *element);
      if (!isa<quant::UniformQuantizedType>(*element))
        return Refusal(
            "it is of an activation, and has a scale for each channel");
      return createPair(op, cast.getInput(), *element,
                        quantizedType.getStorageTypeMin(),
                        quantizedType.getStorageTypeMax());
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
    return element
               ? createConstant(op, integers,
                                type.clone(quantizedType.getExpressedType()),
                                *element)
               : element.getRefusal();
  }

  /// The numbers of type `type` that constant `integers` stand for.
  static OrRefusal<Value> createConstant(Operation *op,
                                         DenseElementsAttr integers, Type type,
                                         quant::QuantizedType element) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    auto floatType = integers.getType().clone(builder.getF32Type());
    if (floatType != type)
      return Refusal();
    Value constant = arith::ConstantOp::create(builder, loc, integers);
    Value quantized = quant::StorageCastOp::create(
        builder, loc, integers.getType().clone(element), constant);
    return DequantizeOp::create(builder, loc, floatType, quantized).getOutput();
  }

  /// `source` by integers of `element` in [min, max]. Kernels have the whole
  /// range: what has less is limited before, if that is a relu, or after.
  Value createPair(Operation *op, Value source, quant::QuantizedType element,
                   int64_t min, int64_t max) {
    bool isLow = min <= element.getStorageTypeMin();
    bool isHigh = max >= element.getStorageTypeMax();
    if (isLow && isHigh)
      return createPair(op, source, element);
    auto uniform = cast<quant::UniformQuantizedType>(element);
    auto toFloat = [&](int64_t q) -> std::optional<float> {
      return numerics::dequantize(q, float(uniform.getScale()),
                                  uniform.getZeroPoint());
    };
    if (isHigh && min == uniform.getZeroPoint())
      return createPair(op, createClamp(op, source, 0.0f, std::nullopt),
                        element);
    Value clamped = createClamp(op, createPair(op, source, element),
                                isLow ? std::nullopt : toFloat(min),
                                isHigh ? std::nullopt : toFloat(max));
    return createPair(op, clamped, element);
  }

  static Value createClamp(Operation *op, Value source,
                           std::optional<float> low,
                           std::optional<float> high) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    auto type = cast<RankedTensorType>(source.getType());
    Value init = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, source),
        type.getElementType());
    AffineMap identity =
        builder.getMultiDimIdentityMap(static_cast<unsigned>(type.getRank()));
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(
        builder, loc, type, source, init,
        ArrayRef<AffineMap>{identity, identity}, loops,
        [&](OpBuilder &b, Location inner, ValueRange arguments) {
          Value value = arguments[0];
          auto constant = [&](float number) {
            return arith::ConstantOp::create(b, inner,
                                             b.getF32FloatAttr(number));
          };
          if (low)
            value = arith::MaximumFOp::create(b, inner, value, constant(*low));
          if (high)
            value = arith::MinimumFOp::create(b, inner, value, constant(*high));
          linalg::YieldOp::create(b, inner, value);
        });
    return generic.getResult(0);
  }

  /// What is quantized like `source` before, is quantized once.
  Value createPair(Operation *op, Value source, quant::QuantizedType element) {
    Key key = {source, element};
    Value known = pairs.lookup(key);
    if (known && known.getDefiningOp()->getBlock() == op->getBlock())
      return known;
    OpBuilder builder(op);
    auto type = cast<RankedTensorType>(source.getType());
    Value quantized =
        QuantizeOp::create(builder, op->getLoc(), type.clone(element), source);
    known = DequantizeOp::create(builder, op->getLoc(), type, quantized);
    pairs[key] = known;
    keys[known] = key;
    return known;
  }

  /// Erases `op`, whose blocks are not to be visited any more.
  void erase(Operation *op) {
    op->walk([&](Block *block) { open.erase(block); });
    rewriter.eraseOp(op);
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
      erase(dead);
      for (Operation *producer : producers)
        if (!llvm::is_contained(worklist, producer))
          worklist.push_back(producer);
    }
  }

  /// What is quantized, and how.
  using Key = std::pair<Value, Type>;

  IRRewriter rewriter;
  bool castsOnly;
  /// Blocks that are not visited yet.
  llvm::SmallPtrSet<Block *, 8> open;
  /// Why ops are kept that seem to quantize, unless they turn out to be a part
  /// of what does.
  struct Kept {
    std::string reason;
    /// Whether it makes few numbers of many.
    bool rounds;
  };
  llvm::MapVector<Operation *, Kept> refused;
  /// Of what was read last.
  bool isGrid = false;
  /// Ops with several results, some of which may be integers of no use.
  llvm::SetVector<Operation *> rest;
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
    bool isRaised = false;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      isRaised |= isa<OperatorOp>(op);
      // The scalar code of structured ops, and what has symbols of its own.
      if (isForeign(op, getOperation()) || isa<OperatorOp>(op) ||
          op->getName().getDialectNamespace() == "linalg")
        return WalkResult::skip();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          blocks.push_back(&block);
      return WalkResult::advance();
    });
    Importer importer(&getContext(), castsOnly);
    importer.run(blocks);
    importer.eraseDeadResults();
    // Code that is raised already was read when it was imported.
    if (importer.remark())
      getOperation()->setAttr(kRoundsAttrName, UnitAttr::get(&getContext()));
    else if (!isRaised)
      getOperation()->removeAttr(kRoundsAttrName);
  }
};
} // namespace
