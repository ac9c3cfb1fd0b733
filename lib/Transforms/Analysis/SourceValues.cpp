// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values are the network's own, and which ones passes have made of them.

#include "qbackend/Transforms/Analysis/SourceValues.h"

#include "qbackend/Support/Places.h"
#include "qbackend/Transforms/Analysis/TensorNames.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace qbackend;

static int64_t getCount(Attribute attr) {
  auto count = dyn_cast_if_present<IntegerAttr>(attr);
  return count ? count.getInt() : 1;
}

int64_t qbackend::getSourceValues(Operation *op) {
  return getCount(op->getDiscardableAttr(kSourceValuesAttrName));
}

void qbackend::setSourceValues(Operation *op, int64_t count) {
  op->setDiscardableAttr(kSourceValuesAttrName,
                         Builder(op).getI64IntegerAttr(count));
}

/// The function that `argument` is of; null if it is none's.
static FunctionOpInterface getFunction(BlockArgument argument) {
  auto function = dyn_cast_or_null<FunctionOpInterface>(
      argument ? argument.getOwner()->getParentOp() : nullptr);
  return function && argument.getOwner()->isEntryBlock()
             ? function
             : FunctionOpInterface();
}

int64_t qbackend::countSourceValues(Value value) {
  value = TensorNames::getTensor(value);
  if (auto op = value.getDefiningOp<OperatorOp>())
    return getSourceValues(op);
  auto argument = dyn_cast<BlockArgument>(value);
  if (FunctionOpInterface function = getFunction(argument))
    return getCount(
        function.getArgAttr(argument.getArgNumber(), kSourceValuesAttrName));
  return 1;
}

void qbackend::addSourceValue(Value value) {
  value = TensorNames::getTensor(value);
  int64_t count = countSourceValues(value) + 1;
  auto argument = dyn_cast<BlockArgument>(value);
  if (auto op = value.getDefiningOp<OperatorOp>())
    setSourceValues(op, count);
  else if (FunctionOpInterface function = getFunction(argument))
    function.setArgAttr(argument.getArgNumber(), kSourceValuesAttrName,
                        Builder(function).getI64IntegerAttr(count));
}

void qbackend::eraseSourceValues(FunctionOpInterface function) {
  // All at once: the attributes of a function's arguments are one array.
  SmallVector<DictionaryAttr> arguments;
  function.getAllArgAttrs(arguments);
  bool isChanged = false;
  for (DictionaryAttr &attributes : arguments) {
    NamedAttrList kept(attributes);
    if (!kept.erase(kSourceValuesAttrName))
      continue;
    attributes = kept.getDictionary(function.getContext());
    isChanged = true;
  }
  if (isChanged)
    function.setAllArgAttrs(arguments);
}

/// Whether a part of `loc` is called `name`.
static bool hasName(Location loc, StringRef name) {
  return loc
      ->walk([&](Location inner) {
        auto named = dyn_cast<NameLoc>(inner);
        return named && named.getName() == name ? WalkResult::interrupt()
                                                : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool isReadBy(Value value, function_ref<bool(Operation *)> predicate) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (isa<TransposeOp, ObserveOp>(user))
      return isReadBy(user->getResult(0), predicate);
    return predicate(user);
  });
}

/// Whether `op` is a new dimension of size 1, before a concatenation: torch's
/// stack is one operator.
static bool isStackElement(OperatorOp op) {
  auto rank = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getRank();
  };
  return isa<ReshapeAttr>(op.getKind()) &&
         rank(op.getOutput()) == rank(op.getInputs()[0]) + 1 &&
         isReadBy(op.getOutput(),
                  [](Operation *user) {
                    auto reader = dyn_cast<OperatorOp>(user);
                    return reader && isa<CatAttr>(reader.getKind());
                  }) &&
         !isReadBy(op.getOutput(), [](Operation *user) {
           auto reader = dyn_cast<OperatorOp>(user);
           return !reader || !isa<CatAttr>(reader.getKind());
         });
}

bool qbackend::isPartOfOther(OperatorOp op) {
  if (op.isFused() || !op.getKind().isShapeOnly())
    return false;
  if (getSourceValues(op) == 0 || isStackElement(op))
    return true;
  std::string name = getLocationName(op.getLoc());
  if (name.empty())
    return false;
  auto isSame = [&](Operation *other) {
    return isa_and_nonnull<OperatorOp>(other) && hasName(other->getLoc(), name);
  };
  return isSame(TensorNames::getTensor(op.getInputs()[0]).getDefiningOp()) ||
         isReadBy(op.getOutput(), isSame);
}
