// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of targets that add products, as terms of their elements.

#include "Kernels/WalkKernel.h"

#include "Reading/Reader.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;
using namespace qbackend::proof;
using llvm::Error;

Term KernelWalk::addProduct(Term sum, Term a, bool isSignedA, Term b,
                            bool isSignedB) {
  Terms &terms = scope.terms;
  Term x = terms.make(isSignedA ? Fn::ExtS : Fn::ExtU, bits(32), {a}),
       y = terms.make(isSignedB ? Fn::ExtS : Fn::ExtU, bits(32), {b});
  return terms.binary(Fn::Add, sum, terms.binary(Fn::Mul, x, y));
}

namespace {
/// An instruction that adds `products` products of elements of `width` bits to
/// each lane of 32 bits: of its first operand, or of 0.
struct Dot {
  llvm::StringLiteral name;
  unsigned products, width;
  bool isSignedInput, addsToSums;
};
} // namespace

// Intel's intrinsics guide, Arm's ACLE: none of these saturates.
static constexpr Dot dots[] = {
    {"llvm.x86.avx512.vpdpbusd.512", 4, 8, false, true},
    {"llvm.x86.avx512.vpdpbusd.256", 4, 8, false, true},
    {"llvm.aarch64.neon.usdot.v4i32.v16i8", 4, 8, false, true},
    {"llvm.aarch64.neon.sdot.v4i32.v16i8", 4, 8, true, true},
    {"llvm.x86.avx512.pmaddw.d.512", 2, 16, true, false},
    {"llvm.x86.avx2.pmadd.wd", 2, 16, true, false},
    {"llvm.x86.sse2.pmadd.wd", 2, 16, true, false},
    {"llvm.arm.smlad", 2, 16, true, true}};

static bool haveWidth(ArrayRef<Term> parts, unsigned width) {
  return llvm::all_of(parts, [&](Term part) {
    return !part->sort.isFloat && part->sort.width == width;
  });
}

Error KernelWalk::walkDot(Operation *op, ArrayRef<Lanes> operands,
                          bool &isKnown) {
  StringRef name = cast<LLVM::CallIntrinsicOp>(op).getIntrin();
  auto dot = llvm::find_if(dots, [&](const Dot &d) { return d.name == name; });
  isKnown = dot != std::end(dots);
  if (!isKnown)
    return Error::success();
  SmallVector<Lanes, 3> all(operands);
  auto unknown = [&] {
    return fail(op, "of '" + name + "' has operands without a meaning here");
  };
  if (all.size() != (dot->addsToSums ? 3 : 2))
    return unknown();
  // smlad has its sum last, the others first.
  if (name == "llvm.arm.smlad")
    std::rotate(all.begin(), all.begin() + 2, all.end());
  ArrayRef<Lanes> factors(all);
  if (dot->addsToSums)
    factors = factors.drop_front();
  SmallVector<std::vector<Term>, 2> parts;
  for (const Lanes &factor : factors)
    parts.push_back(haveWidth(factor.parts, dot->width) ? factor.parts
                                                        : join(factor).parts);
  size_t count = parts[0].size() / dot->products;
  if (!haveWidth(parts[0], dot->width) || !haveWidth(parts[1], dot->width) ||
      parts[0].size() != parts[1].size() ||
      (dot->addsToSums && (all[0].per != 1 || all[0].parts.size() != count ||
                           !haveWidth(all[0].parts, 32))))
    return unknown();
  Lanes result;
  for (size_t lane = 0; lane < count; ++lane) {
    Term sum =
        dot->addsToSums ? all[0].parts[lane] : scope.terms.constant(32, 0);
    for (size_t i = lane * dot->products; i < (lane + 1) * dot->products; ++i)
      sum = addProduct(sum, parts[0][i], dot->isSignedInput, parts[1][i],
                       /*isSignedB=*/true);
    result.parts.push_back(sum);
  }
  held[op->getResult(0)] = std::move(result);
  return Error::success();
}

Term KernelWalk::saturate(Term value, unsigned width, bool isSigned) {
  Terms &terms = scope.terms;
  unsigned own = value->sort.width;
  int64_t most = (int64_t(1) << (isSigned ? width - 1 : width)) - 1,
          least = isSigned ? -most - 1 : 0;
  value = terms.minS(terms.maxS(value, terms.constant(own, least)),
                     terms.constant(own, most));
  return terms.make(Fn::Trunc, bits(width), {value});
}

// Intel's intrinsics guide. Conversions round as the thread does: to nearest,
// ties to even; what doesn't fit is the lowest integer. Packs take 64 bits of
// either operand in turns.
bool KernelWalk::walkSaturating(Operation *op, StringRef name,
                                ArrayRef<Lanes> operands) {
  Terms &terms = scope.terms;
  Lanes result;
  auto isNumber = [&](const Lanes &lanes, unsigned width, int64_t value) {
    return lanes.parts.size() == 1 &&
           lanes.parts[0] == terms.constant(width, value);
  };
  bool isMasked = name == "llvm.x86.avx512.mask.cvtps2dq.512";
  if (isMasked || name == "llvm.x86.avx.cvt.ps2dq.256" ||
      name == "llvm.x86.sse2.cvtps2dq") {
    // All lanes, in the rounding mode of the thread.
    if (isMasked ? operands.size() != 4 || !isNumber(operands[2], 16, -1) ||
                       !isNumber(operands[3], 32, 4)
                 : operands.size() != 1)
      return false;
    for (Term lane : operands[0].parts) {
      if (!(lane->sort == f32()))
        return false;
      Term rounded = terms.make(Fn::RoundEven, f32(), {lane});
      result.parts.push_back(
          terms.select(terms.fits(rounded, 32, /*isSigned=*/true),
                       terms.make(Fn::FToS, bits(32), {rounded}),
                       terms.constant(32, INT32_MIN)));
    }
    held[op->getResult(0)] = std::move(result);
    return true;
  }
  // LLVM's language reference: by the rounding mode, which is to nearest.
  if (name.starts_with("llvm.lrint.v") && operands.size() == 1) {
    for (Term lane : operands[0].parts) {
      if (!lane->sort.isFloat || carrying != 0)
        return false;
      Term rounded = terms.make(Fn::RoundEven, lane->sort, {lane});
      result.parts.push_back(terms.make(Fn::FToS, bits(32), {rounded}));
      conditions[result.parts.back()] =
          terms.fits(rounded, 32, /*isSigned=*/true);
    }
    held[op->getResult(0)] = std::move(result);
    return true;
  }
  if (operands.size() != 2 || operands[0].per != 1 || operands[1].per != 1 ||
      operands[0].parts.size() != operands[1].parts.size())
    return false;
  const std::vector<Term> &a = operands[0].parts, &b = operands[1].parts;
  if (name == "sadd.sat") {
    if (!haveWidth(a, 16) || !haveWidth(b, 16))
      return false;
    for (auto [x, y] : llvm::zip_equal(a, b))
      result.parts.push_back(
          saturate(terms.binary(Fn::Add, terms.make(Fn::ExtS, bits(17), {x}),
                                terms.make(Fn::ExtS, bits(17), {y})),
                   16, /*isSigned=*/true));
    held[op->getResult(0)] = std::move(result);
    return true;
  }
  struct Pack {
    llvm::StringLiteral name;
    unsigned from;
    bool isSigned;
  };
  static constexpr Pack packs[] = {{"llvm.x86.avx512.packssdw.512", 32, true},
                                   {"llvm.x86.avx2.packssdw", 32, true},
                                   {"llvm.x86.sse2.packssdw.128", 32, true},
                                   {"llvm.x86.avx512.packsswb.512", 16, true},
                                   {"llvm.x86.avx2.packsswb", 16, true},
                                   {"llvm.x86.sse2.packsswb.128", 16, true},
                                   {"llvm.x86.avx512.packuswb.512", 16, false},
                                   {"llvm.x86.avx2.packuswb", 16, false},
                                   {"llvm.x86.sse2.packuswb.128", 16, false}};
  for (const Pack &pack : packs) {
    if (pack.name != name)
      continue;
    size_t segment = 128 / pack.from;
    if (!haveWidth(a, pack.from) || !haveWidth(b, pack.from) ||
        a.size() % segment != 0)
      return false;
    for (size_t i = 0; i < a.size(); i += segment)
      for (const std::vector<Term> *operand : {&a, &b})
        for (Term term : ArrayRef(*operand).slice(i, segment))
          result.parts.push_back(saturate(term, pack.from / 2, pack.isSigned));
    held[op->getResult(0)] = std::move(result);
    return true;
  }
  return false;
}

Error KernelWalk::walkIntrinsic(Operation *op) {
  auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
  StringRef name = call ? call.getIntrin() : "sadd.sat";
  auto unknown = [&] {
    return fail(op, "of '" + name + "' has no meaning here");
  };
  SmallVector<Lanes, 4> operands;
  for (Value operand : op->getOperands()) {
    Lanes *lanes = getLanes(operand);
    if (!lanes)
      return unknown();
    operands.push_back(*lanes);
  }
  if (op->getNumResults() != 1 || operands.empty())
    return unknown();
  if (walkSaturating(op, name, operands))
    return Error::success();
  if (!call)
    return unknown();
  bool isKnown = false;
  if (Error error = walkDot(op, operands, isKnown))
    return error;
  if (isKnown)
    return Error::success();
  Terms &terms = scope.terms;
  Lanes result;
  bool isPair = name == "llvm.x86.avx512.pmaddubs.w.512" ||
                name == "llvm.x86.avx2.pmadd.ub.sw" ||
                name == "llvm.x86.ssse3.pmadd.ub.sw.128";
  if (isPair) {
    if (operands.size() != 2 || !haveWidth(operands[0].parts, 8) ||
        !haveWidth(operands[1].parts, 8) ||
        operands[0].parts.size() != operands[1].parts.size())
      return unknown();
    for (size_t i = 0; i + 1 < operands[0].parts.size(); i += 2) {
      KernelPair pair;
      std::string text = "pair";
      for (size_t k : {0, 1}) {
        pair.a[k] = operands[0].parts[i + k];
        pair.b[k] = operands[1].parts[i + k];
        text += " " + std::to_string(pair.a[k]->id) + " " +
                std::to_string(pair.b[k]->id);
      }
      Term term = terms.variable(text, bits(16));
      pairs[term] = pair;
      result.parts.push_back(term);
    }
    held[op->getResult(0)] = std::move(result);
    return Error::success();
  }
  // Words of four bytes: rotated by one, or the even ones extended.
  const Lanes &word = operands[0];
  if (word.parts.size() != 4 || !haveWidth(word.parts, 8))
    return unknown();
  if (name == "llvm.fshr.i32") {
    if (operands.size() != 3 || operands[1].parts != word.parts ||
        operands[2].parts != std::vector<Term>{terms.constant(32, 8)})
      return unknown();
    result.parts = word.parts;
    std::rotate(result.parts.begin(), result.parts.begin() + 1,
                result.parts.end());
    result.per = 4;
  } else if (name == "llvm.arm.uxtb16" || name == "llvm.arm.sxtb16") {
    Fn extend = name == "llvm.arm.uxtb16" ? Fn::ExtU : Fn::ExtS;
    for (unsigned i : {0, 2})
      result.parts.push_back(terms.make(extend, bits(16), {word.parts[i]}));
    result.per = 2;
  } else {
    return unknown();
  }
  held[op->getResult(0)] = std::move(result);
  return Error::success();
}
