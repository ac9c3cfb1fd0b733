// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Float ops that the processor has no instruction for, or LLVM 22 a wrong one,
// to ops that compute the same bits everywhere.

#include "Lowering/Subtarget.h"

#include "qbackend/Execution/CodeGen/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/TargetParser/Triple.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_LEGALIZEFLOATSPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;

/// Whether an instruction (or LLVM's own code) rounds numbers of 64 bits, or
/// of fewer, to even; else LLVM calls roundeven, which is C23.
static bool hasRoundEven(const llvm::MCSubtargetInfo &subtarget,
                         bool isDouble) {
  const llvm::Triple &triple = subtarget.getTargetTriple();
  if (triple.isX86())
    return subtarget.checkFeatures("+sse4.1");
  if (triple.isARM() || triple.isThumb())
    return subtarget.checkFeatures(isDouble ? "+fp-armv8d16"
                                            : "+fp-armv8d16sp");
  if (triple.isRISCV())
    return subtarget.checkFeatures(isDouble ? "+d" : "+f");
  return triple.isAArch64() || triple.isWasm();
}

/// x -> |x| < c ? copysign((|x| + c) - c, x) : x, where the unit of numbers
/// from c on is 1, so that the addition rounds to nearest, ties to even.
/// Larger numbers are integers, or NaN.
static void expandRoundEven(LLVM::RoundEvenOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value number = op.getIn();
  Type type = number.getType(), element = getElementTypeOrSelf(type);
  auto ofElement = [&](Type element) -> Type {
    if (auto vector = dyn_cast<VectorType>(type))
      return vector.clone(element);
    return element;
  };
  bool isNarrow = element.getIntOrFloatBitWidth() < 32;
  if (isNarrow) {
    element = b.getF32Type();
    number = LLVM::FPExtOp::create(b, ofElement(element), number);
  }
  Type wide = number.getType();
  FloatAttr first = b.getFloatAttr(element, element.isF64() ? 0x1p52 : 0x1p23);
  TypedAttr splat = first;
  if (auto vector = dyn_cast<VectorType>(wide))
    splat = DenseElementsAttr::get(vector, ArrayRef<Attribute>(first));
  Value c = LLVM::ConstantOp::create(b, splat);
  Value magnitude = LLVM::FAbsOp::create(b, number);
  Value sum = LLVM::FAddOp::create(b, magnitude, c);
  Value rounded = LLVM::FSubOp::create(b, sum, c);
  rounded = LLVM::CopySignOp::create(b, rounded, number);
  Value isSmall =
      LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::olt, magnitude, c);
  Value result = LLVM::SelectOp::create(b, isSmall, rounded, number);
  if (isNarrow)
    result = LLVM::FPTruncOp::create(b, type, result);
  op.getResult().replaceAllUsesWith(result);
  op.erase();
}

/// The number itself, of which LLVM sees no further.
static Value fence(OpBuilder &builder, Location loc, Value number) {
  return LLVM::CallIntrinsicOp::create(
             builder, loc, number.getType(),
             builder.getStringAttr("llvm.arithmetic.fence"), number)
      .getResults();
}

namespace {
struct LegalizeFloatsPass
    : qbackend::codegen::impl::LegalizeFloatsPassBase<LegalizeFloatsPass> {
  using LegalizeFloatsPassBase::LegalizeFloatsPassBase;

  LogicalResult initialize(MLIRContext *context) final {
    auto found = qbackend::codegen::getSubtarget(triple, cpu, features);
    if (!found)
      return emitError(UnknownLoc::get(context))
             << getArgument() << ": " << llvm::toString(found.takeError());
    const llvm::MCSubtargetInfo &subtarget = **found;
    const llvm::Triple &target = subtarget.getTargetTriple();
    roundsSingle = hasRoundEven(subtarget, /*isDouble=*/false);
    roundsDouble = hasRoundEven(subtarget, /*isDouble=*/true);
    hasFixedPoint = (target.isARM() || target.isThumb()) &&
                    subtarget.checkFeatures("+mve.fp");
    return success();
  }

  void runOnOperation() final {
    SmallVector<LLVM::RoundEvenOp> roundings;
    SmallVector<Operation *> toFloat, toInteger;
    getOperation().walk([&](Operation *op) {
      if (auto rounding = dyn_cast<LLVM::RoundEvenOp>(op)) {
        bool isDouble = getElementTypeOrSelf(rounding.getType()).isF64();
        if (!(isDouble ? roundsDouble : roundsSingle))
          roundings.push_back(rounding);
      } else if (hasFixedPoint && isa<LLVM::SIToFPOp, LLVM::UIToFPOp>(op)) {
        toFloat.push_back(op);
      } else if (hasFixedPoint && isa<LLVM::FPToSIOp, LLVM::FPToUIOp>(op)) {
        toInteger.push_back(op);
      }
    });
    for (LLVM::RoundEvenOp op : roundings)
      expandRoundEven(op);
    OpBuilder builder(&getContext());
    for (Operation *op : toFloat) {
      builder.setInsertionPointAfter(op);
      Value fenced = fence(builder, op->getLoc(), op->getResult(0));
      op->getResult(0).replaceAllUsesExcept(fenced, fenced.getDefiningOp());
    }
    for (Operation *op : toInteger) {
      builder.setInsertionPoint(op);
      op->setOperand(0, fence(builder, op->getLoc(), op->getOperand(0)));
    }
  }

  bool roundsSingle = true;
  bool roundsDouble = true;
  bool hasFixedPoint = false;
};
} // namespace
