// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Terms of 32 bits taken apart: additions, products of a function of a byte and
// a constant, and what loops carry along.

#include "Kernels/LinearForm.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace qbackend::proof;

static Error refuse(const Twine &what) { return createStringError(what); }

/// Bytes are read with 8 bits, or 16 of a copy that has them extended.
const ByteFunction *LinearForms::getFunction(Term term, Term element) {
  unsigned width = element->sort.width;
  Term any = scope.terms.variable("byte", element->sort);
  DenseMap<Term, Term> by = {{element, any}};
  Term general = scope.terms.replace(term, by);
  auto [it, isNew] = functions.try_emplace(general);
  if (!isNew)
    return &it->second;
  Evaluator evaluator(general);
  for (uint64_t value = 0; value < uint64_t(1) << width; ++value) {
    evaluator.run(APInt(width, value));
    it->second.push_back(evaluator.result(0).sextOrTrunc(32).getZExtValue());
  }
  return &it->second;
}

Term LinearForms::getElement(Term term) {
  if (auto it = single.find(term); it != single.end())
    return it->second;
  Term found = nullptr;
  bool isOne = true;
  for (Term node : order(term)) {
    if (node->op != Fn::Variable)
      continue;
    isOne &= !found && walk.elements.count(node);
    found = node;
  }
  return single[term] = isOne ? found : nullptr;
}

Error LinearForms::addProduct(Term a, Term b, uint32_t factor,
                              LinearForm &form) {
  auto isConstant = [&](Term element) {
    return walk.buffers[walk.elements.find(element)->second.buffer].kind ==
           KernelBuffer::Constant;
  };
  KernelProduct product;
  product.loops = loops;
  product.factor = factor;
  bool hasByte = false;
  for (Term term : {a, b}) {
    if (!term)
      continue;
    Term element = getElement(term);
    if (!element)
      return refuse("a product is none of a byte and a constant");
    const KernelElement &place = walk.elements.find(element)->second;
    if (isConstant(element)) {
      // Extended once or more, always in one way.
      Term inner = term;
      while (inner != element && inner->op == term->op &&
             (inner->op == Fn::ExtS || inner->op == Fn::ExtU))
        inner = inner->operands[0];
      if (inner != element || product.weight || element->sort.isFloat)
        return refuse("a constant is changed, or multiplied by another one");
      product.weight = place;
      product.isSignedWeight = term->op != Fn::ExtU;
      continue;
    }
    if (hasByte || element->sort.isFloat || element->sort.width > 16)
      return refuse("a byte is multiplied by a byte");
    hasByte = true;
    product.function = getFunction(term, element);
    product.image = place.buffer;
    product.at = place.at;
  }
  form.products.push_back(std::move(product));
  return Error::success();
}

/// Of 16 bits: pairs, and sums of them, each of which has to fit.
Error LinearForms::addNarrow(Term term, uint32_t factor, LinearForm &form) {
  size_t begin = form.products.size();
  if (auto it = walk.pairs.find(term); it != walk.pairs.end()) {
    const KernelPair &pair = it->second;
    for (unsigned i : {0, 1}) {
      Term a = scope.terms.make(Fn::ExtU, bits(32), {pair.a[i]}),
           b = scope.terms.make(Fn::ExtS, bits(32), {pair.b[i]});
      if (Error error = addProduct(a, b, factor, form))
        return error;
    }
  } else if (term->op == Fn::Add) {
    for (Term operand : term->operands)
      if (Error error = addNarrow(operand, factor, form))
        return error;
  } else {
    return refuse("16 bits hold what is no sum of pairs");
  }
  form.narrow.push_back({begin, form.products.size()});
  return Error::success();
}

Error LinearForms::add(Term term, uint32_t factor, LinearForm &form) {
  if (term->op == Fn::Constant) {
    // In each step of the loops that are open.
    if (loops.empty())
      form.constant += factor * uint32_t(term->value.getZExtValue());
    else if (!term->value.isZero())
      return refuse("a step adds a constant");
    return Error::success();
  }
  if (auto it = carried.find(term); it != carried.end()) {
    if (factor != 1 || ++it->second != 1)
      return refuse("a step doesn't add to what is carried along");
    return Error::success();
  }
  if (auto it = walk.sums.find(term); it != walk.sums.end()) {
    const KernelSum &sum = it->second;
    if (Error error = add(sum.init, factor, form))
      return error;
    if (factor != 1)
      return refuse("a sum is multiplied");
    loops.push_back(sum.loop);
    carried[sum.carried] = 0;
    Error error = add(sum.step, 1, form);
    loops.pop_back();
    bool isAdded = carried[sum.carried] == 1;
    carried.erase(sum.carried);
    if (error)
      return error;
    return isAdded ? Error::success()
                   : refuse("a step doesn't add to what is carried along");
  }
  auto getConstant = [](Term t) { return uint32_t(t->value.getZExtValue()); };
  switch (term->op) {
  case Fn::Add:
  case Fn::Sub: {
    if (Error error = add(term->operands[0], factor, form))
      return error;
    return add(term->operands[1], term->op == Fn::Sub ? -factor : factor, form);
  }
  case Fn::Mul: {
    Term a = term->operands[0], b = term->operands[1];
    if (a->op == Fn::Constant)
      std::swap(a, b);
    if (b->op == Fn::Constant)
      return add(a, factor * getConstant(b), form);
    return addProduct(a, b, factor, form);
  }
  case Fn::ExtS:
    if (term->operands[0]->sort.width == 16 && !getElement(term))
      return addNarrow(term->operands[0], factor, form);
    break;
  default:
    break;
  }
  return addProduct(term, nullptr, factor, form);
}

Expected<LinearForm> LinearForms::make(Term term) {
  LinearForm form;
  loops.clear();
  carried.clear();
  if (term->sort.isFloat || term->sort.width != 32)
    return refuse("a sum is none of 32 bits");
  if (Error error = add(term, 1, form))
    return std::move(error);
  return form;
}
