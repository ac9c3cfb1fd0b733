// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of targets that kernels are generated for. All that a kernel knows
// of a target is how wide its vectors are, and how it adds products of bytes to
// the lanes of an accumulator.

#ifndef QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_TARGETS_H
#define QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_TARGETS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class MCSubtargetInfo;
} // namespace llvm

namespace qbackend::codegen {

/// Which bytes of the input the products of a target are of. Other bytes are
/// moved by 128, and the bias with them.
enum class InputSign { Unsigned, Signed, Either };

struct KernelTarget {
  llvm::StringLiteral name;
  /// The architecture ("x86", "aarch64", "arm", "riscv32"), and what LLVM has
  /// to say of the processor's features ("-mve": not that one); empty: any.
  llvm::StringLiteral architecture;
  llvm::StringLiteral features;
  /// Lanes of 32 bits in a vector, and how many vectors there are.
  int64_t lanes;
  int64_t registers;
  /// How many neighbouring products are added to a lane at once: 4, 2 or 1.
  int64_t products;
  /// Bits of an element of a packed weight.
  unsigned weightBits;
  InputSign sign;
  /// Returns `sums` (`lanes` of i32) plus, in each lane, `products` products of
  /// an element of `input` and one of `weight`. With 4 products the elements
  /// are i8, with 2 products i16, else i32.
  mlir::Value (*dot)(mlir::ImplicitLocOpBuilder &b, mlir::Value sums,
                     mlir::Value input, mlir::Value weight);
  /// Returns the bytes of four vectors of scaled sums (`lanes` of f32, each of
  /// which rounds to nearest, ties to even, 2^31 and more is the lowest; or of
  /// i32); plus
  /// `zeroPoint` (2 x `lanes` of i16; null: 0); saturated to i8 or to u8.
  /// Vector j has the sums of bytes 16 i + 4 j + k in lanes 4 i + k. Null:
  /// there are no such instructions.
  mlir::Value (*pack)(mlir::ImplicitLocOpBuilder &b,
                      llvm::ArrayRef<mlir::Value> scaled, mlir::Value zeroPoint,
                      bool isSigned) = nullptr;
  /// Whether there are AMX tiles, too. Only a process that has asked the system
  /// for them may use them: the target is taken by its name alone.
  bool hasTiles = false;
  /// Returns pairs (2 x `lanes` of i16), each the sum of two neighbouring
  /// products of an unsigned byte of `input` and a signed one of `weight`,
  /// which saturates; or null. A target that has it adds pairs to sums by `dot`
  /// with ones. It is for weights that leave all pairs within 16 bits.
  mlir::Value (*multiplyBytes)(mlir::ImplicitLocOpBuilder &b, mlir::Value input,
                               mlir::Value weight) = nullptr;
  /// Whether bytes of vectors are interleaved by instructions. Where they
  /// aren't, depthwise kernels are those of the last target.
  bool interleaves = true;
  /// The bytes that a step of a copy of an image moves. Without vectors, more
  /// than a register would be as many instructions as it has words or, on
  /// processors that load words at multiples of 4 alone, bytes. A C compiler
  /// finds by itself the bytes that a loop copies.
  int64_t copyBytes = 64;
  /// Whether `dot` has an instruction for one word of a vector of input bytes
  /// in all lanes: dense kernels load whole vectors of them.
  bool byElement = false;
  /// Whether vectors become scalars for a C compiler: the target is taken by
  /// its name alone.
  bool isPortable = false;
  /// Returns `sum` plus all products of the 16 signed bytes of `input` and of
  /// `weight`; or null. Dense kernels of long runs of channels are made of it.
  mlir::Value (*reduce)(mlir::ImplicitLocOpBuilder &b, mlir::Value sum,
                        mlir::Value input, mlir::Value weight) = nullptr;
};

/// All targets, better ones first. The last one is there on any machine.
llvm::ArrayRef<KernelTarget> getKernelTargets();

/// Whether `subtarget` has what `target` needs.
bool supports(const llvm::MCSubtargetInfo &subtarget,
              const KernelTarget &target);

} // namespace qbackend::codegen

#endif // QBACKEND_LIB_EXECUTION_CODEGEN_KERNELS_TARGETS_H
