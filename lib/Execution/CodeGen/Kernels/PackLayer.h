// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernel of one layer reads, from the constants of its op: which
// kernel it is, how it requantizes, and its weights in their order.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_PACKLAYER_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_PACKLAYER_H

#include "KernelEmitter.h"
#include "Requantization/IntegerRequantizer.h"

#include "mlir/IR/SymbolTable.h"

#include <optional>

namespace qbackend::codegen {

/// What kernels are made for.
struct KernelTargets {
  /// That of kernels on bytes.
  const KernelTarget *bytes = nullptr;
  /// The target of kernels on 16 bits, which have no products by fours.
  const KernelTarget *wide = nullptr;
  /// Whether there are no instructions for floats, or none that C can rely on.
  bool avoidsFloats = false;
  /// Whether vectors of f64 are faster than products of 64 bits.
  bool hasDoubles = false;
  /// Whether vectors of f32 are multiplied and added with one rounding.
  bool hasFma = false;
};

/// One convolution, and what its kernel reads: elements of the op's operands,
/// and then in the order of the kernel. `multiplier` or `fixedPoint` is empty.
struct Layer {
  /// Fails, with an error at `op`, if a number is no constant.
  static mlir::FailureOr<Layer> read(int8::Conv2dOp op,
                                     const mlir::SymbolTable &symbols);

  /// Chooses the kernel and makes `packed`. Has no effect but on this layer, so
  /// that several are packed at once.
  void pack(const KernelTargets &targets);

  int8::Conv2dOp op;
  /// Of `splat`, or of the constant.
  llvm::ArrayRef<int8_t> weight;
  std::vector<int8_t> splat;
  std::vector<int32_t> bias;
  std::vector<float> multiplier;
  std::vector<int64_t> fixedPoint;
  std::unique_ptr<KernelEmitter> emitter;
  std::optional<IntegerMultipliers> integers;
  /// Whether it is requantized by FloatMultipliers.
  bool isFixedByFloats = false;
  PackedConstants packed;

private:
  std::unique_ptr<KernelEmitter> createEmitter(const KernelTargets &targets,
                                               bool packs);
};

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_PACKLAYER_H
