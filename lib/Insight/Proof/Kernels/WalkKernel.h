// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector code of kernels as what it reads and stores: each body is walked once,
// with its loops as symbols and its lanes as terms.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_KERNELS_WALKKERNEL_H
#define QBACKEND_LIB_INSIGHT_PROOF_KERNELS_WALKKERNEL_H

#include "Kernels/Places.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <deque>
#include <variant>

namespace qbackend::proof {

/// Memory of one dimension. `values` are the bits of a constant's elements,
/// sign extended.
struct KernelBuffer {
  enum Kind { Argument, Constant, Scratch };
  Kind kind;
  /// Of an argument its number.
  unsigned argument = 0;
  Sort sort = bits(8);
  int64_t size = 0;
  std::vector<int64_t> values;
};

/// An element of a buffer.
struct KernelElement {
  unsigned buffer;
  Linear at;
};

/// `count` elements from `at` on are read, or `lanes` are stored there, in each
/// step of `loops`.
struct KernelAccess {
  unsigned buffer;
  Linear at;
  int64_t count;
  std::vector<unsigned> loops;
  std::vector<Term> lanes;
};

/// What a loop carries along in one lane.
struct KernelSum {
  unsigned loop;
  Term init, carried, step = nullptr;
};

/// clamp(a[0] * b[0] + a[1] * b[1], -32768, 32767), all extended: a unsigned, b
/// signed.
struct KernelPair {
  Term a[2], b[2];
};

class KernelWalk {
public:
  /// An unknown extent of a buffer is `assumed` elements.
  KernelWalk(Scope &scope, int64_t assumed) : scope(scope), assumed(assumed) {}

  /// Walks `function`, whose buffers become those of its arguments, with all
  /// that it calls. An error says what has no meaning here.
  llvm::Error walk(mlir::func::FuncOp function);

  Places places;
  std::vector<KernelBuffer> buffers;
  /// In the order of the code: `loads` before a store are those with a smaller
  /// index than its `loadsBefore`.
  std::vector<KernelAccess> loads, stores;
  std::vector<size_t> loadsBefore;
  /// By the variables that stand for them.
  llvm::DenseMap<Term, KernelElement> elements;
  llvm::DenseMap<Term, KernelSum> sums;
  llvm::DenseMap<Term, KernelPair> pairs;
  /// What has to be 1 for a term to be defined.
  llvm::DenseMap<Term, Term> conditions;

private:
  /// Lanes of `per` parts each, the low ones first.
  struct Lanes {
    std::vector<Term> parts;
    unsigned per = 1;
    size_t count() const { return parts.size() / per; }
  };
  using Held = std::variant<Lanes, Linear, unsigned>;

  llvm::Error walkBlock(mlir::Block &block);
  llvm::Error walkOp(mlir::Operation *op);
  llvm::Error walkLoop(mlir::Operation *op);
  llvm::Error walkCall(mlir::Operation *op);
  llvm::Error walkIndex(mlir::Operation *op);
  llvm::Error walkLanes(mlir::Operation *op);
  llvm::Error walkIntrinsic(mlir::Operation *op);
  llvm::Error walkDot(mlir::Operation *op, llvm::ArrayRef<Lanes> operands,
                      bool &isKnown);
  /// Roundings, saturating packs and sums; false: it is none of these.
  bool walkSaturating(mlir::Operation *op, llvm::StringRef name,
                      llvm::ArrayRef<Lanes> operands);
  bool walkVector(mlir::Operation *op);
  bool walkMemory(mlir::Operation *op);

  llvm::Expected<unsigned> addGlobal(mlir::Operation *op);
  Term getElement(unsigned buffer, const Linear &at);
  Lanes *getLanes(mlir::Value value);
  Linear *getPlace(mlir::Value value);
  unsigned *getBuffer(mlir::Value value);
  /// Lanes of one part each.
  Lanes join(const Lanes &lanes);
  /// `value`, which is signed, clamped to integers of `width` bits.
  Term saturate(Term value, unsigned width, bool isSigned);
  /// sum of extended products.
  Term addProduct(Term sum, Term a, bool isSignedA, Term b, bool isSignedB);

  Scope &scope;
  int64_t assumed;
  llvm::DenseMap<mlir::Value, Held> held;
  llvm::DenseMap<mlir::Operation *, unsigned> globals;
  /// Lists of places, at addresses that stay.
  std::deque<std::vector<int64_t>> tables;
  /// Those that are open, and how many of them carry something.
  std::vector<unsigned> loops;
  unsigned carrying = 0, calls = 0;
};

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_KERNELS_WALKKERNEL_H
