// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of targets, and the instructions that they are named for.

#include "Targets.h"

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace qbackend::codegen;

static Value callIntrinsic(ImplicitLocOpBuilder &b, StringRef name, Type type,
                           ValueRange arguments) {
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name),
                                       arguments)
      .getResults();
}

/// An instruction that adds the products, too. All of these wrap; the ones that
/// saturate (vpdpbusds) don't compute our sums.
template <const char *name>
static Value accumulate(ImplicitLocOpBuilder &b, Value sums, Value input,
                        Value weight) {
  return callIntrinsic(b, name, sums.getType(), {sums, input, weight});
}

/// The same for one whose operands are in another order: a word of its second
/// one may be in all lanes.
template <const char *name>
static Value accumulateSwapped(ImplicitLocOpBuilder &b, Value sums, Value input,
                               Value weight) {
  return accumulate<name>(b, sums, weight, input);
}

/// One that adds pairs of products of 16 bits: at most 2 * 2^15 * 2^8.
template <const char *name>
static Value addPairs(ImplicitLocOpBuilder &b, Value sums, Value input,
                      Value weight) {
  return arith::AddIOp::create(
      b, sums, callIntrinsic(b, name, sums.getType(), {input, weight}));
}

template <const char *name>
static Value multiplyBytes(ImplicitLocOpBuilder &b, Value input, Value weight) {
  int64_t bytes = cast<VectorType>(input.getType()).getNumElements();
  return callIntrinsic(b, name, VectorType::get({bytes / 2}, b.getI16Type()),
                       {input, weight});
}

static Value multiply(ImplicitLocOpBuilder &b, Value sums, Value input,
                      Value weight) {
  return arith::AddIOp::create(b, sums,
                               arith::MulIOp::create(b, input, weight));
}

/// Lane by lane: the even and the odd bytes of a word, extended to two numbers
/// of 16 bits each, are multiplied and added in pairs. smlad wraps. Words that
/// several lanes or pixels share are extended once, by common subexpressions.
static Value multiplyDual(ImplicitLocOpBuilder &b, Value sums, Value input,
                          Value weight) {
  Type i32 = b.getI32Type();
  Value eight = arith::ConstantIntOp::create(b, i32, 8);
  Value inputs = vector::BitCastOp::create(b, sums.getType(), input),
        weights = vector::BitCastOp::create(b, sums.getType(), weight);
  for (int64_t lane = 0; lane < cast<VectorType>(sums.getType()).getDimSize(0);
       ++lane) {
    Value x = vector::ExtractOp::create(b, inputs, lane),
          w = vector::ExtractOp::create(b, weights, lane),
          sum = vector::ExtractOp::create(b, sums, lane);
    for (bool isOdd : {false, true}) {
      auto take = [&](Value word, StringRef extend) {
        if (isOdd)
          word = callIntrinsic(b, "llvm.fshr.i32", i32, {word, word, eight});
        return callIntrinsic(b, extend, i32, word);
      };
      sum = callIntrinsic(
          b, "llvm.arm.smlad", i32,
          {take(x, "llvm.arm.uxtb16"), take(w, "llvm.arm.sxtb16"), sum});
    }
    sums = vector::InsertOp::create(b, sum, sums, lane);
  }
  return sums;
}

/// By saturating packs, which take four words at a time from either operand.
static Value packWords(ImplicitLocOpBuilder &b, ArrayRef<Value> scaled,
                       Value zeroPoint, bool isSigned) {
  int64_t lanes = cast<VectorType>(scaled[0].getType()).getDimSize(0);
  struct Names {
    StringLiteral round, words, signedBytes, bytes;
  };
  static constexpr Names all[] = {
      {"llvm.x86.avx512.mask.cvtps2dq.512", "llvm.x86.avx512.packssdw.512",
       "llvm.x86.avx512.packsswb.512", "llvm.x86.avx512.packuswb.512"},
      {"llvm.x86.avx.cvt.ps2dq.256", "llvm.x86.avx2.packssdw",
       "llvm.x86.avx2.packsswb", "llvm.x86.avx2.packuswb"},
      {"llvm.x86.sse2.cvtps2dq", "llvm.x86.sse2.packssdw.128",
       "llvm.x86.sse2.packsswb.128", "llvm.x86.sse2.packuswb.128"}};
  const Names &names = all[lanes == 16 ? 0 : lanes == 8 ? 1 : 2];
  auto integers = VectorType::get({lanes}, b.getI32Type());
  auto round = [&](Value vector) {
    if (vector.getType() == integers)
      return vector;
    SmallVector<Value> arguments = {vector};
    if (lanes == 16) {
      // All lanes, rounded as the thread does.
      arguments.push_back(
          arith::ConstantOp::create(b, b.getZeroAttr(integers)));
      arguments.push_back(arith::ConstantIntOp::create(b, b.getI16Type(), -1));
      arguments.push_back(arith::ConstantIntOp::create(b, b.getI32Type(), 4));
    }
    return callIntrinsic(b, names.round, integers, arguments);
  };
  SmallVector<Value> halves;
  for (int64_t i : {0, 2}) {
    Value words = callIntrinsic(b, names.words,
                                VectorType::get({2 * lanes}, b.getI16Type()),
                                {round(scaled[i]), round(scaled[i + 1])});
    halves.push_back(zeroPoint ? LLVM::SAddSat::create(b, words, zeroPoint)
                               : words);
  }
  return callIntrinsic(b, isSigned ? names.signedBytes : names.bytes,
                       VectorType::get({4 * lanes}, b.getI8Type()), halves);
}

/// vmladav: neither operand is unsigned, nothing is subtracted or exchanged.
static Value multiplyAll(ImplicitLocOpBuilder &b, Value sum, Value input,
                         Value weight) {
  Value no = arith::ConstantIntOp::create(b, b.getI32Type(), 0);
  return callIntrinsic(b, "llvm.arm.mve.vmldava.v16i8", b.getI32Type(),
                       {no, no, no, sum, input, weight});
}

static constexpr char vpdpbusd512[] = "llvm.x86.avx512.vpdpbusd.512";
static constexpr char vpdpbusd256[] = "llvm.x86.avx512.vpdpbusd.256";
static constexpr char vpmaddwd512[] = "llvm.x86.avx512.pmaddw.d.512";
static constexpr char vpmaddwd256[] = "llvm.x86.avx2.pmadd.wd";
static constexpr char pmaddwd[] = "llvm.x86.sse2.pmadd.wd";
static constexpr char vpmaddubsw512[] = "llvm.x86.avx512.pmaddubs.w.512";
static constexpr char vpmaddubsw256[] = "llvm.x86.avx2.pmadd.ub.sw";
static constexpr char pmaddubsw[] = "llvm.x86.ssse3.pmadd.ub.sw.128";
static constexpr char usdot[] = "llvm.aarch64.neon.usdot.v4i32.v16i8";
static constexpr char sdot[] = "llvm.aarch64.neon.sdot.v4i32.v16i8";

llvm::ArrayRef<KernelTarget> qbackend::codegen::getKernelTargets() {
  static const KernelTarget targets[] = {
      {kTileTarget, "x86",
       "+amx-int8,+amx-tile,+avx512vnni,+avx512bw,+avx512vl", 16, 32, 4, 8,
       InputSign::Unsigned, accumulate<vpdpbusd512>, packWords,
       /*hasTiles=*/true},
      {"avx512vnni", "x86", "+avx512vnni,+avx512bw,+avx512vl", 16, 32, 4, 8,
       InputSign::Unsigned, accumulate<vpdpbusd512>, packWords},
      {"avxvnni", "x86", "+avxvnni,+avx2", 8, 16, 4, 8, InputSign::Unsigned,
       accumulate<vpdpbusd256>, packWords},
      {"avx512", "x86", "+avx512bw,+avx512vl", 16, 32, 2, 16, InputSign::Either,
       addPairs<vpmaddwd512>, packWords, /*hasTiles=*/false,
       multiplyBytes<vpmaddubsw512>},
      {"avx2", "x86", "+avx2", 8, 16, 2, 16, InputSign::Either,
       addPairs<vpmaddwd256>, packWords, /*hasTiles=*/false,
       multiplyBytes<vpmaddubsw256>},
      {"ssse3", "x86", "+ssse3", 4, 16, 2, 16, InputSign::Either,
       addPairs<pmaddwd>, packWords, /*hasTiles=*/false,
       multiplyBytes<pmaddubsw>},
      {"sse2", "x86", "+sse2", 4, 16, 2, 16, InputSign::Either,
       addPairs<pmaddwd>, packWords},
      {"i8mm", "aarch64", "+i8mm,+dotprod", 4, 32, 4, 8, InputSign::Unsigned,
       accumulate<usdot>, /*pack=*/nullptr,
       /*hasTiles=*/false, /*multiplyBytes=*/nullptr, /*interleaves=*/true,
       /*copyBytes=*/64, /*byElement=*/true},
      {"dotprod", "aarch64", "+dotprod", 4, 32, 4, 8, InputSign::Signed,
       accumulateSwapped<sdot>, /*pack=*/nullptr,
       /*hasTiles=*/false, /*multiplyBytes=*/nullptr, /*interleaves=*/true,
       /*copyBytes=*/64, /*byElement=*/true},
      // Without vectors, a lane is a register of 13 or so: two pixels of two
      // outputs, and their operands.
      {"dsp", "arm", "+dsp,-mve,-neon", 2, 4, 4, 8, InputSign::Unsigned,
       multiplyDual, /*pack=*/nullptr, /*hasTiles=*/false,
       /*multiplyBytes=*/nullptr,
       /*interleaves=*/false, /*copyBytes=*/16},
      {"mve", "arm", "+mve", 4, 16, 1, 8, InputSign::Either, multiply,
       /*pack=*/nullptr, /*hasTiles=*/false, /*multiplyBytes=*/nullptr,
       /*interleaves=*/true, /*copyBytes=*/64, /*byElement=*/false,
       /*isPortable=*/false, multiplyAll},
      {"arm", "arm", "-mve,-neon", 2, 10, 1, 8, InputSign::Either, multiply,
       /*pack=*/nullptr, /*hasTiles=*/false, /*multiplyBytes=*/nullptr,
       /*interleaves=*/false, /*copyBytes=*/4},
      {"riscv32", "riscv32", "-v", 2, 10, 1, 8, InputSign::Either, multiply,
       /*pack=*/nullptr, /*hasTiles=*/false, /*multiplyBytes=*/nullptr,
       /*interleaves=*/false, /*copyBytes=*/4},
      {kPortableTarget, "", "", 4, 16, 1, 8, InputSign::Either, multiply,
       /*pack=*/nullptr, /*hasTiles=*/false, /*multiplyBytes=*/nullptr,
       /*interleaves=*/true, /*copyBytes=*/1, /*byElement=*/false,
       /*isPortable=*/true},
      {"scalar", "", "", 4, 16, 1, 8, InputSign::Either, multiply},
  };
  return targets;
}

bool qbackend::codegen::supports(const llvm::MCSubtargetInfo &subtarget,
                                 const KernelTarget &target) {
  const llvm::Triple &triple = subtarget.getTargetTriple();
  if (target.architecture == "x86" && !triple.isX86())
    return false;
  if (target.architecture == "aarch64" && !triple.isAArch64())
    return false;
  if (target.architecture == "arm" && !triple.isARM() && !triple.isThumb())
    return false;
  if (target.architecture == "riscv32" && !triple.isRISCV32())
    return false;
  return target.features.empty() || subtarget.checkFeatures(target.features);
}
