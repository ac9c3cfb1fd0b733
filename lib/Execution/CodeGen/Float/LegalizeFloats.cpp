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
using qbackend::codegen::hasFloats;

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

/// max(x, y) -> x or y is NaN ? x + y : x = y ? x & y : x > y ? x : y, where
/// the bits of equal numbers differ for zeros only; min has x | y, and x < y.
static void expandExtremum(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  bool isMax = isa<LLVM::MaximumOp>(op);
  Value x = op->getOperand(0), y = op->getOperand(1);
  Type type = x.getType();
  Type bits =
      b.getIntegerType(getElementTypeOrSelf(type).getIntOrFloatBitWidth());
  if (auto vector = dyn_cast<VectorType>(type))
    bits = vector.clone(bits);
  auto compare = [&](LLVM::FCmpPredicate predicate) -> Value {
    return LLVM::FCmpOp::create(b, predicate, x, y);
  };
  Value xBits = LLVM::BitcastOp::create(b, bits, x),
        yBits = LLVM::BitcastOp::create(b, bits, y);
  Value both = isMax ? Value(LLVM::AndOp::create(b, xBits, yBits))
                     : Value(LLVM::OrOp::create(b, xBits, yBits));
  Value same = LLVM::BitcastOp::create(b, type, both);
  Value result = LLVM::SelectOp::create(
      b, compare(isMax ? LLVM::FCmpPredicate::ogt : LLVM::FCmpPredicate::olt),
      x, y);
  result = LLVM::SelectOp::create(b, compare(LLVM::FCmpPredicate::oeq), same,
                                  result);
  Value sum = LLVM::FAddOp::create(b, x, y);
  result =
      LLVM::SelectOp::create(b, compare(LLVM::FCmpPredicate::uno), sum, result);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
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
    auto found = qbackend::codegen::getSubtarget(context, getArgument(), triple,
                                                 cpu, features);
    if (!found)
      return failure();
    const llvm::MCSubtargetInfo &subtarget = *found;
    const llvm::Triple &target = subtarget.getTargetTriple();
    roundsSingle = hasRoundEven(subtarget, /*isDouble=*/false);
    roundsDouble = hasRoundEven(subtarget, /*isDouble=*/true);
    hasSingle = hasFloats(subtarget, /*isDouble=*/false);
    hasDouble = hasFloats(subtarget, /*isDouble=*/true);
    hasFixedPoint = (target.isARM() || target.isThumb()) &&
                    subtarget.checkFeatures("+mve.fp");
    return success();
  }

  void runOnOperation() final {
    SmallVector<LLVM::RoundEvenOp> roundings;
    SmallVector<Operation *> extrema, toFloat, toInteger;
    getOperation().walk([&](Operation *op) {
      if (auto rounding = dyn_cast<LLVM::RoundEvenOp>(op)) {
        bool isDouble = getElementTypeOrSelf(rounding.getType()).isF64();
        if (!(isDouble ? roundsDouble : roundsSingle))
          roundings.push_back(rounding);
      } else if (isa<LLVM::MaximumOp, LLVM::MinimumOp>(op)) {
        bool isDouble =
            getElementTypeOrSelf(op->getResult(0).getType()).isF64();
        if (!(isDouble ? hasDouble : hasSingle))
          extrema.push_back(op);
      } else if (hasFixedPoint && isa<LLVM::SIToFPOp, LLVM::UIToFPOp>(op)) {
        toFloat.push_back(op);
      } else if (hasFixedPoint && isa<LLVM::FPToSIOp, LLVM::FPToUIOp>(op)) {
        toInteger.push_back(op);
      }
    });
    for (LLVM::RoundEvenOp op : roundings)
      expandRoundEven(op);
    for (Operation *op : extrema)
      expandExtremum(op);
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
  bool hasSingle = true;
  bool hasDouble = true;
  bool hasFixedPoint = false;
};
} // namespace
