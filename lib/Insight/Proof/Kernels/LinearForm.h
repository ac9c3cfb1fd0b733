// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of a kernel as bytes of the image times constants, for all values of the
// loops that add them up.

#ifndef QBACKEND_LIB_INSIGHT_PROOF_KERNELS_LINEARFORM_H
#define QBACKEND_LIB_INSIGHT_PROOF_KERNELS_LINEARFORM_H

#include "Kernels/WalkKernel.h"

namespace qbackend::proof {

/// The values of a function of a byte, modulo 2^32, by the byte's bits.
using ByteFunction = std::vector<uint32_t>;

/// Adds `factor` * function(x[at]) * w[weight], in each step of `loops`.
/// Without a function it is `factor` * w[weight], without a weight w is 1.
struct KernelProduct {
  std::vector<unsigned> loops;
  const ByteFunction *function = nullptr;
  unsigned image = 0;
  Linear at;
  std::optional<KernelElement> weight;
  bool isSignedWeight = true;
  uint32_t factor = 1;
};

/// What a lane is, of 32 bits.
struct LinearForm {
  uint32_t constant = 0;
  std::vector<KernelProduct> products;
  /// Products from one to before another whose sum was held in 16 bits, where
  /// it has to fit.
  std::vector<std::pair<size_t, size_t>> narrow;
};

/// Makes forms of terms that a walk has made.
class LinearForms {
public:
  LinearForms(const KernelWalk &walk, Scope &scope)
      : walk(walk), scope(scope) {}

  /// An error says what is no such sum.
  llvm::Expected<LinearForm> make(Term term);

  /// What a byte of the image is where it is read: the identity, or what the
  /// copy of it has, as `element` that reads it.
  const ByteFunction *getFunction(Term term, Term element);

private:
  llvm::Error add(Term term, uint32_t factor, LinearForm &form);
  llvm::Error addNarrow(Term term, uint32_t factor, LinearForm &form);
  llvm::Error addProduct(Term a, Term b, uint32_t factor, LinearForm &form);
  /// The one element that `term` depends on; null: none, or several.
  Term getElement(Term term);

  const KernelWalk &walk;
  Scope &scope;
  std::vector<unsigned> loops;
  /// The values that open loops carry, which the steps have to add to.
  llvm::DenseMap<Term, unsigned> carried;
  std::map<Term, ByteFunction> functions;
  llvm::DenseMap<Term, Term> single;
};

} // namespace qbackend::proof

#endif // QBACKEND_LIB_INSIGHT_PROOF_KERNELS_LINEARFORM_H
