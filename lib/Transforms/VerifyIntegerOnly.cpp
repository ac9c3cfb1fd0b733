// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Is a lowered network integer-only between its first quantize and its last
// dequantize? Values are the nodes of a graph, with an edge from what an op
// reads to what it computes:
//
//   integers ── sources ──> float tensors ── sinks ──> integers
//
// A tensor of floats that is on a path from integers to integers is an error.

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Transforms/Engine.h"
#include "qbackend/Transforms/Passes.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

#include <deque>

namespace qbackend {
#define GEN_PASS_DEF_VERIFYINTEGERONLYPASS
#include "qbackend/Transforms/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// Kinds of values
//===----------------------------------------------------------------------===//

/// A tensor of a quantized type, or of bytes, which is what it becomes. Wider
/// integers are accumulators (paths go through them), indices or masks.
static bool isQuantized(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && (isa<quant::QuantizedType>(tensor.getElementType()) ||
                    tensor.getElementType().isInteger(8));
}

static bool isFloatTensor(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor && isa<FloatType>(tensor.getElementType());
}

/// A single float: a scalar, or a tensor of one.
static bool isSingleFloat(Type type) {
  if (isa<FloatType>(type))
    return true;
  auto tensor = dyn_cast<RankedTensorType>(type);
  return isFloatTensor(type) && tensor && tensor.hasStaticShape() &&
         tensor.getNumElements() == 1;
}

//===----------------------------------------------------------------------===//
// Flow of data
//===----------------------------------------------------------------------===//

/// What `op` reads: operands, and values from outside that its regions use.
static SetVector<Value> getRead(Operation *op) {
  SetVector<Value> read(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), read);
  return read;
}

/// Whether `value` is a constant, or computed from constants only.
static bool isConstant(Value value) {
  SmallVector<Value> worklist = {value};
  DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    if (!op || isa<CallOpInterface, RegionBranchOpInterface>(op) ||
        !isMemoryEffectFree(op))
      return false;
    llvm::append_range(worklist, getRead(op));
  }
  return true;
}

/// Whether a path ends at `op`: it quantizes with parameters that are found at
/// run time, or has done so within. What it reads is float by definition.
static bool isDynamic(Operation *op) {
  bool fromFloat = llvm::any_of(op->getOperandTypes(), isFloatTensor);
  if (getEngine(op))
    return fromFloat && llvm::any_of(op->getResultTypes(), isFloatTensor);
  if (!fromFloat || !llvm::any_of(op->getResultTypes(), isQuantized))
    return false;
  bool wholeTensor = false, parameter = false;
  for (Value value : getRead(op)) {
    if (isSingleFloat(value.getType()))
      parameter |= !isConstant(value);
    else
      wholeTensor |= isFloatTensor(value.getType());
  }
  return wholeTensor && parameter;
}

namespace {
/// The edges, both ways.
class Flow {
public:
  explicit Flow(ModuleOp module) {
    module.walk<WalkOrder::PreOrder>([&](Operation *op) { return visit(op); });
  }

  /// The values that are reached from `starts`, these excepted, each with the
  /// start that is nearest.
  DenseMap<Value, Value> reach(ArrayRef<Value> starts, bool forward) const {
    const auto &edges = forward ? next : previous;
    DenseMap<Value, Value> reached;
    std::deque<std::pair<Value, Value>> queue;
    for (Value start : starts)
      queue.emplace_back(start, start);
    while (!queue.empty()) {
      auto [value, start] = queue.front();
      queue.pop_front();
      auto found = edges.find(value);
      if (found == edges.end())
        continue;
      for (Value neighbour : found->second)
        if (reached.try_emplace(neighbour, start).second)
          queue.emplace_back(neighbour, start);
    }
    return reached;
  }

private:
  void add(Value from, Value to) {
    next[from].push_back(to);
    previous[to].push_back(from);
  }

  void addAll(ValueRange from, ValueRange to) {
    for (auto [source, target] : llvm::zip(from, to))
      add(source, target);
  }

  WalkResult visit(Operation *op) {
    if (isa<ModuleOp, FunctionOpInterface>(op))
      return WalkResult::advance();
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
      RegionBranchSuccessorMapping mapping;
      branch.getSuccessorOperandInputMapping(mapping);
      for (auto &[operand, inputs] : mapping)
        for (Value input : inputs)
          add(operand->get(), input);
      return WalkResult::advance();
    }
    if (auto branch = dyn_cast<BranchOpInterface>(op)) {
      for (auto [i, block] : llvm::enumerate(op->getSuccessors())) {
        SuccessorOperands operands = branch.getSuccessorOperands(i);
        addAll(operands.getForwardedOperands(),
               block->getArguments().drop_front(
                   operands.getProducedOperandCount()));
      }
      return WalkResult::skip();
    }
    if (auto call = dyn_cast<CallOpInterface>(op))
      if (auto callee =
              dyn_cast_or_null<FunctionOpInterface>(call.resolveCallable());
          callee && !callee.isExternal()) {
        addAll(call.getArgOperands(), callee.getArguments());
        for (Block &block : callee.getFunctionBody())
          if (block.getTerminator()->hasTrait<OpTrait::ReturnLike>())
            addAll(block.getTerminator()->getOperands(), op->getResults());
        return WalkResult::skip();
      }
    // A shape is no data.
    if (!isa<ShapedDimOpInterface>(op) && !isDynamic(op))
      for (Value from : getRead(op))
        for (Value to : op->getResults())
          add(from, to);
    return WalkResult::skip();
  }

  DenseMap<Value, SmallVector<Value>> next, previous;
};
} // namespace

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct VerifyIntegerOnlyPass
    : qbackend::impl::VerifyIntegerOnlyPassBase<VerifyIntegerOnlyPass> {
  using VerifyIntegerOnlyPassBase::VerifyIntegerOnlyPassBase;

  void runOnOperation() override {
    if (failed(verifyForm()))
      return signalPassFailure();
    SmallVector<Value> integers, floats;
    auto visit = [&](Value value) {
      if (isFloatTensor(value.getType()))
        floats.push_back(value);
      else if (isQuantized(value.getType()) && !isConstant(value))
        integers.push_back(value);
    };
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      // What a dynamic op quantizes is neither end of a path.
      if (!isDynamic(op))
        llvm::for_each(op->getResults(), visit);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), visit);
    });

    Flow flow(getOperation());
    DenseMap<Value, Value> sources = flow.reach(integers, /*forward=*/true);
    DenseMap<Value, Value> sinks = flow.reach(integers, /*forward=*/false);
    DenseSet<Operation *> offenders;
    unsigned outside = 0;
    for (Value value : floats) {
      if (!sources.contains(value) || !sinks.contains(value)) {
        outside += !isConstant(value);
        continue;
      }
      Operation *op = value.getDefiningOp();
      if (!op || isa<RegionBranchOpInterface, CallOpInterface>(op))
        continue; // The op that computes it is on the path, too.
      if (!offenders.insert(op).second)
        continue;
      InFlightDiagnostic diag = op->emitOpError()
                                << "computes " << value.getType()
                                << " between quantized tensors, expected "
                                   "integers: give what comes after it the "
                                   "qconfig none, or what is here a kernel";
      diag.attachNote(sources.lookup(value).getLoc())
          << "computed from these integers";
      diag.attachNote(sinks.lookup(value).getLoc())
          << "these integers are computed from it";
    }
    if (!offenders.empty())
      return signalPassFailure();
    remark::analysis(getOperation().getLoc(),
                     remark::RemarkOpts::name("QB120").category("qbackend"))
        << remark::metric("quantized", static_cast<unsigned>(integers.size()))
        << remark::metric("float", outside);
  }

  /// Fails on the reference form.
  LogicalResult verifyForm() {
    Operation *found = nullptr;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<QuantizeOp, DequantizeOp>(op))
        return WalkResult::advance();
      found = op;
      return WalkResult::interrupt();
    });
    if (!found)
      return success();
    return found->emitOpError()
           << "is the reference form, which computes on floats by "
              "definition, expected ops of an engine or linalg: run "
              "qbackend-create-kernels first";
  }
};
} // namespace
