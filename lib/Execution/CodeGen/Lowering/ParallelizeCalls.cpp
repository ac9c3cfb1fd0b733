// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes tasks of calls that can be cut in parts, for whatever has threads.

#include "qbackend/Dialect/QBackend/DiscardableAttrs.h"
#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_PARALLELIZECALLSPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;
using namespace qbackend::codegen;

namespace {
struct ParallelizeCallsPass
    : qbackend::codegen::impl::ParallelizeCallsPassBase<ParallelizeCallsPass> {
  using ParallelizeCallsPassBase::ParallelizeCallsPassBase;

  void runOnOperation() final;

  void makeTask(LLVM::CallOp call, SymbolTable &symbols);
  LLVM::LLVMFuncOp getTask(LLVM::LLVMFuncOp callee, Type context,
                           SymbolTable &symbols);
  LLVM::LLVMFuncOp getSerial(SymbolTable &symbols);

  DenseMap<Operation *, LLVM::LLVMFuncOp> tasks;
  LLVM::LLVMFuncOp serial;
};
} // namespace

static LLVM::LLVMFuncOp addFunction(Location loc, StringRef name,
                                    ArrayRef<Type> types,
                                    SymbolTable &symbols) {
  ImplicitLocOpBuilder b(loc, loc.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), types);
  auto function =
      LLVM::LLVMFuncOp::create(b, name, type, LLVM::Linkage::Internal);
  symbols.insert(function);
  return function;
}

/// Adds `parallel_for` and its pool. (insertArgument refuses functions without
/// a result.)
static void addArguments(LLVM::LLVMFuncOp function) {
  Type pointer = LLVM::LLVMPointerType::get(function.getContext());
  LLVM::LLVMFunctionType type = function.getFunctionType();
  SmallVector<Type> inputs = llvm::to_vector(type.getParams());
  inputs.append(2, pointer);
  SmallVector<Attribute> attributes;
  if (ArrayAttr given = function.getArgAttrsAttr()) {
    llvm::append_range(attributes, given);
    attributes.append(2, DictionaryAttr::get(function.getContext()));
    function.setArgAttrsAttr(ArrayAttr::get(function.getContext(), attributes));
  }
  function.setFunctionType(LLVM::LLVMFunctionType::get(
      type.getReturnType(), inputs, type.isVarArg()));
  function.front().addArguments({pointer, pointer},
                                {function.getLoc(), function.getLoc()});
}

/// void task(void *context, int64_t begin, int64_t end): calls `callee` with
/// the fields of the structure `context`, and the range.
LLVM::LLVMFuncOp ParallelizeCallsPass::getTask(LLVM::LLVMFuncOp callee,
                                               Type context,
                                               SymbolTable &symbols) {
  LLVM::LLVMFuncOp &task = tasks[callee];
  if (task)
    return task;
  ImplicitLocOpBuilder b(callee.getLoc(), &getContext());
  task = addFunction(callee.getLoc(), (callee.getName() + "_task").str(),
                     {LLVM::LLVMPointerType::get(&getContext()), b.getI64Type(),
                      b.getI64Type()},
                     symbols);
  Block *body = task.addEntryBlock(b);
  b.setInsertionPointToStart(body);
  Value fields = LLVM::LoadOp::create(b, context, body->getArgument(0));
  SmallVector<Value> operands;
  for (size_t i = 0; i < cast<LLVM::LLVMStructType>(context).getBody().size();
       ++i)
    operands.push_back(LLVM::ExtractValueOp::create(b, fields, i));
  // An index of the callee may have 32 bits.
  Type indexType = callee.getFunctionType().getParams().back();
  for (Value bound : body->getArguments().take_back(2))
    operands.push_back(bound.getType() == indexType
                           ? bound
                           : LLVM::TruncOp::create(b, indexType, bound));
  LLVM::CallOp::create(b, callee, operands);
  LLVM::ReturnOp::create(b, ValueRange());
  return task;
}

/// A `parallel_for` without threads.
LLVM::LLVMFuncOp ParallelizeCallsPass::getSerial(SymbolTable &symbols) {
  if (serial)
    return serial;
  ImplicitLocOpBuilder b(getOperation().getLoc(), &getContext());
  Type pointer = LLVM::LLVMPointerType::get(&getContext());
  serial = addFunction(b.getLoc(), "serial_for",
                       {pointer, pointer, pointer, b.getI64Type()}, symbols);
  Block *body = serial.addEntryBlock(b);
  b.setInsertionPointToStart(body);
  Value zero = LLVM::ConstantOp::create(b, b.getI64IntegerAttr(0));
  auto task =
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&getContext()),
                                  {pointer, b.getI64Type(), b.getI64Type()});
  LLVM::CallOp::create(
      b, task,
      {body->getArgument(1), body->getArgument(2), zero, body->getArgument(3)});
  LLVM::ReturnOp::create(b, ValueRange());
  return serial;
}

/// A call with `qbackend.units` -> a call of `parallel_for`, which is an
/// argument of the function by now.
void ParallelizeCallsPass::makeTask(LLVM::CallOp call, SymbolTable &symbols) {
  auto caller = call->getParentOfType<LLVM::LLVMFuncOp>();
  auto callee = symbols.lookup<LLVM::LLVMFuncOp>(*call.getCallee());
  MLIRContext *context = &getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  // All but the range.
  ValueRange operands = call.getCalleeOperands().drop_back(2);
  Type fields = LLVM::LLVMStructType::getLiteral(
      context, llvm::to_vector(operands.getTypes()));
  LLVM::LLVMFuncOp task = getTask(callee, fields, symbols);

  ImplicitLocOpBuilder b(call.getLoc(), context);
  // At the beginning: in a loop, each turn would take more of the stack.
  b.setInsertionPointToStart(&caller.front());
  Value one = LLVM::ConstantOp::create(b, b.getI64IntegerAttr(1));
  Value memory = LLVM::AllocaOp::create(b, pointer, fields, one);
  b.setInsertionPoint(call);
  Value packed = LLVM::UndefOp::create(b, fields);
  for (auto [i, operand] : llvm::enumerate(operands))
    packed = LLVM::InsertValueOp::create(b, packed, operand, i);
  LLVM::StoreOp::create(b, packed, memory);
  unsigned last = caller.getNumArguments();
  Value given = caller.getArgument(last - 2),
        pool = caller.getArgument(last - 1);
  Value null = LLVM::ZeroOp::create(b, pointer);
  Value isNull = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, given, null);
  Value inOne = LLVM::AddressOfOp::create(b, getSerial(symbols));
  Value parallelFor = LLVM::SelectOp::create(b, isNull, inOne, given);
  Value taskAddress = LLVM::AddressOfOp::create(b, task);
  Value count = LLVM::ConstantOp::create(
      b, call->getAttrOfType<IntegerAttr>(qbackend::kUnitsAttrName));
  LLVM::CallOp::create(b, getSerial(symbols).getFunctionType(),
                       {parallelFor, pool, taskAddress, memory, count});
  call.erase();
}

void ParallelizeCallsPass::runOnOperation() {
  tasks.clear();
  serial = nullptr;
  SymbolTable symbols(getOperation());
  SmallVector<LLVM::CallOp> calls;
  DenseMap<Operation *, SmallVector<LLVM::CallOp>> callsOf;
  // The functions that take `parallel_for`: public ones, and on the way from
  // these to the calls.
  llvm::SetVector<LLVM::LLVMFuncOp> taking;
  for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal())
      continue;
    if (function.isPublic() && function.getLinkage() == LLVM::Linkage::External)
      taking.insert(function);
    function.walk([&](LLVM::CallOp call) {
      if (!call.getCallee())
        return;
      if (call->hasAttr(qbackend::kUnitsAttrName)) {
        calls.push_back(call);
        taking.insert(function);
      } else if (auto callee =
                     symbols.lookup<LLVM::LLVMFuncOp>(*call.getCallee())) {
        callsOf[callee].push_back(call);
      }
    });
  }
  for (unsigned i = 0; i < taking.size(); ++i) {
    LLVM::LLVMFuncOp function = taking[i];
    addArguments(function);
    for (LLVM::CallOp call : callsOf.lookup(function))
      taking.insert(call->getParentOfType<LLVM::LLVMFuncOp>());
  }
  for (LLVM::LLVMFuncOp function : taking)
    for (LLVM::CallOp call : callsOf.lookup(function)) {
      auto caller = call->getParentOfType<LLVM::LLVMFuncOp>();
      call.getCalleeOperandsMutable().append(
          caller.getArguments().take_back(2));
    }
  for (LLVM::CallOp call : calls)
    makeTask(call, symbols);
}
