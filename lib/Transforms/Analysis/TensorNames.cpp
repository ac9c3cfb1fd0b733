// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tensors between operators are called.

#include "qbackend/Transforms/Analysis/TensorNames.h"
#include "qbackend/Dialect/QBackend/Elements.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace qbackend;

/// A kind for any batch.
static Attribute withoutBatch(Attribute kind) {
  auto narrow = dyn_cast<NarrowAttr>(kind);
  if (!narrow || narrow.getSizes().empty())
    return kind;
  SmallVector<int64_t> sizes(narrow.getSizes().asArrayRef());
  sizes.front() = -1;
  Builder b(kind.getContext());
  return NarrowAttr::get(kind.getContext(), narrow.getOffsets(),
                         b.getDenseI64ArrayAttr(sizes), narrow.getStrides());
}

/// What `op` computes, without its operands. The first extent is left out: the
/// batch may be another one.
static std::string describe(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto operation = dyn_cast<OperatorOp>(op))
    os << ArrayAttr::get(
        op->getContext(),
        llvm::map_to_vector(operation.getKinds(), withoutBatch));
  else
    os << op->getName();
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && tensor.getRank() > 0)
      llvm::interleave(tensor.getShape().drop_front(), os << ' ', "x");
  for (Value operand : op->getOperands()) {
    if (std::optional<uint64_t> hash = hashFloats(operand)) {
      os << ' ' << *hash;
      continue;
    }
    DenseElementsAttr elements;
    if (!matchPattern(operand, m_Constant(&elements)))
      continue;
    ArrayRef<char> data = elements.getRawData();
    os << ' '
       << llvm::xxh3_64bits(ArrayRef<uint8_t>(
              reinterpret_cast<const uint8_t *>(data.data()), data.size()));
  }
  return text;
}

StringRef TensorNames::getDescription(Operation *op) {
  auto [it, inserted] = descriptions.try_emplace(op);
  if (inserted)
    it->second = describe(op);
  return it->second;
}

std::string TensorNames::getStructure(Operation *op) {
  std::string text = getDescription(op).str();
  for (Value operand : op->getOperands()) {
    Operation *producer = getTensor(operand).getDefiningOp();
    if (producer && !producer->hasTrait<OpTrait::ConstantLike>())
      text += (";" + getDescription(producer)).str();
  }
  return llvm::formatv("{0:x-16}", llvm::xxh3_64bits(text)).str();
}

Value TensorNames::getTensor(Value value) {
  while (true) {
    if (auto transpose = value.getDefiningOp<TransposeOp>())
      value = transpose.getInput();
    else if (auto observe = value.getDefiningOp<ObserveOp>())
      value = observe.getInput();
    else
      return value;
  }
}

TensorNames::TensorNames(ModuleOp module, bool withStructures)
    : withStructures(withStructures) {
  module.walk<WalkOrder::PreOrder>([&](OperatorOp op) {
    for (Value input : op.getInputs())
      add(getTensor(input));
    add(op.getOutput());
    return WalkResult::skip();
  });
}

const TensorName &TensorNames::lookup(Value value) {
  return add(getTensor(value));
}

const TensorName &TensorNames::add(Value tensor) {
  auto [it, inserted] = names.try_emplace(tensor);
  TensorName &result = it->second;
  if (!inserted)
    return result;
  std::string name = getLocationName(tensor.getLoc());
  if (name.empty()) {
    if (auto argument = dyn_cast<BlockArgument>(tensor)) {
      name = "arg" + std::to_string(argument.getArgNumber());
    } else {
      Operation *op = tensor.getDefiningOp();
      std::string kind = op->getName().stripDialect().str();
      if (auto operation = dyn_cast<OperatorOp>(op))
        kind = operation.getKindName();
      name = kind + "_" + std::to_string(counts[kind]++);
      if (withStructures) {
        result.structure = getStructure(op);
        if (unsigned count = structures[result.structure]++)
          result.structure += "-" + std::to_string(count);
      }
    }
  }
  result.name = name;
  for (unsigned i = 0; !taken.try_emplace(result.name).second; ++i)
    result.name = name + "_" + std::to_string(i);
  return result;
}
