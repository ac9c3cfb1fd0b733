// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the pipeline to the llvm dialect that share memory with who runs
// the code: what no option of a pass can say.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_LOWERING_LOWERTOLLVM_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_LOWERING_LOWERTOLLVM_H

#include "qbackend/Execution/CodeGen/ConstantStore.h"
#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace qbackend::codegen {

// `store` is where constants are, such as those in the order of kernels and
// tiles; null: in the module.
std::unique_ptr<mlir::Pass>
createGenerateKernelsPass(const GenerateKernelsPassOptions &options,
                          ConstantStore *store);
std::unique_ptr<mlir::Pass>
createVectorizePass(const VectorizePassOptions &options, ConstantStore *store);
std::unique_ptr<mlir::Pass> createPlaceConstantsPass(ConstantStore *store);

/// `bytes` is where it says how large the arena of the last public function is,
/// which its caller then gives; null: as the options say.
std::unique_ptr<mlir::Pass>
createPlaceBuffersPass(const PlaceBuffersPassOptions &options, int64_t *bytes);

/// `messages` is where those of the assertions are added.
std::unique_ptr<mlir::Pass>
createLowerAssertsPass(std::vector<std::string> *messages);

/// `names` are of ops or dialects; `addPasses` adds passes on functions.
std::unique_ptr<mlir::Pass> createForFunctionsWithPass(
    llvm::ArrayRef<llvm::StringRef> names,
    llvm::function_ref<void(mlir::OpPassManager &)> addPasses);

/// Adds a string attribute that the function has in LLVM, too.
void addLLVMAttribute(mlir::func::FuncOp function, llvm::StringRef name,
                      const std::string &value);

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_LOWERING_LOWERTOLLVM_H
