// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emitted code on the values of a counterexample: what it is that is run, and
// what comes out, is the compiler's, not ours.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_RUNNING_RUNCODE_H
#define QBACKEND_LIB_INSIGHT_PROOF_RUNNING_RUNCODE_H

#include "Laws/Laws.h"

#include "qbackend/Execution/Samples/ArrayFile.h"

#include "mlir/IR/BuiltinOps.h"

namespace qbackend::proof {

/// Where a result isn't the formula's, as text; nothing if it is everywhere.
using CompareRun = llvm::function_ref<std::optional<std::string>(
    llvm::ArrayRef<arrays::Array> inputs, const arrays::Array &result)>;

/// The bits of an element.
llvm::APInt getElement(const arrays::Array &array, int64_t index);

/// Of different arrays.
inline constexpr unsigned manyRuns = 40;

/// What an argument is filled with: any numbers, `value` among them, and of
/// `below` other than 0 the remainders.
struct Filling {
  std::optional<llvm::APInt> value;
  uint64_t below = 0;
};

/// Compiles the function `entry` of `module`, which has one result, and calls
/// it `runs` times on arrays: in the first run argument i is filled with
/// `given[i]`, where that is, in others it has that here and there. Returns
/// what that shows, for a certificate. `onBuffers`: the module has code on
/// buffers, which is run in a sandbox only.
std::string runCode(mlir::ModuleOp module, llvm::StringRef entry,
                    llvm::ArrayRef<Filling> given, CompareRun compare,
                    unsigned runs = manyRuns, bool onBuffers = false);

/// Runs `code`, which is to be `formula` at `position`, whose first loops are
/// the `loops` over the result, on the values of `example`, of terms of
/// `scope`. Where the example has a sum that the code adds up in an op of its
/// own, what is behind that op is run on the sum. Results may be as far apart
/// as `allowance` says.
std::string runExample(mlir::func::FuncOp code, const Scope &scope,
                       const Code &formula, const Position &position,
                       unsigned loops,
                       const llvm::DenseMap<Term, llvm::APInt> &example,
                       const Allowance &allowance);

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_RUNNING_RUNCODE_H
