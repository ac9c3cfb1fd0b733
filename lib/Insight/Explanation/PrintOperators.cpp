// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the operators of a module in a form that doesn't depend on how the
// module is spelled.

#include "qbackend/Transforms/Analysis/OperatorText.h"

#include "qbackend/Insight/Explanation/Passes.h"
#include "qbackend/Operators/ConstantEvaluator.h"
#include "qbackend/Pipelines/Pipelines.h"
#include "qbackend/Transforms/Analysis/OperationCount.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/xxhash.h"

namespace qbackend {
#define GEN_PASS_DEF_PRINTOPERATORSPASS
#include "qbackend/Insight/Explanation/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// What is left out
//===----------------------------------------------------------------------===//

/// What `op` has the elements of, if it is no more than a change of layout or
/// type, or of dimensions of size 1, or quantizes; else null.
static Value getSameElements(Operation *op) {
  if (isa<TransposeOp, tensor::CastOp, QuantizeOp, DequantizeOp>(op))
    return op->getOperand(0);
  // Integers are no operators' results.
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tosa::ReshapeOp>(op))
    if (auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
        type && type.getElementType().isInteger())
      return op->getOperand(0);
  if (auto operation = dyn_cast<OperatorOp>(op);
      operation && isUnitReshape(operation))
    return operation.getInputs().front();
  return {};
}

static Value skipSameElements(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    Value source = getSameElements(op);
    if (!source)
      return value;
    value = source;
  }
  return value;
}

/// Whether `op` is shown: what computes on tensors, not what makes or measures
/// them.
static bool isShown(Operation *op, ConstantEvaluator &constants) {
  if (isa<OperatorOp>(op))
    return true;
  if (op->hasTrait<OpTrait::ConstantLike>() ||
      isa<tensor::EmptyOp, tensor::DimOp, linalg::FillOp>(op) ||
      op->getName().getStringRef().starts_with("ml_program.global_load"))
    return false;
  bool isFloat = llvm::any_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && isa<FloatType>(tensor.getElementType());
  });
  return isFloat && !isa<FunctionOpInterface>(op) &&
         !llvm::all_of(op->getResults(), [&](Value result) {
           return constants.isConstant(result);
         });
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

namespace {
/// The graph of one block, from what leaves it back to what it is made of.
class Graph {
public:
  Graph(ConstantEvaluator &constants, raw_ostream &os)
      : constants(constants), os(os) {}

  /// Prints what `block` computes, each line after those of its inputs.
  void print(Block &block, unsigned indent);
  /// Numbers the arguments that are inputs of operators. Others are weights.
  void numberInputs(Block &entry);

  int64_t inside = 0, outside = 0;

private:
  void printLine(Operation *op, unsigned indent);
  void printReference(Value value);
  std::string describe(Operation *op);
  /// The shown values that `op` reads, in the order in which they are printed.
  SmallVector<Value> getTensors(Operation *op);
  SmallVector<Value> getInputs(Operation *op);
  uint64_t getHash(Value value);

  ConstantEvaluator &constants;
  raw_ostream &os;
  unsigned next = 0;
  llvm::DenseMap<Value, unsigned> numbers, inputNumbers;
  llvm::DenseMap<Value, uint64_t> hashes;
};
} // namespace

std::string Graph::describe(Operation *op) {
  if (auto operation = dyn_cast<OperatorOp>(op))
    return getOperatorText(operation);
  return (op->getName().getStringRef() + " ?").str();
}

/// Adds `input` of `op`, or what it is made of: one concatenation of all parts
/// is the same as one after the other.
static void appendInputs(OperatorOp op, Value input,
                         SmallVectorImpl<Value> &inputs) {
  auto inner = input.getDefiningOp<OperatorOp>();
  if (!op || !inner || op.isFused() || inner.isFused() ||
      !isa<CatAttr>(op.getKind()) || op.getKind() != inner.getKind() ||
      inner->getBlock() != op->getBlock()) {
    inputs.push_back(input);
    return;
  }
  for (Value part : inner.getInputs())
    appendInputs(op, skipSameElements(part), inputs);
}

/// The tensors that `op` computes its results from; what a region reads beside
/// them, if it is no constant.
SmallVector<Value> Graph::getTensors(Operation *op) {
  auto operation = dyn_cast<OperatorOp>(op);
  llvm::SetVector<Value> captured;
  if (isa<linalg::LinalgOp>(op))
    getUsedValuesDefinedAbove(op->getRegions(), captured);
  SmallVector<Value> tensors;
  for (Value operand : operation ? operation.getInputs() : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      tensors.push_back(operand);
  for (Value value : captured)
    if (isa<RankedTensorType>(value.getType()) && !constants.isConstant(value))
      tensors.push_back(value);
  return tensors;
}

SmallVector<Value> Graph::getInputs(Operation *op) {
  SmallVector<Value> inputs;
  auto operation = dyn_cast<OperatorOp>(op);
  for (Value operand : getTensors(op))
    appendInputs(operation, skipSameElements(operand), inputs);
  // Sums and products don't tell which operand comes first.
  if (operation && inputs.size() == 2 && !operation.isFused() &&
      operation.getKind().isCommutative() &&
      getHash(inputs[1]) < getHash(inputs[0]))
    std::swap(inputs[0], inputs[1]);
  return inputs;
}

/// A number that depends on how a value is computed only.
uint64_t Graph::getHash(Value value) {
  // Over an explicit stack: chains may be deep.
  SmallVector<Value> stack = {value};
  while (!stack.empty()) {
    Value top = stack.back();
    if (hashes.contains(top)) {
      stack.pop_back();
      continue;
    }
    Operation *op = top.getDefiningOp();
    std::string text;
    if (!op) {
      text =
          "argument " + std::to_string(cast<BlockArgument>(top).getArgNumber());
    } else if (!isShown(op, constants)) {
      text = "constant";
    } else {
      bool ready = true;
      auto operation = dyn_cast<OperatorOp>(op);
      text = describe(op);
      // Their order is what is asked for: of two hashes, the smaller first.
      SmallVector<uint64_t> operands;
      for (Value operand : getTensors(op)) {
        Value input = skipSameElements(operand);
        auto it = hashes.find(input);
        if (it == hashes.end()) {
          stack.push_back(input);
          ready = false;
        } else {
          operands.push_back(it->second);
        }
      }
      if (!ready)
        continue;
      if (operation && operation.getKind().isCommutative())
        llvm::sort(operands);
      for (uint64_t operand : operands)
        text += " " + llvm::utohexstr(operand);
    }
    hashes[top] = llvm::xxh3_64bits(text);
    stack.pop_back();
  }
  return hashes[value];
}

void Graph::printReference(Value value) {
  auto it = numbers.find(value);
  if (it != numbers.end())
    os << it->second;
  else if (auto input = inputNumbers.find(value); input != inputNumbers.end())
    os << "input" << input->second;
  else if (value.getDefiningOp() && !constants.isConstant(value) &&
           cast<RankedTensorType>(value.getType()).getElementType().isInteger())
    // Positions, masks: what computes them is not shown.
    os << "integers";
  else
    os << "constant";
}

void Graph::numberInputs(Block &entry) {
  llvm::DenseSet<Value> read;
  entry.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto operation = dyn_cast<OperatorOp>(op);
    for (Value operand : getTensors(op))
      if ((isShown(op, constants) || op->hasTrait<OpTrait::IsTerminator>()))
        read.insert(skipSameElements(operand));
    return operation ? WalkResult::skip() : WalkResult::advance();
  });
  for (BlockArgument argument : entry.getArguments())
    if (read.contains(argument))
      inputNumbers[argument] = inputNumbers.size();
}

void Graph::printLine(Operation *op, unsigned indent) {
  SmallVector<Value> inputs = getInputs(op);
  for (Value result : op->getResults())
    numbers[result] = next;
  os.indent(indent) << next++ << ": " << describe(op) << " ";
  llvm::interleaveComma(
      llvm::make_filter_range(op->getResultTypes(),
                              llvm::IsaPred<RankedTensorType>),
      os, [&](Type type) {
        os << getActivationText(cast<RankedTensorType>(type));
      });
  os << " <-";
  StringRef separator = " ";
  for (Value input : inputs) {
    os << separator;
    printReference(input);
    separator = ", ";
  }
  os << "\n";
  if (auto operation = dyn_cast<OperatorOp>(op)) {
    inside = addCounts(inside, operation.countOperations().operations);
    return;
  }
  outside = addCounts(outside, countOperations(op));
  if (isa<linalg::LinalgOp>(op))
    return;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      print(block, indent + 2);
}

void Graph::print(Block &block, unsigned indent) {
  // What leaves the block, and what has effects, in order; then, before each,
  // what it reads.
  SmallVector<Operation *> roots;
  for (Operation &op : block)
    if (!isPure(&op) && !isa<OperatorOp>(op) && isShown(&op, constants) &&
        !op.hasTrait<OpTrait::IsTerminator>())
      roots.push_back(&op);
  if (block.mightHaveTerminator())
    roots.push_back(block.getTerminator());
  llvm::DenseSet<Operation *> done;
  for (Operation *root : roots) {
    SmallVector<std::pair<Operation *, bool>> stack = {{root, false}};
    while (!stack.empty()) {
      auto [op, expanded] = stack.pop_back_val();
      if (expanded) {
        if (isShown(op, constants))
          printLine(op, indent);
        continue;
      }
      if (!done.insert(op).second)
        continue;
      stack.push_back({op, true});
      SmallVector<Value> inputs = getInputs(op);
      for (Value input : llvm::reverse(inputs)) {
        Operation *producer = input.getDefiningOp();
        if (producer && producer->getBlock() == &block)
          stack.push_back({producer, false});
      }
    }
  }
  if (!block.mightHaveTerminator() ||
      llvm::none_of(block.getTerminator()->getOperandTypes(),
                    llvm::IsaPred<RankedTensorType>))
    return;
  os.indent(indent) << "result ";
  llvm::interleaveComma(getInputs(block.getTerminator()), os,
                        [&](Value value) { printReference(value); });
  os << "\n";
}

namespace {
struct PrintOperatorsPass
    : qbackend::impl::PrintOperatorsPassBase<PrintOperatorsPass> {
  using PrintOperatorsPassBase::PrintOperatorsPassBase;

  void runOnOperation() override {
    OwningOpRef<ModuleOp> owned = copyInside(getOperation());
    ModuleOp module = *owned;
    OpPassManager passes("builtin.module");
    RaisePipelineOptions options;
    options.backend = backend;
    addRaisePipeline(passes, options);
    if (failed(runPipeline(passes, module)))
      return signalPassFailure();

    SmallVector<FunctionOpInterface> functions;
    module.walk([&](FunctionOpInterface function) {
      if (!function.isExternal())
        functions.push_back(function);
    });
    raw_ostream &os = llvm::outs();
    int64_t inside = 0, outside = 0;
    for (FunctionOpInterface function : functions) {
      // The name of the only one is no part of the network.
      if (functions.size() > 1)
        os << "@" << function.getName() << "\n";
      ConstantEvaluator constants;
      Graph graph(constants, os);
      graph.numberInputs(function.getFunctionBody().front());
      for (Block &block : function.getFunctionBody())
        graph.print(block, 0);
      inside += graph.inside;
      outside += graph.outside;
    }
    int64_t all = inside + outside;
    os << "float operations outside of operators: " << outside << " of " << all
       << " ("
       << llvm::format("%.2f", all ? 100.0 * double(outside) / double(all) : 0)
       << " %)\n";
    markAllAnalysesPreserved();
  }
};
} // namespace
