// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values are the network's own, and which ones passes have made of them.

#include "qbackend/Transforms/Analysis/SourceValues.h"

#include "qbackend/Dialect/QBackend/Moves.h"
#include "qbackend/Support/Places.h"
#include "qbackend/Transforms/Analysis/TensorNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <utility>

using namespace mlir;
using namespace qbackend;

int64_t qbackend::getSourceValues(Operation *op) {
  Attribute values = op->getDiscardableAttr(kSourceValuesAttrName);
  if (auto places = dyn_cast_if_present<DenseI64ArrayAttr>(values))
    return places.size();
  auto count = dyn_cast_if_present<IntegerAttr>(values);
  return count ? count.getInt() : 1;
}

void qbackend::setSourceValues(Operation *op, int64_t count) {
  op->setDiscardableAttr(kSourceValuesAttrName,
                         Builder(op).getI64IntegerAttr(count));
}

SmallVector<int64_t> qbackend::getSourcePlaces(Operation *op) {
  if (auto places = dyn_cast_if_present<DenseI64ArrayAttr>(
          op->getDiscardableAttr(kSourceValuesAttrName)))
    return SmallVector<int64_t>(places.asArrayRef());
  return SmallVector<int64_t>(getSourceValues(op), 0);
}

void qbackend::setSourcePlaces(Operation *op, ArrayRef<int64_t> places) {
  op->setDiscardableAttr(kSourceValuesAttrName,
                         Builder(op).getDenseI64ArrayAttr(places));
}

//===----------------------------------------------------------------------===//
// Parts of other operators
//===----------------------------------------------------------------------===//

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
  if (getSourceValues(op) == 0)
    return true;
  std::string name = getLocationName(op.getLoc());
  if (name.empty())
    return isStackElement(op);
  auto isSame = [&](Operation *other) {
    return isa_and_nonnull<OperatorOp>(other) && hasName(other->getLoc(), name);
  };
  return isSame(TensorNames::getTensor(op.getInputs()[0]).getDefiningOp()) ||
         isReadBy(op.getOutput(), isSame);
}

//===----------------------------------------------------------------------===//
// What the network moves
//===----------------------------------------------------------------------===//

bool qbackend::isAuxiliary(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() ||
         isa<tensor::EmptyOp, linalg::FillOp>(op) ||
         llvm::none_of(op->getResultTypes(), [](Type type) {
           auto tensor = dyn_cast<RankedTensorType>(type);
           return tensor && isa<FloatType>(tensor.getElementType());
         });
}

static bool isTranspose(Operation *op) {
  return isa<tosa::TransposeOp, linalg::TransposeOp>(op);
}

static bool isReshape(Operation *op) {
  return isa<tosa::ReshapeOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ReshapeOp>(op);
}

/// The name of `value` in `qbackend.moves`; empty if it has none.
static std::string getSourceName(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return isAuxiliary(value.getDefiningOp())
               ? std::string()
               : getLocationName(value.getDefiningOp()->getLoc());
  Block *block = argument.getOwner();
  return isa<func::FuncOp>(block->getParentOp()) && block->isEntryBlock()
             ? "#" + std::to_string(argument.getArgNumber())
             : std::string();
}

void qbackend::recordMoves(func::FuncOp function) {
  if (function.isExternal() || function->hasAttr(kMovesAttrName))
    return;
  // Ops of one name are one value, which is moved if each of them moves.
  struct Group {
    bool moves = true, transposes = false, reshapes = false;
    llvm::SmallSetVector<Value, 2> inputs;
  };
  llvm::MapVector<StringRef, Group> groups;
  llvm::StringMap<std::nullopt_t> names;
  llvm::DenseMap<Operation *, StringRef> nameOf;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function.getOperation())
      return WalkResult::advance();
    std::string name = getLocationName(op->getLoc());
    if (!name.empty() && !isAuxiliary(op)) {
      StringRef key = names.try_emplace(name, std::nullopt).first->first();
      nameOf[op] = key;
      Group &group = groups[key];
      group.transposes |= isTranspose(op);
      group.reshapes |= isReshape(op);
      if (!isTranspose(op) && !isReshape(op) && !isa<tensor::CastOp>(op))
        group.moves = false;
      else if (Operation *producer = op->getOperand(0).getDefiningOp();
               !producer || nameOf.lookup(producer) != key)
        group.inputs.insert(op->getOperand(0));
    }
    return isa<OperatorOp>(op) ||
                   op->getName().getDialectNamespace() == "linalg"
               ? WalkResult::skip()
               : WalkResult::advance();
  });
  Builder builder(function.getContext());
  SmallVector<Attribute> moves;
  StringRef previous;
  for (auto &[name, group] : groups) {
    StringRef before = std::exchange(previous, name);
    if (!group.moves || group.inputs.size() != 1 ||
        !(group.transposes || group.reshapes))
      continue;
    std::string source = getSourceName(group.inputs.front());
    if (!source.empty())
      moves.push_back(builder.getStrArrayAttr(
          {name, source, group.transposes ? "transpose" : "reshape", before}));
  }
  if (!moves.empty())
    function->setAttr(kMovesAttrName, builder.getArrayAttr(moves));
}

/// The values of `function` by the names that they have, but for what passes
/// have put in.
static llvm::StringMap<Value> findValues(func::FuncOp function) {
  llvm::StringMap<Value> values;
  for (BlockArgument argument : function.getArguments())
    values["#" + std::to_string(argument.getArgNumber())] = argument;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumResults() != 1 || isa<TransposeOp>(op) || isAuxiliary(op))
      return WalkResult::advance();
    auto operation = dyn_cast<OperatorOp>(op);
    if (!operation || !isPartOfOther(operation))
      op->getLoc()->walk([&](Location inner) {
        if (auto named = dyn_cast<NameLoc>(inner))
          values[named.getName().getValue()] = op->getResult(0);
        return WalkResult::advance();
      });
    return operation || op->getName().getDialectNamespace() == "linalg"
               ? WalkResult::skip()
               : WalkResult::advance();
  });
  return values;
}

/// Whether an operator that does more than move elements gives `value`.
static bool isComputed(Value value) {
  auto op = value.getDefiningOp<OperatorOp>();
  return op && (op.isFused() || !op.getKind().isShapeOnly());
}

MovedValues::MovedValues(ModuleOp module,
                         function_ref<bool(StringRef)> isObserved) {
  int64_t number = 0;
  for (auto function : module.getOps<func::FuncOp>()) {
    auto moves = function->getAttrOfType<ArrayAttr>(kMovesAttrName);
    if (!moves)
      continue;
    llvm::StringMap<Value> values = findValues(function);
    // The value after which each movement is that is no operator any more.
    llvm::StringMap<Value> places;
    Value last;
    // In the order of the code: what a source is, is known by then.
    for (auto move : moves.getAsRange<ArrayAttr>()) {
      auto get = [&](unsigned i) {
        return cast<StringAttr>(move[i]).getValue();
      };
      Value source = values.lookup(get(1)), now = values.lookup(get(0));
      if (!source || (now && (now != source || !isComputed(now))))
        continue;
      values[get(0)] = source;
      // What is before it may be gone: the place of the last movement is near.
      if (auto place = places.find(get(3)); place != places.end())
        last = place->second;
      else if (Value value = values.lookup(get(3)))
        last = value;
      places[get(0)] = last;
      if (isObserved(get(2)))
        moved[source].push_back({last, number++});
    }
  }
}

int64_t MovedValues::count(Value value) const {
  return 1 + getPlaces(TensorNames::getTensor(value)).size();
}

ArrayRef<MovedValues::Place> MovedValues::getPlaces(Value tensor) const {
  auto found = moved.find(tensor);
  return found == moved.end() ? ArrayRef<Place>() : found->second;
}
