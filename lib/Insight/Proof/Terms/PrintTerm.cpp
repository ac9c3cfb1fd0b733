// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Terms as SMT-LIB 2, one definition for each.

#include "Terms/Term.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace qbackend::proof;

static std::string printSort(Sort sort) {
  if (sort.isFloat)
    return sort.width == 32 ? "Float32" : "Float64";
  return ("(_ BitVec " + Twine(sort.width) + ")").str();
}

/// `to_fp` with the sizes of `sort`.
static StringRef getToFloat(Sort sort) {
  return sort.width == 32 ? "(_ to_fp 8 24)" : "(_ to_fp 11 53)";
}

static std::string printBits(const APInt &value) {
  std::string digits = toString(value, 2, /*Signed=*/false);
  return "#b" + std::string(value.getBitWidth() - digits.size(), '0') + digits;
}

/// What SMT-LIB calls an operation that has its operands in a row.
static StringRef getFunction(Fn op) {
  switch (op) {
  case Fn::Add:
    return "bvadd";
  case Fn::Sub:
    return "bvsub";
  case Fn::Mul:
    return "bvmul";
  case Fn::DivU:
    return "bvudiv";
  case Fn::RemU:
    return "bvurem";
  case Fn::And:
    return "bvand";
  case Fn::Or:
    return "bvor";
  case Fn::Xor:
    return "bvxor";
  case Fn::Shl:
    return "bvshl";
  case Fn::ShrS:
    return "bvashr";
  case Fn::ShrU:
    return "bvlshr";
  case Fn::Equal:
    return "=";
  case Fn::LessS:
    return "bvslt";
  case Fn::LessEqualS:
    return "bvsle";
  case Fn::LessU:
    return "bvult";
  case Fn::LessEqualU:
    return "bvule";
  case Fn::AddF:
    return "fp.add RNE";
  case Fn::SubF:
    return "fp.sub RNE";
  case Fn::MulF:
    return "fp.mul RNE";
  case Fn::DivF:
    return "fp.div RNE";
  case Fn::Fma:
    return "fp.fma RNE";
  case Fn::NegF:
    return "fp.neg";
  case Fn::AbsF:
    return "fp.abs";
  case Fn::RoundEven:
    return "fp.roundToIntegral RNE";
  case Fn::RoundAway:
    return "fp.roundToIntegral RNA";
  case Fn::RoundUp:
    return "fp.roundToIntegral RTP";
  case Fn::RoundDown:
    return "fp.roundToIntegral RTN";
  case Fn::RoundZero:
    return "fp.roundToIntegral RTZ";
  case Fn::EqualF:
    return "fp.eq";
  case Fn::LessF:
    return "fp.lt";
  case Fn::LessEqualF:
    return "fp.leq";
  case Fn::IsNaN:
    return "fp.isNaN";
  default:
    return "";
  }
}

static bool isPredicate(Fn op) {
  return is_contained({Fn::Equal, Fn::LessS, Fn::LessEqualS, Fn::LessU,
                       Fn::LessEqualU, Fn::EqualF, Fn::LessF, Fn::LessEqualF,
                       Fn::IsNaN},
                      op);
}

/// The entries from `first` on, by bits of `index` from `bit` down.
static void printLookup(raw_ostream &os, ArrayRef<APInt> table, unsigned bit,
                        StringRef index) {
  if (all_equal(table)) {
    os << printBits(table.front());
    return;
  }
  size_t half = table.size() / 2;
  os << "(ite (= ((_ extract " << bit << " " << bit << ") " << index
     << ") #b0) ";
  printLookup(os, table.take_front(half), bit - 1, index);
  os << " ";
  printLookup(os, table.drop_front(half), bit - 1, index);
  os << ")";
}

Script qbackend::proof::print(Term assumption, Term conclusion) {
  Script script;
  DenseMap<Term, std::string> names;
  std::string body;
  raw_string_ostream os(body);
  unsigned count = 0;
  for (Term node : order({assumption, conclusion})) {
    std::string &name = names[node];
    if (node->op == Fn::Constant) {
      name = printBits(node->value);
      if (node->sort.isFloat)
        name = ("(" + getToFloat(node->sort) + " " + name + ")").str();
      continue;
    }
    if (node->op == Fn::Variable) {
      name = "v" + std::to_string(script.variables.size());
      script.variables.push_back(node);
      os << "(declare-const " << name << " "
         << printSort(bits(node->sort.width)) << ")\n";
      if (node->sort.isFloat) {
        os << "(define-fun " << name << "f () " << printSort(node->sort) << " ("
           << getToFloat(node->sort) << " " << name << "))\n";
        name += "f";
      }
      continue;
    }
    name = "t" + std::to_string(count++);
    std::string operands;
    for (Term operand : node->operands)
      operands += " " + names[operand];
    StringRef first = names[node->operands.front()];
    unsigned from = node->operands.front()->sort.width, to = node->sort.width;
    if (node->op == Fn::Bits) {
      // SMT-LIB has no function for it: bits whose float it is. A NaN has
      // several, all of which are asked for.
      os << "(declare-const " << name << " " << printSort(node->sort)
         << ")\n(assert (= (" << getToFloat(node->operands.front()->sort) << " "
         << name << ")" << operands << "))\n";
      continue;
    }
    os << "(define-fun " << name << " () " << printSort(node->sort) << " ";
    switch (node->op) {
    case Fn::Lookup:
      if (node->sort.isFloat)
        os << "(" << getToFloat(node->sort) << " ";
      printLookup(os, node->table, Log2_64(node->table.size()) - 1, first);
      if (node->sort.isFloat)
        os << ")";
      break;
    case Fn::ExtS:
      os << "((_ sign_extend " << to - from << ")" << operands << ")";
      break;
    case Fn::ExtU:
      os << "((_ zero_extend " << to - from << ")" << operands << ")";
      break;
    case Fn::Trunc:
      os << "((_ extract " << to - 1 << " 0)" << operands << ")";
      break;
    case Fn::Select:
      os << "(ite (= " << first << " #b1)"
         << StringRef(operands).drop_front(first.size() + 1) << ")";
      break;
    case Fn::SToF:
    case Fn::ConvertF:
      os << "(" << getToFloat(node->sort) << " RNE" << operands << ")";
      break;
    case Fn::FromBits:
      os << "(" << getToFloat(node->sort) << operands << ")";
      break;
    case Fn::UToF:
      os << "((_ to_fp_unsigned " << (to == 32 ? "8 24" : "11 53") << ") RNE"
         << operands << ")";
      break;
    case Fn::FToS:
      os << "((_ fp.to_sbv " << to << ") RTZ" << operands << ")";
      break;
    case Fn::FToU:
      os << "((_ fp.to_ubv " << to << ") RTZ" << operands << ")";
      break;
    default:
      if (isPredicate(node->op))
        os << "(ite (" << getFunction(node->op) << operands << ") #b1 #b0)";
      else
        os << "(" << getFunction(node->op) << operands << ")";
      break;
    }
    os << ")\n";
  }
  script.text =
      "(set-logic QF_BVFP)\n" + body + "(assert (= " + names[assumption] +
      " #b1))\n(assert (= " + names[conclusion] + " #b0))\n(check-sat)\n";
  if (!script.variables.empty()) {
    script.text += "(get-value (";
    for (unsigned i = 0; i < script.variables.size(); ++i)
      script.text += (i ? " v" : "v") + std::to_string(i);
    script.text += "))\n";
  }
  return script;
}
