// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inlines private functions at their calls.

#include "InlineCalls.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace qbackend;

/// Calls in calls may double the code each time: no more ops are made than
/// this, what is left are calls.
static constexpr size_t kMaxInlinedOps = 1 << 17;

/// Whether calls of `function` can be its body.
static bool isInlinable(func::FuncOp function) {
  auto hasAttributes = [](ArrayAttr all) {
    return all &&
           llvm::any_of(all.getAsRange<DictionaryAttr>(),
                        [](DictionaryAttr each) { return !each.empty(); });
  };
  // Attributes of arguments say what no code does (their range, say).
  return function.isPrivate() && !function.isExternal() &&
         function.getBody().hasOneBlock() && !function.getNoInline() &&
         !hasAttributes(function.getArgAttrsAttr()) &&
         !hasAttributes(function.getResAttrsAttr());
}

namespace {
/// Puts the bodies of private functions in the place of their calls, callees
/// first.
class CallInliner {
public:
  explicit CallInliner(ModuleOp module) : symbols(module) {
    for (auto function : module.getOps<func::FuncOp>())
      order.push_back(function);
  }

  void run(ModuleOp module) {
    if (auto all = SymbolTable::getSymbolUses(&module.getBodyRegion()))
      for (const SymbolTable::SymbolUse &use : *all)
        ++uses[use.getSymbolRef().getRootReference()];
    for (func::FuncOp function : order)
      visit(function);
    for (func::FuncOp function : order)
      if (waiting.contains(function)) {
        // Nobody has taken it: its call is of another type, or its own.
        open.insert(function);
        inlineInto(function);
        open.erase(function);
      }
    llvm::DenseSet<StringAttr> used;
    if (auto uses = SymbolTable::getSymbolUses(&module.getBodyRegion()))
      for (const SymbolTable::SymbolUse &use : *uses)
        used.insert(use.getSymbolRef().getRootReference());
    else
      return;
    for (func::FuncOp function : order)
      if (inlined.contains(function) && !used.contains(function.getNameAttr()))
        function.erase();
  }

private:
  /// Depth first over an explicit stack: chains of calls may be deep.
  void visit(func::FuncOp root) {
    SmallVector<std::pair<func::FuncOp, bool>> stack = {{root, false}};
    while (!stack.empty()) {
      auto [function, expanded] = stack.pop_back_val();
      if (expanded) {
        // What is called once is moved before its own calls are looked at: each
        // op moves once, however deep calls are in calls.
        if (isInlinable(function) && uses.lookup(function.getNameAttr()) == 1)
          waiting.insert(function);
        else
          inlineInto(function);
        open.erase(function);
        continue;
      }
      if (!visited.insert(function).second)
        continue;
      open.insert(function);
      stack.push_back({function, true});
      function.walk([&](func::CallOp call) {
        func::FuncOp callee = lookup(call);
        if (callee && isInlinable(callee) && !visited.contains(callee))
          stack.push_back({callee, false});
      });
    }
  }

  func::FuncOp lookup(func::CallOp call) {
    return symbols.lookup<func::FuncOp>(
        call.getCalleeAttr().getRootReference().getValue());
  }

  /// From the last one on.
  static SmallVector<func::CallOp> findCalls(Region &body) {
    SmallVector<func::CallOp> calls;
    body.walk([&](func::CallOp call) { calls.push_back(call); });
    std::reverse(calls.begin(), calls.end());
    return calls;
  }

  void inlineInto(func::FuncOp caller) {
    SmallVector<func::CallOp> calls = findCalls(caller.getBody());
    while (!calls.empty()) {
      func::CallOp call = calls.pop_back_val();
      func::FuncOp callee = lookup(call);
      // One that is open calls itself.
      if (callee && open.contains(callee))
        recursive.insert(callee);
      if (!callee || !isInlinable(callee) || recursive.contains(callee) ||
          call.getOperandTypes() != callee.getArgumentTypes() ||
          call.getResultTypes() != callee.getResultTypes())
        continue;
      Block &body = callee.getBody().front();
      if (uses.lookup(callee.getNameAttr()) == 1) {
        if (waiting.erase(callee))
          calls.append(findCalls(callee.getBody()));
        moveInto(call, body);
        symbols.erase(callee);
        continue;
      }
      auto [size, inserted] = sizes.try_emplace(callee, 0);
      if (inserted)
        body.walk([size = size](Operation *) { ++size->second; });
      if (created + size->second > kMaxInlinedOps)
        continue;
      created += size->second;
      IRMapping mapping;
      mapping.map(body.getArguments(), call.getOperands());
      OpBuilder builder(call);
      for (Operation &op : body.without_terminator())
        builder.clone(op, mapping);
      for (auto [result, value] : llvm::zip_equal(
               call.getResults(), body.getTerminator()->getOperands()))
        result.replaceAllUsesWith(mapping.lookupOrDefault(value));
      call.erase();
      inlined.insert(callee);
    }
  }

  /// What is called once needs no second body.
  static void moveInto(func::CallOp call, Block &body) {
    for (auto [argument, operand] :
         llvm::zip_equal(body.getArguments(), call.getOperands()))
      argument.replaceAllUsesWith(operand);
    for (auto [result, value] : llvm::zip_equal(
             call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(value);
    call->getBlock()->getOperations().splice(call->getIterator(),
                                             body.getOperations(), body.begin(),
                                             std::prev(body.end()));
    call.erase();
  }

  SymbolTable symbols;
  SmallVector<func::FuncOp> order;
  llvm::DenseSet<func::FuncOp> visited, open, recursive, inlined;
  /// Called once, and not yet moved to where.
  llvm::DenseSet<func::FuncOp> waiting;
  llvm::DenseMap<StringAttr, unsigned> uses;
  llvm::DenseMap<func::FuncOp, size_t> sizes;
  size_t created = 0;
};
} // namespace

void qbackend::inlineCalls(ModuleOp module) { CallInliner(module).run(module); }
