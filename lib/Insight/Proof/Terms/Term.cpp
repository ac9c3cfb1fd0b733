// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Terms: making, folding and evaluating.

#include "Terms/Term.h"

#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace qbackend::proof;

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

APFloat qbackend::proof::toFloat(Sort sort, const APInt &value) {
  return APFloat(
      sort.width == 32 ? APFloat::IEEEsingle() : APFloat::IEEEdouble(), value);
}

/// The bits of `value`; of a NaN one pattern, as SMT-LIB has one NaN.
static APInt toBits(const APFloat &value) {
  if (value.isNaN())
    return APFloat::getQNaN(value.getSemantics()).bitcastToAPInt();
  return value.bitcastToAPInt();
}

static APInt toInteger(const APFloat &value, unsigned width, bool isSigned) {
  APSInt result(width, /*isUnsigned=*/!isSigned);
  bool isExact;
  value.convertToInteger(result, APFloat::rmTowardZero, &isExact);
  return result;
}

APInt qbackend::proof::apply(const Node &node, ArrayRef<APInt> operands) {
  constexpr RoundingMode nearest = APFloat::rmNearestTiesToEven;
  auto boolean = [](bool value) { return APInt(1, value); };
  auto real = [&](unsigned i) {
    return toFloat(node.operands[i]->sort, operands[i]);
  };
  // Shifts by the width or more are SMT-LIB's: all bits go.
  auto amount = [&] {
    return operands[1].getLimitedValue(operands[0].getBitWidth());
  };
  const APInt *a = operands.data(), *b = a + 1;
  unsigned width = node.sort.width;
  switch (node.op) {
  case Fn::Constant:
    return node.value;
  case Fn::Variable:
    llvm_unreachable("a variable has no value of its own");
  case Fn::Lookup:
    return node.table[a->getLimitedValue(node.table.size() - 1)];
  case Fn::Add:
    return *a + *b;
  case Fn::Sub:
    return *a - *b;
  case Fn::Mul:
    return *a * *b;
  case Fn::DivU:
    return b->isZero() ? APInt::getAllOnes(width) : a->udiv(*b);
  case Fn::RemU:
    return b->isZero() ? *a : a->urem(*b);
  case Fn::And:
    return *a & *b;
  case Fn::Or:
    return *a | *b;
  case Fn::Xor:
    return *a ^ *b;
  case Fn::Shl:
    return a->shl(amount());
  case Fn::ShrS:
    return a->ashr(amount());
  case Fn::ShrU:
    return a->lshr(amount());
  case Fn::Equal:
    return boolean(*a == *b);
  case Fn::LessS:
    return boolean(a->slt(*b));
  case Fn::LessEqualS:
    return boolean(a->sle(*b));
  case Fn::LessU:
    return boolean(a->ult(*b));
  case Fn::LessEqualU:
    return boolean(a->ule(*b));
  case Fn::ExtS:
    return a->sext(width);
  case Fn::ExtU:
    return a->zext(width);
  case Fn::Trunc:
    return a->trunc(width);
  case Fn::Select:
    return a->isZero() ? operands[2] : *b;
  case Fn::AddF: {
    APFloat x = real(0);
    x.add(real(1), nearest);
    return toBits(x);
  }
  case Fn::SubF: {
    APFloat x = real(0);
    x.subtract(real(1), nearest);
    return toBits(x);
  }
  case Fn::MulF: {
    APFloat x = real(0);
    x.multiply(real(1), nearest);
    return toBits(x);
  }
  case Fn::DivF: {
    APFloat x = real(0);
    x.divide(real(1), nearest);
    return toBits(x);
  }
  case Fn::Fma: {
    APFloat x = real(0);
    x.fusedMultiplyAdd(real(1), real(2), nearest);
    return toBits(x);
  }
  case Fn::NegF:
    return toBits(-real(0));
  case Fn::AbsF:
    return toBits(abs(real(0)));
  case Fn::RoundEven:
  case Fn::RoundAway:
  case Fn::RoundUp:
  case Fn::RoundDown:
  case Fn::RoundZero: {
    APFloat x = real(0);
    x.roundToIntegral(node.op == Fn::RoundEven   ? nearest
                      : node.op == Fn::RoundAway ? APFloat::rmNearestTiesToAway
                      : node.op == Fn::RoundUp   ? APFloat::rmTowardPositive
                      : node.op == Fn::RoundDown ? APFloat::rmTowardNegative
                                                 : APFloat::rmTowardZero);
    return toBits(x);
  }
  case Fn::EqualF:
    return boolean(real(0).compare(real(1)) == APFloat::cmpEqual);
  case Fn::LessF:
    return boolean(real(0).compare(real(1)) == APFloat::cmpLessThan);
  case Fn::LessEqualF: {
    auto order = real(0).compare(real(1));
    return boolean(order == APFloat::cmpLessThan || order == APFloat::cmpEqual);
  }
  case Fn::IsNaN:
    return boolean(real(0).isNaN());
  case Fn::SToF:
  case Fn::UToF: {
    APFloat x = toFloat(node.sort, APInt(width, 0));
    x.convertFromAPInt(*a, node.op == Fn::SToF, nearest);
    return toBits(x);
  }
  case Fn::FToS:
  case Fn::FToU:
    return toInteger(real(0), width, node.op == Fn::FToS);
  case Fn::Bits:
    return *a;
  case Fn::FromBits:
    return toBits(toFloat(node.sort, *a));
  case Fn::ConvertF: {
    APFloat x = real(0);
    bool loses;
    x.convert(toFloat(node.sort, APInt(width, 0)).getSemantics(), nearest,
              &loses);
    return toBits(x);
  }
  }
  llvm_unreachable("all operations are above");
}

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

static Node makeNode(Fn op, Sort sort, ArrayRef<Term> operands = {}) {
  Node node;
  node.op = op;
  node.sort = sort;
  node.operands.assign(operands.begin(), operands.end());
  return node;
}

Term Terms::add(Node node) {
  std::string key;
  raw_string_ostream os(key);
  os << int(node.op) << (node.sort.isFloat ? 'f' : 'b') << node.sort.width;
  for (Term operand : node.operands)
    os << ' ' << operand->id;
  if (node.op == Fn::Constant)
    os << ' ' << toString(node.value, 16, /*Signed=*/false);
  os << ' ' << node.name;
  for (const APInt &entry : node.table)
    os << ' ' << toString(entry, 16, /*Signed=*/false);
  auto [it, isNew] = unique.try_emplace(key);
  if (isNew) {
    node.id = nodes.size();
    nodes.push_back(std::make_unique<Node>(std::move(node)));
    it->second = nodes.back().get();
  }
  return it->second;
}

Term Terms::constantBits(Sort sort, const APInt &value) {
  Node node = makeNode(Fn::Constant, sort);
  node.value = sort.isFloat ? toBits(toFloat(sort, value)) : value;
  return add(std::move(node));
}

Term Terms::constant(const APInt &value) {
  return constantBits(bits(value.getBitWidth()), value);
}

Term Terms::constant(unsigned width, int64_t value) {
  return constant(APInt(64, value, /*isSigned=*/true).sextOrTrunc(width));
}

Term Terms::constantF(float value) {
  return constantBits(f32(), APFloat(value).bitcastToAPInt());
}

Term Terms::variable(StringRef name, Sort sort) {
  Node node = makeNode(Fn::Variable, sort);
  node.name = name.str();
  return add(std::move(node));
}

Term Terms::lookup(std::vector<APInt> table, Term index, Sort sort) {
  Node node = makeNode(Fn::Lookup, sort, index);
  node.table = std::move(table);
  if (index->op == Fn::Constant)
    return constantBits(sort, apply(node, {index->value}));
  return add(std::move(node));
}

Term Terms::make(Fn op, Sort sort, ArrayRef<Term> operands) {
  Node node = makeNode(op, sort, operands);
  // One NaN: the order of operands is nothing.
  if ((op == Fn::AddF || op == Fn::MulF) && operands[1]->id < operands[0]->id)
    std::swap(node.operands[0], node.operands[1]);
  if (op == Fn::Select && operands[0]->op == Fn::Constant)
    return operands[0]->value.isZero() ? operands[2] : operands[1];
  if (op == Fn::Select && operands[1] == operands[2])
    return operands[1];
  // (x + a) + b: what is added in two places, which may be nothing together.
  if (op == Fn::Add && operands[0]->op == Fn::Constant)
    return operands[1]->op == Fn::Constant
               ? constantBits(sort, apply(node, {operands[0]->value,
                                                 operands[1]->value}))
               : make(op, sort, {operands[1], operands[0]});
  if (op == Fn::Add && operands[1]->op == Fn::Constant &&
      operands[0]->op == Fn::Add &&
      operands[0]->operands[1]->op == Fn::Constant)
    return make(
        op, sort,
        {operands[0]->operands[0],
         constant(operands[0]->operands[1]->value + operands[1]->value)});
  // x + 0 and x - 0, which code without a zero point has.
  if ((op == Fn::Add || op == Fn::Sub) && operands[1]->op == Fn::Constant &&
      operands[1]->value.isZero())
    return operands[0];
  // What was extended before.
  if (op == Fn::Trunc &&
      (operands[0]->op == Fn::ExtS || operands[0]->op == Fn::ExtU) &&
      operands[0]->operands[0]->sort == sort)
    return operands[0]->operands[0];
  if (all_of(operands, [](Term term) { return term->op == Fn::Constant; })) {
    SmallVector<APInt, 3> values;
    for (Term operand : operands)
      values.push_back(operand->value);
    return constantBits(sort, apply(node, values));
  }
  return add(std::move(node));
}

Term Terms::fits(Term a, unsigned width, bool isSigned) {
  const fltSemantics &semantics =
      toFloat(a->sort, APInt(a->sort.width, 0)).getSemantics();
  auto power = [&](unsigned exponent, bool isNegative) {
    APFloat value =
        scalbn(APFloat(semantics, 1), exponent, APFloat::rmNearestTiesToEven);
    if (isNegative)
      value.changeSign();
    return value;
  };
  auto real = [&](const APFloat &value) {
    return constantBits(a->sort, value.bitcastToAPInt());
  };
  unsigned exponent = isSigned ? width - 1 : width;
  Term below = compare(Fn::LessF, a, real(power(exponent, false)));
  // Above the smallest integer less 1, if there is such a float.
  APFloat lowest = isSigned ? power(exponent, true) : APFloat(semantics, 0);
  APFloat less = lowest;
  less.subtract(APFloat(semantics, 1), APFloat::rmNearestTiesToEven);
  bool isExact = less.compare(lowest) == APFloat::cmpLessThan;
  return both(below, isExact ? compare(Fn::LessF, real(less), a)
                             : compare(Fn::LessEqualF, real(lowest), a));
}

Term Terms::same(Term a, Term b) {
  if (a == b)
    return constant(1, 1);
  return compare(Fn::Equal, a, b);
}

Term Terms::replace(Term term, const DenseMap<Term, Term> &by) {
  DenseMap<Term, Term> done;
  for (Term node : order(term)) {
    if (auto it = by.find(node); it != by.end()) {
      done[node] = it->second;
      continue;
    }
    SmallVector<Term, 3> operands;
    for (Term operand : node->operands)
      operands.push_back(done.lookup(operand));
    if (operands == node->operands)
      done[node] = node;
    else if (node->op == Fn::Lookup)
      done[node] = lookup(node->table, operands.front(), node->sort);
    else
      done[node] = make(node->op, node->sort, operands);
  }
  return done.lookup(term);
}

//===----------------------------------------------------------------------===//
// Evaluating
//===----------------------------------------------------------------------===//

std::vector<Term> qbackend::proof::order(ArrayRef<Term> roots) {
  std::vector<Term> result;
  DenseSet<Term> seen;
  SmallVector<std::pair<Term, unsigned>> stack;
  for (Term root : roots) {
    if (seen.insert(root).second)
      stack.push_back({root, 0});
    while (!stack.empty()) {
      auto &[node, next] = stack.back();
      if (next == node->operands.size()) {
        result.push_back(node);
        stack.pop_back();
        continue;
      }
      Term operand = node->operands[next++];
      if (seen.insert(operand).second)
        stack.push_back({operand, 0});
    }
  }
  return result;
}

Evaluator::Evaluator(ArrayRef<Term> roots) : nodes(order(roots)) {
  DenseMap<Term, unsigned> index;
  for (auto [i, node] : enumerate(nodes)) {
    index[node] = i;
    operandIndex.emplace_back();
    for (Term operand : node->operands)
      operandIndex.back().push_back(index[operand]);
    if (node->op == Fn::Variable) {
      inputs.push_back(node);
      inputIndex.push_back(i);
    }
  }
  for (Term root : roots)
    rootIndex.push_back(index[root]);
  values.resize(nodes.size());
}

void Evaluator::run(ArrayRef<APInt> inputValues) {
  for (auto [i, value] : zip_equal(inputIndex, inputValues))
    values[i] =
        nodes[i]->sort.isFloat ? toBits(toFloat(nodes[i]->sort, value)) : value;
  SmallVector<APInt, 3> operands;
  for (auto [i, node] : enumerate(nodes)) {
    if (node->op == Fn::Variable)
      continue;
    operands.clear();
    for (unsigned operand : operandIndex[i])
      operands.push_back(values[operand]);
    values[i] = apply(*node, operands);
  }
}
