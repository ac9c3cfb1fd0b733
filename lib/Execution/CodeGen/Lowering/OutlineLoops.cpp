// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves loop nests, and calls of what is passed descriptors, to functions of
// their own, which equal ones share: passes of LLVM take more than linear time
// for one giant function.

#include "qbackend/Dialect/QBackend/DiscardableAttrs.h"
#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_OUTLINELOOPSPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;
using namespace qbackend;

namespace {
struct OutlineLoopsPass
    : qbackend::codegen::impl::OutlineLoopsPassBase<OutlineLoopsPass> {
  using OutlineLoopsPassBase::OutlineLoopsPassBase;

  void runOnOperation() final;

  void outline(Operation *op, SymbolTable &symbols);

  /// The functions so far, by a hash of their ops.
  DenseMap<unsigned, SmallVector<func::FuncOp, 1>> functions;
};
} // namespace

/// Whether a value can be an argument: of a buffer that is passed as a bare
/// pointer, its type has to say all else.
static bool canPass(Type type, bool barePointers) {
  auto buffer = dyn_cast<MemRefType>(type);
  if (!buffer)
    return type.isIntOrIndexOrFloat();
  if (!barePointers)
    return true;
  SmallVector<int64_t> strides;
  int64_t offset;
  return buffer.hasStaticShape() &&
         succeeded(buffer.getStridesAndOffset(strides, offset)) &&
         offset == 0 && !ShapedType::isDynamicShape(strides);
}

namespace {
/// What a function needs for the values that it reads: arguments, and ops that
/// are cloned into it, in order.
struct Captured {
  bool barePointers;
  SetVector<Value> arguments;
  SetVector<Operation *> cloned;

  /// Constants and views are made in the function. False if `value` can't be
  /// had there.
  bool add(Value value) {
    Operation *op = value.getDefiningOp();
    bool isView = op && isa<ViewLikeOpInterface>(op) && isPure(op);
    if (!matchPattern(value, m_Constant()) && !isView) {
      if (canPass(value.getType(), barePointers))
        arguments.insert(value);
      return canPass(value.getType(), barePointers);
    }
    for (Value operand : op->getOperands())
      if (!add(operand))
        return false;
    cloned.insert(op);
    return true;
  }
};
} // namespace

/// Of what equal functions have in common without regard to the order of
/// values.
static unsigned hashOps(func::FuncOp function) {
  llvm::hash_code hash = hash_value(function.getFunctionType());
  function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  });
  // Without the keys that a map keeps for itself.
  return static_cast<unsigned>(size_t(hash)) >> 1;
}

static bool isEqual(func::FuncOp a, func::FuncOp b) {
  return a.getFunctionType() == b.getFunctionType() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

/// Returns how many turns a loop has that threads may share.
static std::optional<int64_t> countTurns(scf::ForOp loop) {
  std::optional<int64_t> begin = getConstantIntValue(loop.getLowerBound()),
                         end = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep());
  if (!loop->hasAttr(kParallelAttrName) || !begin || !end || !step ||
      *step <= 0 || *end - *begin < 2 * *step || (*end - *begin) % *step != 0)
    return std::nullopt;
  return (*end - *begin) / *step;
}

/// Whether `op` is worth a function: a loop, or a call that makes descriptors.
static bool isOutlined(Operation &op) {
  return op.getNumResults() == 0 &&
         (isa<scf::ForOp>(op) ||
          (isa<func::CallOp>(op) &&
           llvm::any_of(op.getOperandTypes(),
                        llvm::IsaPred<UnrankedMemRefType>)));
}

void OutlineLoopsPass::outline(Operation *op, SymbolTable &symbols) {
  auto loop = dyn_cast<scf::ForOp>(op);
  std::optional<int64_t> turns =
      loop && parallel ? countTurns(loop) : std::nullopt;
  op->removeAttr(kParallelAttrName);
  // Which constant a nest reads doesn't make it another one.
  op->walk([&](memref::GetGlobalOp get) { get->moveBefore(op); });
  SetVector<Value> captured(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  Captured needed{barePointers, {}, {}};
  for (Value value : captured) {
    // Nor does the number that a call is told.
    if (!loop && value.getType().isIndex())
      needed.arguments.insert(value);
    else if (!needed.add(value))
      return;
  }
  ArrayRef<Value> arguments = needed.arguments.getArrayRef();

  Location loc = op->getLoc();
  ImplicitLocOpBuilder b(loc, op->getContext());
  SmallVector<Type> types = llvm::to_vector(TypeRange(ValueRange(arguments)));
  if (turns)
    types.append(2, b.getIndexType());
  auto function = func::FuncOp::create(b, loop ? "loops" : "call",
                                       b.getFunctionType(types, TypeRange()));
  function.setPrivate();
  function->setAttr("passthrough", b.getStrArrayAttr({"noinline"}));
  // Descriptors are many arguments, at each call.
  if (llvm::all_of(arguments, [](Value value) {
        return canPass(value.getType(), /*barePointers=*/true);
      }))
    function->setAttr("llvm.bareptr", b.getUnitAttr());
  b.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  mapping.map(arguments, function.getArguments().take_front(arguments.size()));
  for (Operation *cloned : needed.cloned)
    b.clone(*cloned, mapping);
  Operation *end = func::ReturnOp::create(b);
  OpBuilder caller(op);
  Operation *next = op->getNextNode();
  op->moveBefore(end);
  auto replace = [&](OpOperand &operand) {
    operand.set(mapping.lookupOrDefault(operand.get()));
  };
  op->walk([&](Operation *inner) {
    llvm::for_each(inner->getOpOperands(), replace);
  });
  if (turns) {
    b.setInsertionPoint(loop);
    Value first = loop.getLowerBound(), step = loop.getStep();
    auto getBound = [&](Value turn) -> Value {
      return arith::AddIOp::create(b, first,
                                   arith::MulIOp::create(b, turn, step));
    };
    auto range = function.getArguments().take_back(2);
    loop.setLowerBound(getBound(range[0]));
    loop.setUpperBound(getBound(range[1]));
  }

  auto &equal = functions[hashOps(function)];
  auto found = llvm::find_if(
      equal, [&](func::FuncOp other) { return isEqual(function, other); });
  if (found == equal.end()) {
    // Which gives it its name.
    symbols.insert(function);
    equal.push_back(function);
    found = std::prev(equal.end());
  } else {
    function.erase();
  }
  caller.setInsertionPoint(next);
  SmallVector<Value> operands(arguments);
  if (turns)
    for (int64_t turn : {int64_t(0), *turns})
      operands.push_back(arith::ConstantIndexOp::create(caller, loc, turn));
  auto call = func::CallOp::create(caller, loc, *found, operands);
  if (turns)
    call->setAttr(kUnitsAttrName, b.getI64IntegerAttr(*turns));
}

void OutlineLoopsPass::runOnOperation() {
  functions.clear();
  SymbolTable symbols(getOperation());
  SmallVector<Operation *> outlined;
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    // One that was made for its loops already.
    if (function.isPrivate() && function->hasAttr("passthrough"))
      continue;
    for (Block &block : function.getBody())
      for (Operation &op : block)
        if (isOutlined(op))
          outlined.push_back(&op);
  }
  for (Operation *op : outlined)
    outline(op, symbols);
}
