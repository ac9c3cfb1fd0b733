// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the `edges` of a pattern say of values, and ask of the neighbours.

#include "EdgeSpecs.h"

#include "qbackend/Transforms/Analysis/QConfigTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace qbackend;

bool qbackend::haveSameNumbers(ObserverAttr a, ObserverAttr b) {
  auto getRange = [](ObserverAttr observer) {
    return isa<IntegerType>(observer.getDtype())
               ? getQuantRange(observer)
               : std::pair<int64_t, int64_t>();
  };
  return a.getDtype() == b.getDtype() && a.getScheme() == b.getScheme() &&
         a.getIsDynamic() == b.getIsDynamic() &&
         a.getChAxis().value_or(0) == b.getChAxis().value_or(0) &&
         a.getScale() == b.getScale() && a.getZeroPoint() == b.getZeroPoint() &&
         getRange(a) == getRange(b);
}

/// Calls `use` with what the network calls the code of `op`.
static void forEachTorchName(OperatorOp op, DictionaryAttr torchNames,
                             llvm::function_ref<void(StringRef)> use) {
  if (!torchNames)
    return;
  // A layer may have the name of the view behind it, and its own inside.
  op->walk([&](Operation *each) {
    each->getLoc()->walk([&](Location inner) {
      if (auto named = dyn_cast<NameLoc>(inner))
        if (auto name = torchNames.getAs<StringAttr>(named.getName()))
          use(name);
      return WalkResult::advance();
    });
  });
}

/// torch.ops.aten.relu.default of torch.ops.aten.relu_.default, and of
/// relu_copy.
static std::string getFunctional(StringRef name) {
  auto [base, overload] = name.rsplit('.');
  if (!base.consume_back("_copy"))
    base.consume_back("_");
  return (base + "." + overload).str();
}

SmallVector<std::string> qbackend::getTorchNames(OperatorOp op,
                                                 DictionaryAttr torchNames) {
  SmallVector<std::string> called;
  forEachTorchName(op, torchNames, [&](StringRef name) {
    called.push_back(getFunctional(name));
  });
  return called;
}

bool qbackend::isSpelled(ArrayRef<std::string> called,
                         PatternConfigOp pattern) {
  EdgesAttr edges = getEdges(pattern);
  if (called.empty() || !edges || !edges.has(EdgeCondition::Spelled))
    return true;
  bool isEach = true;
  pattern.getConfig().getTorch().walk([&](StringAttr name) {
    isEach &= llvm::is_contained(called, getFunctional(name));
  });
  return isEach;
}

bool qbackend::observesNumber(OperatorOp op, DictionaryAttr torchNames,
                              PatternConfigOp pattern) {
  EdgesAttr edges = getEdges(pattern);
  if (!edges || op.isFused() || !isa<AddAttr, MulAttr>(op.getKind()) ||
      !op.getKind().getSecondNumber() || edges.getInputs().size() < 2 ||
      !edges.getInputs()[1].isObserved())
    return false;
  bool isInPlace = false;
  forEachTorchName(op, torchNames, [&](StringRef name) {
    isInPlace |= name.rsplit('.').first.ends_with("_");
  });
  return !isInPlace;
}

void qbackend::makeNumberInput(OperatorOp op) {
  MLIRContext *context = op.getContext();
  auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
  auto scalar = RankedTensorType::get({}, type.getElementType());
  bool isSum = isa<AddAttr>(op.getKind());
  float number = op.getKind().getSecondNumber().getValueAsDouble();
  Location loc = NameLoc::get(
      StringAttr::get(context, getLocationName(op.getLoc()) + ".number"));
  OpBuilder builder(op);
  Value constant = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(scalar, number));
  op.getInputsMutable().append(constant);
  op.setKindsAttr(builder.getArrayAttr(
      {isSum ? Attribute(AddAttr::get(context, FloatAttr()))
             : Attribute(MulAttr::get(context, FloatAttr()))}));

  Block &body = op.getBody().front();
  while (!body.empty())
    body.back().erase();
  Value input = body.getArgument(0), operand = body.addArgument(scalar, loc);
  builder.setInsertionPointToStart(&body);
  AffineMap all = builder.getMultiDimIdentityMap(type.getRank());
  AffineMap maps[] = {all, AffineMap::get(type.getRank(), 0, context), all};
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto result = linalg::GenericOp::create(
      builder, op.getLoc(), type, ValueRange{input, operand}, ValueRange{input},
      maps, loops, [&](OpBuilder &b, Location loc, ValueRange elements) {
        Value value =
            isSum ? arith::AddFOp::create(b, loc, elements[0], elements[1])
                        .getResult()
                  : arith::MulFOp::create(b, loc, elements[0], elements[1])
                        .getResult();
        linalg::YieldOp::create(b, loc, value);
      });
  YieldOp::create(builder, op.getLoc(), result.getResult(0));
}

/// Whether `value` is read by one of these, seen through changes of layout.
static bool isReadBy(Value value, llvm::function_ref<bool(Operation *)> isOne) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (auto transpose = dyn_cast<TransposeOp>(user))
      return isReadBy(transpose.getOutput(), isOne);
    return isOne(user);
  });
}

std::string
qbackend::whyConditionFails(OperatorOp op, EdgesAttr edges,
                            llvm::function_ref<bool(OperatorOp)> isQuantized,
                            llvm::function_ref<bool(Operation *)> hasPattern) {
  if (edges.has(EdgeCondition::InputsQuantized))
    for (auto [i, input] : llvm::enumerate(op.getInputs())) {
      Value value = input;
      while (Operation *op = value.getDefiningOp()) {
        if (!isa<TransposeOp, ObserveOp>(op))
          break;
        value = op->getOperand(0);
      }
      auto producer = value.getDefiningOp<OperatorOp>();
      if (!producer || !isQuantized(producer))
        return "its input " + std::to_string(i) +
               " is not the result of a quantized operator";
    }
  if (edges.has(EdgeCondition::UserQuantized) &&
      !isReadBy(op.getOutput(), hasPattern))
    return "no operator that the backend has a pattern for reads its result";
  return "";
}
