// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of MLIR and of LLVM from a module to machine code.

#ifndef QBACKEND_LIB_EXECUTION_RUNTIME_COMPILEMODULE_H
#define QBACKEND_LIB_EXECUTION_RUNTIME_COMPILEMODULE_H

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
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

/// Compiles `module`, which is in the llvm dialect, to object files that define
/// together what it does. `complete` gives the LLVM module of what isn't a
/// kernel what the llvm dialect can't say. Fails if there is
/// anything but the functions of the runtime and `symbols` that it lacks then.
/// The object files, most of them of kernels, are made on the threads of the
/// module's context, and have the same code however many there are.
llvm::Expected<std::vector<std::unique_ptr<llvm::MemoryBuffer>>>
compileToObjects(mlir::OwningOpRef<mlir::ModuleOp> module,
                 const llvm::orc::JITTargetMachineBuilder &target,
                 unsigned optLevel, llvm::StringSet<> symbols,
                 llvm::function_ref<void(llvm::Module &)> complete);

} // namespace qbackend::runtime

#endif // QBACKEND_LIB_EXECUTION_RUNTIME_COMPILEMODULE_H
