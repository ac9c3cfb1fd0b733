// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From tosa, linalg and tensor to the llvm dialect, with vector code.

#ifndef QBACKEND_EXECUTION_CODEGEN_PASSES_H
#define QBACKEND_EXECUTION_CODEGEN_PASSES_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace qbackend::codegen {

struct ConstantStore;

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "qbackend/Execution/CodeGen/Passes.h.inc"

/// Elements that a tensor which is run may have; memory can't hold more, and
/// offsets of 32 bits reach no further.
inline constexpr int64_t kMaxElements = int64_t(1) << 31;

/// Generated kernels have this attribute in LLVM IR: most of its passes have
/// nothing to do on them.
inline constexpr llvm::StringLiteral kKernelAttribute = "qbackend-kernel";

/// Whether `function`, of the func or the llvm dialect, is a generated kernel,
/// or one that kernels call, which has that attribute, too.
bool isKernel(mlir::Operation *function);

/// The target whose kernels use AMX tiles: a process has to ask the system for
/// these once, so that it is taken by its name only.
inline constexpr llvm::StringLiteral kTileTarget = "amx";

/// The target whose kernels are for a C compiler, which is taken by its name
/// only, too: scalars alone, and bytes are copied one by one.
inline constexpr llvm::StringLiteral kPortableTarget = "portable";

struct LowerToLLVMOptions {
  /// The processor, which of its kernels to use, and whether public functions
  /// take what runs parts of them on threads, see qbackend-parallelize-calls,
  /// as their last two arguments.
  GenerateKernelsPassOptions target;
  /// Functions take a pointer to the row-major elements of each argument, then
  /// of each result, then to its buffers, see qbackend-place-buffers. Shapes
  /// have to be static.
  bool barePointers = false;
  /// Where to say how many bytes of buffers the public function needs, which
  /// are its last argument then, as with `barePointers`; -1 if there is no such
  /// argument. Null: it allocates them.
  int64_t *arenaBytes = nullptr;
  /// With `barePointers`: bytes of a second arena in fast memory, which is the
  /// last argument, see qbackend-place-buffers; -1: there is one arena.
  int64_t fastBytes = -1;
  /// Float products are not rounded before they are added to a sum, see
  /// qbackend-vectorize.
  bool contract = false;
  /// The functions are of buffers already.
  bool onBuffers = false;
  /// Asserts that ops on tensors stay within them, for code that isn't trusted.
  bool checkBounds = false;
  /// Where the elements of big constants are, which become declarations; null:
  /// in the module. Has to outlive the compiled code.
  ConstantStore *constants = nullptr;
  /// A failed `cf.assert` calls `qbackend_runtime_assert_failed(i64)` with the
  /// index of its message in here; null: it prints the message and aborts.
  std::vector<std::string> *assertMessages = nullptr;
};

/// Adds the passes from tosa, linalg, tensor, ... to the llvm dialect.
/// Arguments of public functions are only read.
void buildLowerToLLVMPipeline(mlir::OpPassManager &pm,
                              const LowerToLLVMOptions &options);

/// Adds the passes from tosa, linalg, tensor, ... to func, scf, memref, arith
/// and math on scalars: what writeC takes. Functions take bare pointers, and
/// their last argument is the arena, see LowerToLLVMOptions. `fastBytes` is
/// that of LowerToLLVMOptions.
void buildLowerToCPipeline(mlir::OpPassManager &pm, int64_t fastBytes = -1);

/// Registers them as `qbackend-lower-to-llvm` and `qbackend-lower-to-c`.
void registerLowerToLLVMPipeline();

/// Registers the dialects that the pipeline takes and makes, and the interfaces
/// that it needs.
void registerCodeGenDialects(mlir::DialectRegistry &registry);

} // namespace qbackend::codegen

#endif // QBACKEND_EXECUTION_CODEGEN_PASSES_H
