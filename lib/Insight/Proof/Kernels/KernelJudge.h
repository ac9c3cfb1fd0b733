// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong, or not followed, of a kernel: the parts of a judgement.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_KERNELS_KERNELJUDGE_H
#define QBACKEND_LIB_INSIGHT_PROOF_KERNELS_KERNELJUDGE_H

#include "Kernels/LinearForm.h"
#include "Laws/Laws.h"

#include "qbackend/Execution/CodeGen/ConstantStore.h"
#include "qbackend/Execution/Int8/Int8.h"
#include "qbackend/Execution/Samples/ArrayFile.h"
#include "qbackend/Insight/Proof/Prove.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>
#include <set>

namespace qbackend::proof {

/// Images that an unknown batch is taken to have: places are sums of loops, so
/// that two images stand for all.
inline constexpr int64_t assumedBatch = 2;

/// What is wrong, or not followed.
struct Finding {
  Verdict verdict;
  std::string text;
};

/// What lanes make of any sum: of all multipliers, or by steps, each case once.
struct ResultLaw {
  Steps steps;
  std::set<std::vector<uint64_t>> seen;
};

/// A vector that is stored in the result.
struct StoredVector {
  const KernelAccess *store;
  struct Lane {
    const LinearForm *form;
    /// What of the place of a byte depends on loops around the store, and the
    /// constant that all have in common.
    Linear outer;
    int64_t first = 0;
    /// The element that is stored, with `sum`, `m` and `r` as variables, or,
    /// where others take the place of `m`, these `numbers`, and a sum that is
    /// moved by `offset`.
    ResultLaw *law;
    std::optional<KernelElement> multiplier;
    std::vector<std::pair<Term, KernelElement>> numbers;
  };
  std::vector<Lane> lanes;
  /// Loops around it that weights, and what is read of a window, depend on.
  std::vector<unsigned> blockLoops;
};

/// Judges the code of one op: see JudgeKernel.cpp for the order.
class KernelJudge {
public:
  KernelJudge(int8::Conv2dOp op, Solver &solver)
      : op(op), symbols(op->getParentOfType<mlir::ModuleOp>()), solver(solver),
        walk(scope, assumedBatch), forms(walk, scope) {}

  llvm::Expected<std::vector<ProofStep>> judge(mlir::func::FuncOp code);

private:
  using Result = std::optional<Finding>;
  Result open(const llvm::Twine &what) {
    return Finding{Verdict::Open, what.str()};
  }
  Result wrong(const llvm::Twine &what) {
    return Finding{Verdict::Counterexample, what.str()};
  }

  Result readOp();
  Result checkAccesses();
  Result checkBatch();
  Result sortStores();
  Result makeVector(const KernelAccess &store);
  Result makeLane(StoredVector &vector, unsigned index);
  Result checkCopy(Environment &values);
  Result checkResults(Environment &values);
  /// Those of a window that are in the image, or its copy.
  struct Columns {
    int64_t begin, end;
  };
  Columns getColumns(int64_t first);
  Result checkVector(const StoredVector &vector, const Environment &values,
                     int64_t output, int64_t distance, Columns columns);
  Result checkLane(const StoredVector::Lane &lane, Environment values,
                   int64_t output, int64_t distance, Columns columns,
                   uint32_t &moved);
  std::pair<int64_t, int64_t> boundSum(int64_t output);
  llvm::Expected<std::vector<ProofStep>> proveResults(mlir::func::FuncOp code);
  std::string run(mlir::func::FuncOp code);
  llvm::APInt addUp(const arrays::Array &image, int64_t index);
  Term findAdded(Term result);

  /// Whether multipliers are fixed-point numbers.
  bool isFixedPoint() {
    return op.getMultiplier() &&
           op.getMultiplier().getType().getElementType().isInteger(64);
  }
  template <typename T> std::vector<T> readConstant(mlir::Value buffer);
  int64_t getWeight(int64_t output, int64_t ky, int64_t kx, int64_t i) const {
    return weight[((output * kernelY + ky) * kernelX + kx) * inGroup + i];
  }

  int8::Conv2dOp op;
  mlir::SymbolTable symbols;
  Solver &solver;
  Scope scope;
  KernelWalk walk;
  LinearForms forms;

  // Of the op.
  std::vector<int8_t> weight;
  std::vector<int32_t> bias;
  /// As bits: floats, or fixed-point numbers of 64.
  std::vector<uint64_t> multiplier;
  Sort multiplierSort = f32();
  /// Of an element of the image.
  unsigned inputBits = 8;
  int64_t batch, height, width, in, out, kernelY, kernelX, inGroup, outGroup,
      resultY, resultX;
  unsigned inputArgument, resultArgument;
  std::optional<unsigned> residualArgument;
  /// The distance of rows of the image as windows read it.
  int64_t row;
  bool isCopied = false;
  /// Whether a copy has bytes moved by 128, for products of the other sign.
  bool hasOtherSign = false;
  unsigned image = 0;

  std::map<std::string, std::unique_ptr<LinearForm>> known;
  std::vector<StoredVector> vectors;
  std::vector<const KernelAccess *> copies;
  /// The loop over images around a copy and what reads it.
  std::optional<unsigned> imageLoop;
  /// Blocks whose products were compared.
  std::set<std::vector<int64_t>> compared;
  std::vector<bool> written;
  Term sum = nullptr, m = nullptr, residual = nullptr, offset = nullptr;
  /// By when a result is defined, and what it is, in the order of making.
  std::map<std::pair<unsigned, unsigned>, ResultLaw> results;
};

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_KERNELS_KERNELJUDGE_H
