// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns kernels to modules, and declares what these have of each other.

#include "SplitKernels.h"

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace qbackend;

static size_t countOps(LLVM::LLVMFuncOp function) {
  size_t count = 0;
  for (Block &block : function.getBody())
    count += block.getOperations().size();
  return count;
}

/// Which module each kernel is in; what isn't a kernel stays in module 0, and
/// so do kernels that are small beside it.
static std::vector<SmallVector<LLVM::LLVMFuncOp>>
assignKernels(ModuleOp module) {
  // The whole pipeline takes longer than the few passes of a kernel.
  constexpr size_t pipelineWeight = 4;
  // In ops; below, to begin a module takes longer than it saves.
  constexpr size_t leastSize = 2000, mostModules = 16;
  size_t otherSize = 0, kernelSize = 0;
  SmallVector<std::pair<size_t, LLVM::LLVMFuncOp>> kernels;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    size_t size = countOps(function);
    if (!function.isExternal() && codegen::isKernel(function)) {
      kernels.emplace_back(size, function);
      kernelSize += size;
    } else {
      otherSize += pipelineWeight * size;
    }
  }
  size_t count = std::min(1 + kernelSize / leastSize, mostModules);
  std::vector<SmallVector<LLVM::LLVMFuncOp>> assigned(count);
  std::vector<size_t> sizes(count, 0);
  // Later ones get less, so that the threads that take them end alike.
  for (auto [i, size] : llvm::enumerate(sizes))
    size = i * kernelSize / (count * count);
  sizes[0] = otherSize;
  llvm::stable_sort(
      kernels, [](const auto &a, const auto &b) { return a.first > b.first; });
  for (auto [size, kernel] : kernels) {
    auto least = llvm::min_element(sizes);
    *least += size;
    assigned[least - sizes.begin()].push_back(kernel);
  }
  return assigned;
}

/// Makes `symbol` external, and returns a declaration of it; a constant that
/// only its module has is copied instead.
static Operation *share(Operation *symbol) {
  constexpr LLVM::Linkage external = LLVM::Linkage::External;
  if (auto function = dyn_cast<LLVM::LLVMFuncOp>(symbol)) {
    if (function.getLinkage() != LLVM::Linkage::Weak)
      function.setLinkage(external);
    LLVM::LLVMFuncOp declaration = function.cloneWithoutRegions();
    declaration.setLinkage(external);
    return declaration;
  }
  auto global = cast<LLVM::GlobalOp>(symbol);
  if (global.getConstant() && global.getValueAttr() &&
      (global.getLinkage() == LLVM::Linkage::Internal ||
       global.getLinkage() == LLVM::Linkage::Private))
    return global.clone();
  global.setLinkage(external);
  LLVM::GlobalOp declaration = global.cloneWithoutRegions();
  declaration.removeValueAttr();
  return declaration;
}

std::vector<OwningOpRef<ModuleOp>>
runtime::splitKernels(OwningOpRef<ModuleOp> module) {
  SymbolTable symbols(*module);
  std::vector<SmallVector<LLVM::LLVMFuncOp>> assigned = assignKernels(*module);
  for (auto function : module->getOps<LLVM::LLVMFuncOp>()) {
    // What LLVM may call later, as any other module's code may.
    if (function.getLinkage() == LLVM::Linkage::Weak)
      function.setVisibility_(LLVM::Visibility::Default);
    else if (!function.isExternal())
      function.setLinkage(LLVM::Linkage::Internal);
  }
  std::vector<OwningOpRef<ModuleOp>> modules;
  modules.push_back(std::move(module));
  for (ArrayRef<LLVM::LLVMFuncOp> kernels : ArrayRef(assigned).drop_front()) {
    ModuleOp part = ModuleOp::create(modules[0]->getLoc());
    modules.push_back(part);
    part->setAttrs(modules[0]->getOperation()->getAttrDictionary());
    DenseSet<StringAttr> known;
    for (LLVM::LLVMFuncOp kernel : kernels)
      known.insert(kernel.getSymNameAttr());
    auto use = [&](FlatSymbolRefAttr name) {
      if (!name || !known.insert(name.getAttr()).second)
        return;
      part.push_back(share(symbols.lookup(name.getAttr())));
    };
    for (LLVM::LLVMFuncOp kernel : kernels)
      kernel.walk([&](Operation *op) {
        if (auto call = dyn_cast<LLVM::CallOp>(op))
          use(call.getCalleeAttr());
        else if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
          use(address.getGlobalNameAttr());
      });
  }
  // All are declared where they were before, also for one another.
  for (unsigned part = 1; part < modules.size(); ++part)
    for (LLVM::LLVMFuncOp kernel : assigned[part]) {
      OpBuilder(kernel).insert(share(kernel));
      kernel->remove();
      modules[part]->push_back(kernel);
    }
  return modules;
}
