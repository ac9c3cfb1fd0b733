// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operator: its formula and its code at one place of the result, whose
// loops are cut until both are followed, and the laws that make them equal.

#include "JudgeOperator.h"

#include "qbackend/Support/Shape.h"

#include "Formulas/Formulas.h"
#include "Laws/Laws.h"
#include "Running/RunCode.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::proof;
using llvm::Error;
using llvm::Expected;

/// The elements that a term reads.
static std::set<std::string> getElements(Term term) {
  std::set<std::string> names;
  for (Term node : order(term))
    if (node->op == Fn::Variable && StringRef(node->name).starts_with("%"))
      names.insert(node->name);
  return names;
}

/// Makes the sum of `code`, of 64 bits, one of `sort` that is extended.
static void narrowSum(Code &code, Sort sort, Terms &terms) {
  Fold &fold = *code.fold;
  auto trunc = [&](Term term) { return terms.make(Fn::Trunc, sort, {term}); };
  Term carried = terms.variable("carried", sort),
       result = terms.variable("sum", sort),
       wide = terms.make(Fn::ExtS, bits(64), {result});
  // carried + addend, whichever comes first.
  Term addend = fold.step->operands[fold.step->operands[0] == fold.carried];
  code.replace(terms, {{fold.result, wide}});
  fold.step = terms.binary(Fn::Add, carried, trunc(addend));
  fold.init = trunc(fold.init);
  fold.carried = carried;
  fold.result = result;
}

Error Judge::judge(Operation *op, func::FuncOp lowered) {
  std::vector<SmallVector<int64_t>> digits;
  for (int64_t size : cast<ShapedType>(op->getResult(0).getType()).getShape())
    digits.push_back({size});
  Piece piece;
  piece.offsets.assign(digits.size(), 0);
  auto cutPhases = [&](auto conv) {
    // In whole strides from before the result on: more than it has.
    for (auto [i, stride] : llvm::enumerate(conv.getStride())) {
      int64_t &size = digits[1 + i].front(),
              before = conv.getPadding()[2 * i] % stride;
      if (size == 1)
        continue; // of one phase
      piece.offsets[1 + i] = -before;
      if (stride != 1 && !ShapedType::isDynamic(size))
        digits[1 + i] = {int64_t(llvm::divideCeil(size + before, stride)),
                         stride};
    }
  };
  if (auto conv = dyn_cast<qnnpack::ConvTranspose1dOp>(op))
    cutPhases(conv);
  if (auto conv = dyn_cast<qnnpack::ConvTranspose2dOp>(op))
    cutPhases(conv);
  auto cat = dyn_cast<qnnpack::CatOp>(op);
  if (!cat)
    return judgePiece(op, lowered, piece, digits);
  // The inputs one after the other: together they are all of the axis.
  size_t axis = cat.getAxis();
  for (auto [i, input] : llvm::enumerate(cat.getInputs())) {
    int64_t size = cast<ShapedType>(input.getType()).getDimSize(axis);
    piece.name = " of input " + std::to_string(i);
    digits[axis] = {size};
    if (size != 0)
      if (Error error = judgePiece(op, lowered, piece, digits))
        return error;
    piece.offsets[axis] += size;
  }
  return Error::success();
}

Error Judge::judgePiece(Operation *op, func::FuncOp lowered, const Piece &piece,
                        std::vector<SmallVector<int64_t>> digits) {
  // A loop can be cut a few times, by sizes that divide it.
  for (int round = 0; round < 32; ++round) {
    auto isDone = judgeWith(op, lowered, piece, digits);
    if (!isDone)
      return isDone.takeError();
    if (*isDone)
      return Error::success();
  }
  proof.reason = "its shapes do not follow from loops";
  return Error::success();
}

Expected<bool> Judge::judgeWith(Operation *op, func::FuncOp lowered,
                                const Piece &piece,
                                std::vector<SmallVector<int64_t>> &digits) {
  Scope scope;
  if (auto cat = dyn_cast<qnnpack::CatOp>(op))
    scope.joinedDim = cat.getAxis();
  for (unsigned d = 0; d < digits.size(); ++d)
    scope.extents.push_back(getExtentSources(op, d));
  Position position;
  // Which digit a loop is.
  std::vector<std::pair<size_t, size_t>> owners;
  for (auto [d, sizes] : llvm::enumerate(digits)) {
    Linear place;
    for (auto [i, size] : llvm::enumerate(sizes)) {
      std::string name = "d" + std::to_string(d);
      if (sizes.size() > 1)
        name += "." + std::to_string(i);
      unsigned loop = scope.addLoop(size, name);
      owners.push_back({d, i});
      place = (i ? place * size : Linear(0)) + scope.loop(loop);
    }
    position.push_back(place + Linear(piece.offsets[d]));
  }
  auto splits = [&] {
    if (!scope.wantedSplit || scope.wantedSplit->loop >= owners.size())
      return false;
    auto [d, i] = owners[scope.wantedSplit->loop];
    int64_t inner = scope.wantedSplit->inner;
    digits[d][i] /= inner;
    digits[d].insert(digits[d].begin() + i + 1, inner);
    return true;
  };

  auto formula = makeFormula(op, position, scope);
  if (!formula) {
    std::string why = llvm::toString(formula.takeError());
    if (splits())
      return false;
    proof.reason = why;
    return true;
  }
  proof.formula = formula->text;
  proof.sums = formula->sums;
  if (formula->code.fold)
    proof.accumulator = formula->code.fold->init->sort.width;
  auto isOutside = [&] {
    if (scope.readsOutside)
      proof.reason = "a constant is read outside of it";
    return scope.readsOutside;
  };
  if (isOutside())
    return true;

  Laws laws(scope, solver);
  Allowance allowance;
  auto type = dyn_cast<quant::QuantizedType>(
      getElementTypeOrSelf(op->getResult(0).getType()));
  if (allowed != 0)
    allowance = {allowed, type && type.isSigned(), formula->sums};
  auto add = [&](ProofStep step) {
    if (step.verdict == Verdict::Counterexample)
      step.run = runExample(lowered, scope, formula->code, position,
                            owners.size(), laws.getExample(), allowance);
    proof.steps.push_back(std::move(step));
  };

  // The loops of the code are those of the formula in some order: one in which
  // both read the same elements, if there is any.
  const std::optional<Fold> &fold = formula->code.fold;
  SmallVector<unsigned> loops;
  if (fold)
    loops = fold->loops;
  SmallVector<int64_t> extents = getFoldExtents(lowered), wanted;
  for (unsigned loop : loops)
    wanted.push_back(scope.getLoops()[loop].extent);
  SmallVector<int64_t> sorted(extents), sortedWanted(wanted);
  llvm::sort(sorted);
  llvm::sort(sortedWanted);
  if (sorted != sortedWanted) {
    auto describe = [](ArrayRef<int64_t> sizes) {
      return sizes.empty() ? "one element" : "a sum over " + formatShape(sizes);
    };
    // TOSA may cut a sum, and kernels make groups larger.
    add({"the loops", mayCut ? Verdict::Open : Verdict::Counterexample,
         "the code has " + describe(extents) + ", the formula " +
             describe(wanted)});
    return true;
  }
  llvm::sort(loops);
  std::optional<Code> code;
  std::string why;
  bool isAligned = false;
  do {
    SmallVector<int64_t> sizes;
    for (unsigned loop : loops)
      sizes.push_back(scope.getLoops()[loop].extent);
    if (ArrayRef(sizes) != ArrayRef(extents))
      continue;
    auto read = readCode(lowered, position, loops, scope);
    if (!read) {
      why = llvm::toString(read.takeError());
      if (splits())
        return false;
      break;
    }
    if (isOutside())
      return true;
    isAligned = !fold || (read->fold && getElements(read->fold->step) ==
                                            getElements(fold->step));
    if (isAligned || !code)
      code = *read;
  } while (!isAligned && std::next_permutation(loops.begin(), loops.end()));
  if (!code) {
    proof.reason = why;
    return true;
  }

  if (fold.has_value() != code->fold.has_value()) {
    proof.reason = fold ? "the code carries nothing along, the formula does"
                        : "the code carries something along, the formula "
                          "doesn't";
    return true;
  }
  // Each part that both have is proven by itself, and is then any number; what
  // is defined with it is shown with it. Runs are held against all of it.
  Terms &terms = scope.terms;
  Code expected = formula->code;
  bool isWrong = false;
  auto cut = [&](StringRef what, Cut Code::*part) -> Error {
    Cut own = (*code).*part, other = expected.*part;
    if (!own.term || !other.term)
      return Error::success();
    auto [hold, step] = laws.proveHeld(what, own, other.term);
    if (!step)
      return step.takeError();
    add(*step);
    Term any = terms.variable("any " + what.str(), other.term->sort);
    llvm::DenseMap<Term, Term> by = {{own.term, hold(any)}};
    by.try_emplace(own.defined, terms.constant(1, 1));
    code->replace(terms, by);
    expected.replace(terms, {{other.term, any}});
    isWrong = step->verdict == Verdict::Counterexample;
    return Error::success();
  };
  for (auto [what, part] : {std::pair("the zero point", &Code::zeroPoint),
                            std::pair("a quantized input", &Code::quantized)}) {
    if (Error error = cut(what, part))
      return error;
    // What is behind it isn't looked at.
    if (isWrong)
      return true;
  }
  // A sum of 64 bits that fits fewer may be held in these.
  if (fold && fold->carried->sort == bits(64) && proof.sums) {
    Sort held = code->fold->carried->sort;
    if (held.width < 64 && llvm::isIntN(held.width, proof.sums->first) &&
        llvm::isIntN(held.width, proof.sums->second))
      narrowSum(expected, held, terms);
  }
  if (fold) {
    Term result = nullptr;
    // In TOSA a bias, or an average's zero point, may come behind the sum.
    auto steps = laws.proveFold(*code, expected, result, /*mayMove=*/mayCut);
    if (!steps)
      return steps.takeError();
    for (ProofStep &step : *steps) {
      bool isOther =
          allowed != 0 && mayCut && step.verdict == Verdict::Counterexample;
      if (isOther)
        step.verdict = Verdict::Open;
      add(step);
      if (isOther)
        return true;
    }
    code->replace(terms, {{code->fold->result, result}});
  }
  if (Error error = cut("the byte that is added", &Code::addedByte))
    return error;
  auto step = laws.proveEqual("the result" + piece.name, code->defined,
                              code->result, expected.result, allowance);
  if (!step)
    return step.takeError();
  add(*step);
  return true;
}
