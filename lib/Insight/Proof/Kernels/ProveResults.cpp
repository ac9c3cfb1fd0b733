// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel makes of any sum, as laws for the solver.

#include "Kernels/KernelJudge.h"

#include "Reading/ReadKernel.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::proof;
using llvm::Error;
using llvm::Expected;

/// Where `result` adds something of the sum to the other byte, that: an integer
/// that a constant factor is for. Null if there is no such place.
Term KernelJudge::findAdded(Term result) {
  // What depends on the other byte, and what doesn't, but on the sum.
  llvm::DenseSet<Term> ofOther, ofSum;
  Term found = nullptr;
  bool isOne = true;
  for (Term node : order(result)) {
    auto dependsOn = [&](const llvm::DenseSet<Term> &set) {
      return llvm::any_of(node->operands,
                          [&](Term operand) { return set.contains(operand); });
    };
    if (node == residual || dependsOn(ofOther))
      ofOther.insert(node);
    if (node == sum || dependsOn(ofSum))
      ofSum.insert(node);
    if (!ofOther.contains(node))
      continue;
    for (Term operand : node->operands)
      if (ofSum.contains(operand) && !ofOther.contains(operand)) {
        isOne &= !found || found == operand;
        found = operand;
      }
  }
  if (!found || !isOne)
    return nullptr;
  if (found->op == Fn::Mul) {
    bool isFirst = found->operands[0]->op == Fn::Constant;
    if (isFirst || found->operands[1]->op == Fn::Constant)
      found = found->operands[isFirst];
  }
  return found->sort.isFloat || found->sort.width != 32 ? nullptr : found;
}

/// A byte that is added to another one is proven by itself, and is then any
/// byte: so few inputs are left that all are computed.
Expected<std::vector<ProofStep>> KernelJudge::proveResults(func::FuncOp code) {
  std::vector<ProofStep> proven;
  Terms &terms = scope.terms;
  Laws laws(scope, solver);
  Term byte = makeKernelByte(op, sum, m, terms);
  for (auto &[ids, law] : results) {
    auto prove = [&](StringRef what, Steps &steps, Term wanted) -> Error {
      steps.formula = wanted;
      auto step = steps.cases.empty() ? laws.proveEqual(what, steps.defined,
                                                        steps.emitted, wanted)
                                      : laws.proveSteps(what, steps, sum);
      if (!step)
        return step.takeError();
      if (step->verdict == Verdict::Counterexample)
        step->run = run(code);
      proven.push_back(*step);
      return Error::success();
    };
    Steps &steps = law.steps;
    Term result = steps.emitted,
         added = op.getAddAttr() ? findAdded(result) : nullptr;
    if (!added) {
      if (Error error = prove("the result of the kernel", steps,
                              makeKernelResult(op, byte, residual, terms)))
        return std::move(error);
      continue;
    }
    Fn extend = op.getIsSigned() ? Fn::ExtS : Fn::ExtU;
    steps.emitted = added;
    if (Error error = prove("the byte that the kernel adds", steps,
                            terms.make(extend, bits(32), {byte})))
      return std::move(error);
    Term any = terms.variable("the byte", bits(8));
    llvm::DenseMap<Term, Term> by = {
        {added, terms.make(extend, bits(32), {any})}};
    Steps rest;
    rest.defined = terms.constant(1, 1);
    rest.emitted = terms.replace(result, by);
    if (Error error = prove("the result of the kernel", rest,
                            makeKernelResult(op, any, residual, terms)))
      return std::move(error);
  }
  return proven;
}
