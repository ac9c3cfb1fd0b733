// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of MLIR and of LLVM from a module to machine code.

#ifndef QBACKEND_LIB_EXECUTION_RUNTIME_COMPILEMODULE_H
#define QBACKEND_LIB_EXECUTION_RUNTIME_COMPILEMODULE_H

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"

namespace qbackend::runtime {

/// Runs the pipeline and returns its first diagnostic if it fails.
llvm::Error lowerToLLVM(mlir::ModuleOp module,
                        const codegen::LowerToLLVMOptions &options);

/// Asks the system for the AMX tiles of this processor, which a process may
/// only use then. False: there are none, or it refuses.
bool requestTiles();

/// This processor, with the options that give the same bits on each.
llvm::Expected<llvm::orc::JITTargetMachineBuilder> getTarget(unsigned optLevel);

/// Runs LLVM's passes, of which kernels have few, and returns object files that
/// define together what `module` does. They are compiled on the threads of
/// `threads`, and have the same code however many there are.
llvm::Expected<std::vector<std::unique_ptr<llvm::MemoryBuffer>>>
compileToObjects(std::unique_ptr<llvm::Module> module,
                 const llvm::orc::JITTargetMachineBuilder &target,
                 unsigned optLevel, mlir::MLIRContext *threads);

/// Fails if `module` needs what is neither of the runtime nor in `symbols`: the
/// engine would find any function of this process.
llvm::Error checkSymbols(const llvm::Module &module,
                         const llvm::StringSet<> &symbols);

} // namespace qbackend::runtime

#endif // QBACKEND_LIB_EXECUTION_RUNTIME_COMPILEMODULE_H
