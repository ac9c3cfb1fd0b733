// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What rounds products of integers and constants, such as averages, by integers
// where there are no instructions for floats, and the names of the layers that
// have floats all the same.

#include "Lowering/LowerToLLVM.h"
#include "Lowering/Subtarget.h"
#include "Requantization/IntegerRequantizer.h"

#include "qbackend/Execution/CodeGen/ConstantStore.h"
#include "qbackend/Support/Places.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace qbackend::codegen {
#define GEN_PASS_DEF_REQUANTIZEBYINTEGERSPASS
#include "qbackend/Execution/CodeGen/Passes.h.inc"
} // namespace qbackend::codegen

using namespace mlir;
using namespace qbackend;
using namespace qbackend::codegen;

/// Adding more to a rounded product could wrap.
static constexpr int64_t largestOffset = 1 << 16;

/// The integer that `value` is, in all lanes.
static std::optional<int64_t> getInteger(Value value) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    value = broadcast.getSource();
  return getConstantIntValue(value);
}

/// All numbers that `elements`, of f32, has.
static std::vector<float> getNumbers(ElementsAttr elements) {
  std::vector<float> numbers;
  if (elements.isSplat())
    return {elements.getSplatValue<APFloat>().convertToFloat()};
  for (const APFloat &number : elements.getValues<APFloat>())
    numbers.push_back(number.convertToFloat());
  return numbers;
}

/// The numbers that `value`, of f32, may be: constants, or those of a table.
/// None: it may be any.
static std::vector<float> findNumbers(Value value, const SymbolTable &symbols) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
    return findNumbers(broadcast.getSource(), symbols);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
      return {number.getValue().convertToFloat()};
    return getNumbers(cast<ElementsAttr>(constant.getValue()));
  }
  if (!isa<memref::LoadOp, vector::LoadOp, vector::TransferReadOp,
           vector::MaskedLoadOp>(op))
    return {};
  Value table = op->getOperand(0);
  while (auto view = table.getDefiningOp<ViewLikeOpInterface>())
    table = view.getViewSource();
  ElementsAttr elements = getConstantElements(table, symbols);
  if (!elements || !elements.getElementType().isF32())
    return {};
  return getNumbers(elements);
}

/// Whether all that reads `value`, a rounded product and `offset`, is the same
/// for products beyond -256 and 256, on one side; `hasLow` and `hasHigh`: these
/// are clamped already.
static bool isClamped(Value value, int64_t offset, bool canAdd,
                      bool hasLow = false, bool hasHigh = false) {
  if (hasLow && hasHigh)
    return true;
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (!isa<arith::AddIOp, arith::MaxSIOp, arith::MinSIOp>(user))
      return false;
    std::optional<int64_t> number = getInteger(user->getOperand(1));
    if (!number)
      return false;
    Value result = user->getResult(0);
    if (isa<arith::AddIOp>(user))
      return canAdd && std::abs(*number) <= largestOffset &&
             isClamped(result, offset + *number, canAdd, hasLow, hasHigh);
    if (isa<arith::MaxSIOp>(user))
      return *number - offset >= -256 &&
             isClamped(result, offset, canAdd, true, hasHigh);
    return *number - offset <= 256 &&
           isClamped(result, offset, canAdd, hasLow, true);
  });
}

/// `value` with each element in `type`.
static Type withElement(Value value, Type type) {
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    return vector.clone(type);
  return type;
}

namespace {
struct RequantizeByIntegersPass
    : qbackend::codegen::impl::RequantizeByIntegersPassBase<
          RequantizeByIntegersPass> {
  using RequantizeByIntegersPassBase::RequantizeByIntegersPassBase;

  LogicalResult initialize(MLIRContext *context) final {
    auto subtarget =
        getSubtarget(context, getArgument(), triple, cpu, features);
    if (!subtarget)
      return failure();
    avoidsFloats = target == kPortableTarget || !hasFloats(*subtarget, false);
    return success();
  }

  void runOnOperation() final {
    if (!avoidsFloats)
      return;
    SymbolTable symbols(getOperation());
    SmallVector<arith::FPToSIOp> ops;
    getOperation().walk([&](arith::FPToSIOp op) { ops.push_back(op); });
    for (arith::FPToSIOp op : ops)
      rewrite(op, symbols);
    nameFloats();
  }

  void rewrite(arith::FPToSIOp op, SymbolTable &symbols);
  void nameFloats();

  bool avoidsFloats = false;
};
} // namespace

// fptosi(roundeven(sitofp(sum) * m)) -> requantize_SHIFT(sum, m * 2^SHIFT)
void RequantizeByIntegersPass::rewrite(arith::FPToSIOp op,
                                       SymbolTable &symbols) {
  auto rounding = op.getIn().getDefiningOp<math::RoundEvenOp>();
  auto product = rounding ? rounding.getOperand().getDefiningOp<arith::MulFOp>()
                          : arith::MulFOp();
  if (!product || !getElementTypeOrSelf(op.getType()).isInteger(32) ||
      !getElementTypeOrSelf(product.getType()).isF32())
    return;
  Value multiplier = product.getRhs();
  auto conversion = product.getLhs().getDefiningOp<arith::SIToFPOp>();
  if (!conversion) {
    multiplier = product.getLhs();
    conversion = product.getRhs().getDefiningOp<arith::SIToFPOp>();
  }
  auto vector = dyn_cast<VectorType>(op.getType());
  if (!conversion || (vector && vector.getRank() != 1) ||
      getElementTypeOrSelf(conversion.getIn().getType())
              .getIntOrFloatBitWidth() > 32)
    return;
  std::vector<float> numbers = findNumbers(multiplier, symbols);
  std::optional<IntegerMultipliers> found = findIntegerMultipliers(numbers);
  // 3/4 of 2^31 and an offset are within 32 bits.
  if (numbers.empty() || !found ||
      !isClamped(op, 0, *llvm::max_element(numbers) <= 0.75f))
    return;

  ImplicitLocOpBuilder b(op.getLoc(), op);
  func::FuncOp requantizer = getRequantizer(op.getLoc(), found->shift, symbols);
  Value sum = conversion.getIn();
  Type i32 = b.getI32Type(), integers = withElement(sum, i32);
  if (sum.getType() != integers)
    sum = arith::ExtSIOp::create(b, integers, sum);
  auto number = [&](int64_t value) -> Value {
    TypedAttr attribute = b.getI32IntegerAttr(value);
    if (vector)
      attribute = DenseElementsAttr::get(cast<ShapedType>(integers),
                                         ArrayRef<Attribute>(attribute));
    return arith::ConstantOp::create(b, attribute);
  };
  Value factor;
  if (llvm::all_equal(found->multipliers)) {
    factor = number(found->multipliers.front());
  } else {
    // 2^(exponent - 150) times the mantissa is the number.
    Value bits = arith::BitcastOp::create(b, integers, multiplier);
    Value mantissa = arith::AndIOp::create(b, bits, number(0x7fffff));
    mantissa = arith::OrIOp::create(b, mantissa, number(0x800000));
    Value exponent = arith::ShRUIOp::create(b, bits, number(23));
    Value places =
        arith::AddIOp::create(b, exponent, number(found->shift - 150));
    factor = arith::ShLIOp::create(b, mantissa, places);
  }
  auto requantize = [&](Value sum, Value factor) -> Value {
    return func::CallOp::create(b, requantizer, ValueRange{sum, factor})
        .getResult(0);
  };
  Value result;
  if (!vector) {
    result = requantize(sum, factor);
  } else {
    result = number(0);
    for (int64_t lane = 0; lane < vector.getDimSize(0); ++lane) {
      Value laneSum = vector::ExtractOp::create(b, sum, lane),
            laneFactor = vector::ExtractOp::create(b, factor, lane);
      Value rounded = requantize(laneSum, laneFactor);
      result = vector::InsertOp::create(b, rounded, result, lane);
    }
  }
  op.replaceAllUsesWith(result);
  for (Operation *unused : {op.getOperation(), rounding.getOperation(),
                            product.getOperation(), conversion.getOperation()})
    if (unused->use_empty())
      unused->erase();
}

/// Public functions say which layers have floats. A kernel has those of all
/// layers that call it.
void RequantizeByIntegersPass::nameFloats() {
  auto isFloat = [](Type type) {
    return isa<FloatType>(getElementTypeOrSelf(type));
  };
  auto hasFloats = [&](Operation *op) {
    return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
           !isa<arith::ConstantOp, arith::BitcastOp>(op) &&
           (llvm::any_of(op->getOperandTypes(), isFloat) ||
            llvm::any_of(op->getResultTypes(), isFloat));
  };
  DenseSet<StringAttr> kernels;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (isKernel(function) && function
                                  .walk([&](Operation *op) {
                                    return hasFloats(op)
                                               ? WalkResult::interrupt()
                                               : WalkResult::advance();
                                  })
                                  .wasInterrupted())
      kernels.insert(function.getSymNameAttr());
  llvm::SetVector<StringAttr> layers;
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (isKernel(function))
      continue;
    function.walk([&](Operation *op) {
      auto call = dyn_cast<func::CallOp>(op);
      if (!(call ? kernels.contains(call.getCalleeAttr().getAttr())
                 : hasFloats(op)))
        return;
      std::string name = getLocationName(op->getLoc());
      if (name.empty())
        name = op->getLoc()->findInstanceOf<FileLineColLoc>()
                   ? spellPlace(op->getLoc())
                   : "a layer without a place";
      layers.insert(StringAttr::get(&getContext(), name));
    });
  }
  if (layers.empty())
    return;
  std::string names = llvm::join(
      llvm::map_range(layers, [](StringAttr name) { return name.getValue(); }),
      ";");
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (function.isPublic())
      addLLVMAttribute(function, "qbackend-float-layers", names);
}
