// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wraps each subgraph that a recogniser knows into a qbackend.operator.

#include "Import/QuantizedConstants.h"
#include "Raise/OperandLayout.h"
#include "Raise/Slice.h"

#include "qbackend/Backends/BackendResolver.h"
#include "qbackend/Dialect/QBackend/Elements.h"
#include "qbackend/Operators/Recognizer.h"
#include "qbackend/Support/Places.h"
#include "qbackend/Support/Remarks.h"
#include "qbackend/Transforms/Analysis/OperationCount.h"
#include "qbackend/Transforms/Analysis/SourceValues.h"
#include "qbackend/Transforms/Passes.h"
#include "qbackend/Transforms/QuantizeWeights.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SmallSet.h"

namespace qbackend {
#define GEN_PASS_DEF_RAISEPASS
#include "qbackend/Transforms/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// Raising
//===----------------------------------------------------------------------===//

/// Whether the weight of `kind` is a table of rows, its input their indices.
static bool isTable(Attribute kind) {
  return cast<OperatorKindAttrInterface>(kind).getWeightRole() ==
         WeightRole::Rows;
}

/// Whether `operand` is a table as fake quantization writes it, in its own
/// layout. That stays as it is: from its numbers no one can tell the scales.
static bool isFakeQuantizedTable(const RecognizedOperand &operand) {
  if (!operand.value || !operand.sourceShape.empty() ||
      !operand.permutation.empty() || !operand.shape.empty() ||
      !getQuantizedTable(operand.value))
    return false;
  auto rows = operand.value.getDefiningOp<linalg::GenericOp>();
  return isa_and_nonnull<math::FmaOp>(
      rows.getBlock()->getTerminator()->getOperand(0).getDefiningOp());
}

/// The operand of an operator of `kind`, if it is the numbers of constant
/// integers: those integers in its canonical layout, dequantized. Null if it is
/// anything else.
static Value materializeIntegers(OpBuilder &builder, Location loc,
                                 const RecognizedOperand &operand,
                                 ConstantEvaluator &constants, Attribute kind,
                                 bool isActivation) {
  // Rows of tables are quantized in a form of their own.
  if (isTable(kind) && !isActivation && isFakeQuantizedTable(operand))
    return operand.value;
  if (!operand.value || operand.constant || isTable(kind) ||
      !constants.isConstant(operand.value))
    return {};
  DequantizeOp source = findQuantized(operand.value);
  if (!source)
    return {};
  OrRefusal<Value> integers = moveQuantized(
      builder, loc, source, operand.value,
      [&](DenseElementsAttr elements) { return operand.arrange(elements); },
      constants, /*perChannel=*/!isActivation);
  if (integers)
    return *integers;
  remarkMissed(source, "QB142",
               cast<OperatorKindAttrInterface>(kind).getKindName(),
               "the parameters of its constant integers are not kept: " +
                   integers.getRefusal().reason,
               "quantize the constant in the layout and along the axis of "
               "the operator");
  return {};
}

/// The last op that computes, and that `isMeant`, of the operator that ends at
/// `root`: this may only move its result, far behind.
static Operation *findLastComputing(Operation *root, const Slice &slice,
                                    function_ref<bool(Operation *)> isMeant) {
  if (movesElements(root))
    for (Operation *op : llvm::reverse(slice.ops))
      if (slice.active.contains(op) && !movesElements(op) && isMeant(op))
        return op;
  return root;
}

/// Where the operator that ends at `root` is: where it computes, as what moves
/// its result may have no name, or that of another operator.
static Location getOperatorLoc(Operation *root, const Slice &slice) {
  return findLastComputing(root, slice,
                           [](Operation *op) {
                             return !getLocationName(op->getLoc()).empty();
                           })
      ->getLoc();
}

/// Whether `slice` is several functions of the network by their names.
static bool hasSeveralNames(const Slice &slice) {
  llvm::SmallSet<std::string, 2> names;
  for (Operation *op : slice.active)
    if (std::string name = getLocationName(op->getLoc()); !name.empty())
      names.insert(name);
  return names.size() > 1;
}

/// Where the operator goes: in front of the last op of it that computes.
/// Observers see values in the order of the code.
static Operation *getPlace(const RecognizedOperator &found,
                           const Slice &slice) {
  Operation *root = found.result.getDefiningOp();
  Operation *place =
      findLastComputing(root, slice, [](Operation *) { return true; });
  auto isBefore = [&](const RecognizedOperand &operand) {
    Operation *op = operand.value ? operand.value.getDefiningOp() : nullptr;
    return !op || op->getBlock() != place->getBlock() ||
           op->isBeforeInBlock(place);
  };
  bool isThere = place->getBlock() == root->getBlock() &&
                 llvm::all_of(found.inputs, isBefore) &&
                 isBefore(found.weight) && isBefore(found.bias) &&
                 isBefore(found.runningMean) && isBefore(found.runningVar);
  return isThere ? place : root;
}

/// Puts a `qbackend.operator` in the place of `found`.
static void createOperator(RecognizedOperator &found, const Slice &slice,
                           ConstantEvaluator &constants) {
  OpBuilder builder(getPlace(found, slice));
  Location loc = getOperatorLoc(found.result.getDefiningOp(), slice);

  if (auto transpose = dyn_cast<TransposeAttr>(found.kind)) {
    Value replacement =
        createTranspose(builder, loc, found.inputs[0].value,
                        transpose.getPermutation().asArrayRef());
    if (replacement.getType() != found.result.getType())
      replacement = tensor::CastOp::create(builder, loc, found.result.getType(),
                                           replacement);
    found.result.replaceAllUsesWith(replacement);
    return;
  }

  // Dropout in inference, and copies, compute nothing.
  if (isa<DropoutAttr>(found.kind) &&
      found.inputs[0].value.getType() == found.result.getType()) {
    found.result.replaceAllUsesWith(found.inputs[0].value);
    return;
  }

  SmallVector<const RecognizedOperand *> operands;
  SmallVector<Value> inputs;
  for (const RecognizedOperand &input : found.inputs) {
    operands.push_back(&input);
    Value integers = materializeIntegers(builder, loc, input, constants,
                                         found.kind, /*isActivation=*/true);
    inputs.push_back(integers ? integers
                              : materialize(builder, loc, input, constants,
                                            /*isActivation=*/true));
  }
  auto role = [&](const RecognizedOperand &operand) -> Value {
    if (!operand)
      return {};
    operands.push_back(&operand);
    return materialize(builder, loc, operand, constants,
                       /*isActivation=*/false);
  };
  Value weight;
  if (found.weight)
    weight = materializeIntegers(builder, loc, found.weight, constants,
                                 found.kind, /*isActivation=*/false);
  if (weight)
    operands.push_back(&found.weight);
  else
    weight = role(found.weight);
  Value bias = role(found.bias);
  Value mean = role(found.runningMean), var = role(found.runningVar);

  auto resultType = cast<RankedTensorType>(found.result.getType());
  SmallVector<int64_t> ownShape =
      transposeShape(resultType.getShape(), found.resultPermutation);
  ArrayRef<int64_t> shape = found.outputShape.empty()
                                ? ArrayRef<int64_t>(ownShape)
                                : ArrayRef<int64_t>(found.outputShape);
  auto op = OperatorOp::create(
      builder, loc,
      resultType.clone(transposeShape(shape, found.outputPermutation)),
      builder.getArrayAttr(found.kind), inputs, weight, bias, mean, var,
      QConfigAttr(), Attribute());

  Block &body = op.getBody().emplaceBlock();
  for (Value operand : op.getOperands())
    body.addArgument(operand.getType(), loc);
  builder.setInsertionPointToStart(&body);
  IRMapping mapping;
  for (auto [operand, argument] : llvm::zip(operands, body.getArguments()))
    if (operand->value && !mapping.contains(operand->value))
      mapping.map(operand->value, restore(builder, loc, argument, *operand));
  for (const Slice::Extent &extent : slice.extents)
    mapping.map(extent.value,
                tensor::DimOp::create(
                    builder, loc, mapping.lookup(extent.activation), extent.dim)
                    .getResult());
  for (Operation *inner : slice.ops)
    builder.clone(*inner, mapping);
  Value result = createTranspose(builder, loc, mapping.lookup(found.result),
                                 found.resultPermutation);
  result = createReshape(builder, loc, result, shape);
  result = createTranspose(builder, loc, result, found.outputPermutation);
  YieldOp::create(builder, loc, result);

  builder.setInsertionPointAfter(op);
  Value replacement = op.getOutput();
  if (!found.outputPermutation.empty())
    replacement =
        createTranspose(builder, loc, replacement,
                        invertPermutationVector(found.outputPermutation));
  replacement = createReshapeOperator(builder, loc, replacement, ownShape);
  if (!found.resultPermutation.empty())
    replacement =
        createTranspose(builder, loc, replacement,
                        invertPermutationVector(found.resultPermutation));
  found.result.replaceAllUsesWith(replacement);
}

/// Whether the kind takes operands of these types.
static bool takesOperands(const RecognizedOperator &found) {
  SmallVector<RankedTensorType> activations;
  for (const RecognizedOperand &input : found.inputs)
    activations.push_back(getCanonicalType(input));
  MLIRContext *context = found.kind.getContext();
  // What it says is of no interest: the next candidate may do.
  ScopedDiagnosticHandler silence(context, [](Diagnostic &) {});
  return succeeded(
      cast<OperatorKindAttrInterface>(found.kind)
          .verifyOperands([&] { return emitError(UnknownLoc::get(context)); },
                          activations, getCanonicalType(found.weight)));
}

/// Checks what a recogniser found: one from outside may be wrong.
static bool isWellFormed(const RecognizedOperator &found) {
  if (!isa_and_nonnull<OperatorKindAttrInterface>(found.kind) ||
      found.inputs.empty() || !isa<RankedTensorType>(found.result.getType()))
    return false;
  for (const RecognizedOperand &input : found.inputs)
    if (!isReshapable(input, isTable(found.kind)))
      return false;
  for (const RecognizedOperand *operand :
       {&found.weight, &found.bias, &found.runningMean, &found.runningVar})
    if (*operand && !isReshapable(*operand))
      return false;
  auto type = cast<RankedTensorType>(found.result.getType());
  return isReshapable(type.clone(transposeShape(type.getShape(),
                                                found.resultPermutation)),
                      found.outputShape) &&
         takesOperands(found);
}

namespace {
/// The ops that the patterns of a backend name.
class NamedOps {
public:
  NamedOps() = default;
  explicit NamedOps(BackendConfigOp backend) {
    for (auto pattern : backend.getBody().front().getOps<PatternConfigOp>()) {
      SmallVector<StringRef> kinds = pattern.getKinds();
      for (StringRef kind : kinds)
        if (kind.contains('.'))
          roles.insert({kind, DictionaryAttr()});
      if (kinds.size() == 1 && roles.contains(kinds.front()) &&
          pattern.getConfig().getInputTypeToIndex())
        roles[kinds.front()] = pattern.getConfig().getInputTypeToIndex();
    }
  }

  /// The operator that `op` is; its result is null if it isn't one of them.
  RecognizedOperator recognize(Operation *op,
                               ConstantEvaluator &constants) const {
    auto it = roles.find(op->getName().getStringRef());
    if (it == roles.end() || op->getNumResults() != 1)
      return {};
    auto kind = OpAttr::get(op->getContext(), op->getName().getIdentifier());
    RecognizedOperator found = {kind, op->getResult(0)};
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type || !type.getElementType().isF32())
        continue;
      auto value = RecognizedOperand::of(operand.get());
      if (isRole(it->second, "weight", operand))
        found.weight = value;
      else if (isRole(it->second, "bias", operand))
        found.bias = value;
      else if (!constants.isConstant(operand.get()))
        found.inputs.push_back(value);
    }
    return found;
  }

private:
  static bool isRole(DictionaryAttr roles, StringRef role, OpOperand &operand) {
    auto index = roles ? roles.getAs<IntegerAttr>(role) : IntegerAttr();
    return index && index.getInt() == int64_t(operand.getOperandNumber());
  }

  /// Names, and which operands are weight and bias.
  llvm::StringMap<DictionaryAttr> roles;
};

/// Whether nothing has been written to `value`.
static bool isUndefined(Value value) {
  while (Operation *producer = value ? value.getDefiningOp() : nullptr) {
    if (isa<tensor::EmptyOp>(producer))
      return true;
    // What only changes the shape, or takes a part.
    if (!isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp>(producer))
      return false;
    value = producer->getOperand(0);
  }
  return false;
}

/// Whether the result of `op` depends on a destination without a value.
static bool accumulatesOntoNothing(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured &&
         llvm::any_of(structured.getDpsInitsMutable(), [&](OpOperand &init) {
           return structured.payloadUsesValueFromOperand(&init) &&
                  isUndefined(init.get());
         });
}

struct RaisePass : qbackend::impl::RaisePassBase<RaisePass> {
  using RaisePassBase::RaisePassBase;

  void runOnOperation() override {
    // Values in a block that nothing leads to may be made of themselves.
    IRRewriter eraser(&getContext());
    (void)eraseUnreachableBlocks(eraser, getOperation()->getRegions());
    llvm::for_each(getOperation().getOps<func::FuncOp>(), recordMoves);
    NamedOps named;
    if (!backend.empty()) {
      const Backend *found = getAnalysis<BackendResolver>().resolve(backend);
      if (!found)
        return signalPassFailure();
      named = NamedOps(found->config);
    }
    ConstantEvaluator constants;
    PreparationRewriter rewriter(constants, &getContext());
    SmallVector<Block *> blocks;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      // What is raised already, and the scalar code of structured ops, is
      // nobody's subgraph.
      if (isa<OperatorOp>(op) ||
          op->getName().getDialectNamespace() == "linalg")
        return WalkResult::skip();
      if (isForeign(op, getOperation())) {
        if (!isa<BackendConfigOp, QConfigMappingOp>(op))
          remarkMissed(op, "QB002", op->getName().getStringRef(),
                       "its code is left as it is: it has symbols of its own, "
                       "or is not registered",
                       "move the functions to the outer module");
        return WalkResult::skip();
      }
      for (Region &region : op->getRegions())
        for (Block &block : region)
          blocks.push_back(&block);
      return WalkResult::advance();
    });
    // Inner blocks first: an op that dies takes its blocks along.
    for (Block *block : llvm::reverse(blocks))
      raiseBlock(*block, named, rewriter);
  }

  static void raiseBlock(Block &block, const NamedOps &named,
                         PreparationRewriter &rewriter) {
    // What nobody reads is no user.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      eraseIfDead(&op, rewriter);
    // What has no results, such as guards, computes nothing.
    for (Operation &op : llvm::make_early_inc_range(block))
      if (auto *recognizer = getRecognizer(&op);
          recognizer && op.getNumResults() != 0)
        recognizer->prepare(&op, rewriter);
    for (Operation &op : block)
      remarkForeignType(&op);
    Operation *op = block.empty() ? nullptr : &block.back();
    while (op) {
      Operation *previous = op->getPrevNode();
      Operation *pieces = nullptr;
      if (!eraseIfDead(op, rewriter))
        pieces = raise(op, named, rewriter);
      // What it was split into, or is again, is visited instead.
      op = pieces ? pieces : previous;
    }
    for (Operation *op : rewriter.getUnrecognized())
      if (std::optional<std::string> what = getRecognizer(op)->describe(op)) {
        if (accumulatesOntoNothing(op))
          remarkMissed(
              op, "QB001", *what,
              "adds to a tensor.empty, whose elements are undefined",
              "fill its destination first: linalg.fill with the number "
              "that it begins with");
        else
          remarkMissed(op, "QB001", *what, "not recognised as an operator",
                       "see docs/Operators.md for the forms that are");
      }
    rewriter.clear();
    // Constants and inits come before what was raised last.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      eraseIfDead(&op, rewriter);
  }

  /// Says of what computes on other types than f32 tensors that it stays.
  static void remarkForeignType(Operation *op) {
    std::string type = getForeignType(op);
    if (type == "memref")
      remarkMissed(op, "QB004", op->getName().getStringRef(),
                   "it works on buffers (memref), operators are of tensors",
                   "take the module from before bufferization");
    else if (!type.empty())
      remarkMissed(op, "QB004", op->getName().getStringRef(),
                   "its elements are " + type + ", those of operators are f32",
                   "export the network and its weights in f32; quantization "
                   "starts from that");
  }

  static bool eraseIfDead(Operation *op, PreparationRewriter &rewriter) {
    if (!isOpTriviallyDead(op))
      return false;
    rewriter.eraseOp(op);
    return true;
  }

  static const OperatorRecognizerInterface *getRecognizer(Operation *op) {
    return op->getDialect()
               ? op->getDialect()
                     ->getRegisteredInterface<OperatorRecognizerInterface>()
               : nullptr;
  }

  static bool isZero(const RecognizedOperand &operand,
                     ConstantEvaluator &constants) {
    if (operand.value)
      return constants.getSplat(operand.value) == std::optional<double>(0);
    return operand.constant.isSplat() &&
           operand.constant.getSplatValue<APFloat>().isZero();
  }

  /// What ends at `root`, the first that can be raised; and its slice.
  static std::optional<RecognizedOperator>
  recognize(Operation *root, const NamedOps &named,
            ConstantEvaluator &constants, Slice &slice) {
    SmallVector<RecognizedOperator, 2> found;
    // What a backend names is that, whatever else it may be.
    if (RecognizedOperator op = named.recognize(root, constants); op.result)
      found.push_back(op);
    if (auto *recognizer = getRecognizer(root))
      recognizer->recognize(root, constants, found);
    // Functions that do nothing together are dropped only if the last of them
    // is no operator alone: each of them has a value.
    std::optional<RecognizedOperator> nothing;
    Slice nothingSlice;
    for (RecognizedOperator &candidate : found) {
      // Front ends write zeros where there is no bias.
      auto kind =
          dyn_cast_if_present<OperatorKindAttrInterface>(candidate.kind);
      if (kind && kind.getWeightRole() == WeightRole::Products &&
          candidate.bias && isZero(candidate.bias, constants))
        candidate.bias = {};
      if (isUndefined(candidate.bias.value))
        continue;
      slice = Slice();
      if (candidate.result.getDefiningOp() == root && isWellFormed(candidate) &&
          succeeded(collectSlice(candidate, slice))) {
        if (!isa<DropoutAttr>(candidate.kind) || !hasSeveralNames(slice))
          return std::move(candidate);
        if (!nothing) {
          nothing = std::move(candidate);
          nothingSlice = std::move(slice);
        }
      }
    }
    slice = std::move(nothingSlice);
    return nothing;
  }

  /// Raises what ends at `root`. Returns the last of the ops that `root` has
  /// become instead, if it was split, or what prepared it was taken back: they
  /// are yet to be raised.
  static Operation *raise(Operation *root, const NamedOps &named,
                          PreparationRewriter &rewriter) {
    ConstantEvaluator &constants = rewriter.constants;
    bool asFloat = llvm::any_of(root->getResultTypes(), [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.getElementType().isF32();
    });
    if (!asFloat || llvm::all_of(root->getResults(), [&](Value result) {
          return constants.isConstant(result);
        }))
      return nullptr;
    Slice slice;
    if (auto found = recognize(root, named, constants, slice)) {
      createOperator(*found, slice, constants);
      // Then what it was made of is dead when its turn comes, too. The operator
      // has the effects of what a backend names, and the guards.
      if (root->use_empty())
        rewriter.eraseOp(root);
      return nullptr;
    }
    auto *recognizer = getRecognizer(root);
    if (!recognizer)
      return nullptr;
    auto isOperator = [&](Operation *op) {
      Slice slice;
      return recognize(op, named, constants, slice).has_value();
    };
    if (!rewriter.isRestored(root))
      if (Operation *last = recognizer->split(root, rewriter, isOperator))
        return last;
    return rewriter.noteUnrecognized(root);
  }
};
} // namespace
