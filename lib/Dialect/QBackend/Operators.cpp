// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops that hold operators and layouts.

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Dialect/QBackend/QuantizedFields.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace qbackend;

//===----------------------------------------------------------------------===//
// OperatorOp
//===----------------------------------------------------------------------===//

std::string OperatorOp::getKindName() {
  SmallVector<StringRef> names;
  for (OperatorKindAttrInterface kind : getOperatorKinds())
    names.push_back(kind.getKindName());
  return llvm::join(names, "+");
}

Value OperatorOp::getYielded() {
  return cast<YieldOp>(getBody().front().getTerminator()).getValue();
}

OperandRange OperatorOp::getRootInputs() {
  std::optional<unsigned> count = getKind().getInputCount();
  return isFused() && count ? getInputs().take_front(*count) : getInputs();
}

OperatorOperands OperatorOp::getKindOperands() {
  OperatorOperands operands;
  for (Value input : getRootInputs())
    operands.inputs.push_back(cast<RankedTensorType>(input.getType()));
  operands.output = cast<RankedTensorType>(getOutput().getType());
  operands.weight = getWeight();
  operands.bias = getBias();
  operands.runningMean = getRunningMean();
  operands.runningVar = getRunningVar();
  return operands;
}

bool OperatorOp::sharesObserver() {
  QuantizedAttr quantized = getQuantized();
  return quantized && quantized.getObservation() ==
                          ObservationType::OutputShareObserverWithInput;
}

StringRef OperatorOp::getCode() {
  if (auto asFloat =
          llvm::dyn_cast_if_present<FloatValuedAttr>(getDecisionAttr()))
    return asFloat.getCode().getValue();
  QuantizedAttr quantized = getQuantized();
  return quantized && quantized.getCode() ? quantized.getCode().getValue()
                                          : StringRef();
}

void OperatorOp::setCode(StringRef code) {
  auto attr = StringAttr::get(getContext(), code);
  if (QuantizedAttr quantized = getQuantized()) {
    QuantizedFields fields(quantized);
    fields.code = attr;
    setDecisionAttr(fields.get());
  } else if (!getQconfig()) {
    setDecisionAttr(FloatValuedAttr::get(getContext(), attr));
  }
}

LogicalResult OperatorOp::verify() {
  if (getKinds().empty())
    return emitOpError() << "has no operator kind; expected one such as "
                            "#qbackend.relu";
  for (Attribute kind : getKinds())
    if (!isa<OperatorKindAttrInterface>(kind))
      return emitOpError() << kind
                           << " is not an operator kind; expected an "
                              "attribute such as #qbackend.relu";
  Attribute decision = getDecisionAttr();
  if (decision && isa<QuantizedAttr>(decision) != bool(getQconfig()))
    return emitOpError() << "has the decision " << decision << " and "
                         << (getQconfig() ? "a" : "no")
                         << " qconfig; one that is quantized has one, one that "
                            "is float has none";
  return success();
}

LogicalResult OperatorOp::verifyRegions() {
  Block &block = getBody().front();
  if (block.getNumArguments() != getNumOperands())
    return emitOpError() << "has " << getNumOperands()
                         << " operands, its body has "
                         << block.getNumArguments() << " arguments";
  for (auto [i, argument, operand] :
       llvm::enumerate(block.getArguments(), getOperands()))
    if (argument.getType() != operand.getType())
      return emitOpError() << "argument " << i << " of the body is of type "
                           << argument.getType() << ", the operand of type "
                           << operand.getType();
  Value yielded = getYielded();
  if (!yielded)
    return emitOpError() << "yields nothing, expected "
                         << getOutput().getType();
  if (yielded.getType() != getOutput().getType())
    return emitOpError() << "yields " << yielded.getType() << ", expected "
                         << getOutput().getType();
  // The others are those of the kinds after the first one.
  if (std::optional<unsigned> count = getKind().getInputCount();
      isFused() && count && getInputs().size() < *count)
    return emitOpError() << "has " << getInputs().size() << " inputs, a "
                         << getKind().getKindName() << " takes " << *count;
  SmallVector<RankedTensorType> activations;
  for (Value input : getRootInputs())
    activations.push_back(cast<RankedTensorType>(input.getType()));
  RankedTensorType weight;
  if (Value value = getWeight())
    weight = cast<RankedTensorType>(value.getType());
  if (failed(getKind().verifyOperands([&] { return emitOpError(); },
                                      activations, weight)))
    return failure();
  // A number for each output channel, or for each of the weight.
  auto bias = dyn_cast_or_null<RankedTensorType>(getBias() ? getBias().getType()
                                                           : Type());
  if (!weight || !bias || weight.getRank() == 0)
    return success();
  ArrayRef<int64_t> expected = weight.getShape();
  if (!isa<LayerNormAttr>(getKind()))
    expected = expected.take_front();
  if (failed(verifyCompatibleShape(bias.getShape(), expected)))
    return emitOpError() << "the bias is " << bias << ", expected "
                         << bias.clone(expected);
  return success();
}

//===----------------------------------------------------------------------===//
// TransposeOp
//===----------------------------------------------------------------------===//

void TransposeOp::build(OpBuilder &builder, OperationState &state, Value input,
                        ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  build(builder, state, type.clone(shape), input,
        builder.getDenseI64ArrayAttr(permutation));
}

LogicalResult TransposeOp::verify() {
  auto input = cast<RankedTensorType>(getInput().getType());
  auto output = cast<RankedTensorType>(getOutput().getType());
  SmallVector<int64_t> sorted(getPermutation());
  llvm::sort(sorted);
  if (int64_t(sorted.size()) != input.getRank() ||
      !llvm::equal(sorted, llvm::seq<int64_t>(0, input.getRank())))
    return emitOpError() << "[" << getPermutation()
                         << "] is not a permutation of the " << input.getRank()
                         << " dimensions of the input";
  SmallVector<int64_t> shape;
  for (int64_t dim : getPermutation())
    shape.push_back(input.getDimSize(dim));
  if (output != input.clone(shape))
    return emitOpError() << "gives " << input.clone(shape)
                         << ", the result is of type " << output;
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  // transpose(x, identity) -> x
  if (llvm::is_sorted(getPermutation()))
    return getInput();
  // transpose(constant) -> constant
  if (auto elements = dyn_cast_or_null<ElementsAttr>(adaptor.getInput()))
    return transposeElements(elements, getPermutation());
  // transpose(transpose(x, p), q) -> transpose(x, p then q)
  if (auto producer = getInput().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> composed =
        applyPermutation(producer.getPermutation(), getPermutation());
    if (llvm::is_sorted(composed))
      return producer.getInput();
    setPermutation(composed);
    getInputMutable().assign(producer.getInput());
    return getOutput();
  }
  return {};
}
