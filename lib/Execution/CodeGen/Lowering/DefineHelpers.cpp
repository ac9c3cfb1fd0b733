// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defines what LLVM calls to round to 16 bits: not every C library has it.

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_DEFINEHELPERSPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;

/// Rounds to f32 so that another rounding, to half the bits or less, is right:
/// what isn't exact goes towards zero, with the last bit set.
static constexpr llvm::StringLiteral roundToOdd = R"mlir(
llvm.func internal @qbackend_round_to_odd(%x: f64) -> f32 {
  %f = llvm.fptrunc %x : f64 to f32
  %back = llvm.fpext %f : f32 to f64
  %ax = llvm.intr.fabs(%x) : (f64) -> f64
  %aback = llvm.intr.fabs(%back) : (f64) -> f64
  %away = llvm.fcmp "ogt" %aback, %ax : f64
  %inexact = llvm.fcmp "one" %aback, %ax : f64
  %step = llvm.zext %away : i1 to i32
  %odd = llvm.zext %inexact : i1 to i32
  %u = llvm.bitcast %f : f32 to i32
  %toward = llvm.sub %u, %step : i32
  %bits = llvm.or %toward, %odd : i32
  %r = llvm.bitcast %bits : i32 to f32
  llvm.return %r : f32
})mlir";

/// To the nearest, ties to even: half of the last bit is added to the bits, but
/// for a tie whose last bit is 0.
static constexpr llvm::StringLiteral toBFloat = R"mlir(
llvm.func weak hidden @__truncsfbf2(%x: f32) -> bf16 {
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %c16 = llvm.mlir.constant(16 : i32) : i32
  %half = llvm.mlir.constant(32767 : i32) : i32
  %quiet = llvm.mlir.constant(64 : i32) : i32
  %isNaN = llvm.fcmp "uno" %x, %x : f32
  %u = llvm.bitcast %x : f32 to i32
  %high = llvm.lshr %u, %c16 : i32
  %nan = llvm.or %high, %quiet : i32
  %last = llvm.and %high, %c1 : i32
  %sum = llvm.add %u, %half : i32
  %up = llvm.add %sum, %last : i32
  %rounded = llvm.lshr %up, %c16 : i32
  %r = llvm.select %isNaN, %nan, %rounded : i1, i32
  %bits = llvm.trunc %r : i32 to i16
  %result = llvm.bitcast %bits : i16 to bf16
  llvm.return %result : bf16
}
llvm.func weak hidden @__truncdfbf2(%x: f64) -> bf16 {
  %f = llvm.call @qbackend_round_to_odd(%x) : (f64) -> f32
  %r = llvm.call @__truncsfbf2(%f) : (f32) -> bf16
  llvm.return %r : bf16
})mlir";

/// As above from 2^-14 on. The ones below have the last bit of 0.5 in f32,
/// which adding it rounds to. From 2^16 on they are infinite.
static constexpr llvm::StringLiteral toHalf = R"mlir(
llvm.func weak hidden @__truncsfhf2(%x: f32) -> f16 {
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %c13 = llvm.mlir.constant(13 : i32) : i32
  %c16 = llvm.mlir.constant(16 : i32) : i32
  %absMask = llvm.mlir.constant(2147483647 : i32) : i32
  %signMask = llvm.mlir.constant(32768 : i32) : i32
  %payloadMask = llvm.mlir.constant(1023 : i32) : i32
  %inf = llvm.mlir.constant(31744 : i32) : i32
  %quiet = llvm.mlir.constant(32256 : i32) : i32
  %one = llvm.mlir.constant(5.000000e-01 : f32) : f32
  %oneBits = llvm.mlir.constant(1056964608 : i32) : i32
  %normal = llvm.mlir.constant(947912704 : i32) : i32
  %large = llvm.mlir.constant(1199570944 : i32) : i32
  %rebias = llvm.mlir.constant(-939520001 : i32) : i32
  %isNaN = llvm.fcmp "uno" %x, %x : f32
  %u = llvm.bitcast %x : f32 to i32
  %top = llvm.lshr %u, %c16 : i32
  %sign = llvm.and %top, %signMask : i32
  %a = llvm.and %u, %absMask : i32
  %abs = llvm.bitcast %a : i32 to f32
  %shifted = llvm.lshr %a, %c13 : i32
  %last = llvm.and %shifted, %c1 : i32
  %sum = llvm.add %a, %rebias : i32
  %up = llvm.add %sum, %last : i32
  %rounded = llvm.lshr %up, %c13 : i32
  %added = llvm.fadd %abs, %one : f32
  %addedBits = llvm.bitcast %added : f32 to i32
  %tiny = llvm.sub %addedBits, %oneBits : i32
  %isTiny = llvm.icmp "ult" %a, %normal : i32
  %finite = llvm.select %isTiny, %tiny, %rounded : i1, i32
  %isLarge = llvm.icmp "uge" %a, %large : i32
  %number = llvm.select %isLarge, %inf, %finite : i1, i32
  %payload = llvm.and %shifted, %payloadMask : i32
  %nan = llvm.or %payload, %quiet : i32
  %magnitude = llvm.select %isNaN, %nan, %number : i1, i32
  %whole = llvm.or %magnitude, %sign : i32
  %bits = llvm.trunc %whole : i32 to i16
  %r = llvm.bitcast %bits : i16 to f16
  llvm.return %r : f16
}
llvm.func weak hidden @__truncdfhf2(%x: f64) -> f16 {
  %f = llvm.call @qbackend_round_to_odd(%x) : (f64) -> f32
  %r = llvm.call @__truncsfhf2(%f) : (f32) -> f16
  llvm.return %r : f16
})mlir";

/// Exponents are larger by 112, also those of what was less than 2^-14, which
/// is why it is a product.
static constexpr llvm::StringLiteral fromHalf = R"mlir(
llvm.func weak hidden @__extendhfsf2(%x: f16) -> f32 {
  %c13 = llvm.mlir.constant(13 : i32) : i32
  %c16 = llvm.mlir.constant(16 : i32) : i32
  %absMask = llvm.mlir.constant(32767 : i32) : i32
  %signMask = llvm.mlir.constant(32768 : i32) : i32
  %halfInf = llvm.mlir.constant(31744 : i32) : i32
  %inf = llvm.mlir.constant(2139095040 : i32) : i32
  %quiet = llvm.mlir.constant(4194304 : i32) : i32
  %zero = llvm.mlir.constant(0 : i32) : i32
  %scale = llvm.mlir.constant(5.19229686E+33 : f32) : f32
  %h = llvm.bitcast %x : f16 to i16
  %u = llvm.zext %h : i16 to i32
  %a = llvm.and %u, %absMask : i32
  %sign = llvm.and %u, %signMask : i32
  %top = llvm.shl %sign, %c16 : i32
  %shifted = llvm.shl %a, %c13 : i32
  %small = llvm.bitcast %shifted : i32 to f32
  %scaled = llvm.fmul %small, %scale : f32
  %number = llvm.bitcast %scaled : f32 to i32
  %isSpecial = llvm.icmp "uge" %a, %halfInf : i32
  %isNaN = llvm.icmp "ugt" %a, %halfInf : i32
  %special = llvm.or %shifted, %inf : i32
  %quieted = llvm.select %isNaN, %quiet, %zero : i1, i32
  %specialBits = llvm.or %special, %quieted : i32
  %magnitude = llvm.select %isSpecial, %specialBits, %number : i1, i32
  %bits = llvm.or %magnitude, %top : i32
  %r = llvm.bitcast %bits : i32 to f32
  llvm.return %r : f32
})mlir";

namespace {
struct DefineHelpersPass
    : qbackend::codegen::impl::DefineHelpersPassBase<DefineHelpersPass> {
  using DefineHelpersPassBase::DefineHelpersPassBase;

  void runOnOperation() final {
    llvm::Triple target(triple.empty() ? llvm::sys::getProcessTriple()
                                       : triple.getValue());
    // Without it, the translation to LLVM IR takes an i96 for 12 bytes.
    getOperation()->setAttr(
        LLVM::LLVMDialect::getDataLayoutAttrName(),
        StringAttr::get(&getContext(), target.computeDataLayout()));
    // Elsewhere LLVM has instructions for all of them.
    if (!target.isX86())
      return;
    bool hasHalf = false, hasBFloat = false;
    AttrTypeWalker walker;
    walker.addWalk([&](Float16Type) { hasHalf = true; });
    walker.addWalk([&](BFloat16Type) { hasBFloat = true; });
    getOperation().walk([&](Operation *op) {
      for (Type type : op->getOperandTypes())
        walker.walk(type);
      for (Type type : op->getResultTypes())
        walker.walk(type);
    });
    std::string text;
    if (hasHalf)
      text += toHalf.str() + fromHalf.str();
    if (hasBFloat)
      text += toBFloat;
    if (text.empty())
      return;
    text += roundToOdd;
    OwningOpRef<ModuleOp> helpers =
        parseSourceString<ModuleOp>(text, &getContext());
    for (Operation &op : llvm::make_early_inc_range(*helpers->getBody())) {
      Location location = getOperation().getLoc();
      op.moveBefore(getOperation().getBody(), getOperation().getBody()->end());
      op.walk([&](Operation *inner) { inner->setLoc(location); });
    }
  }
};
} // namespace
