// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels of all kinds have in common.

#include "KernelBuilder.h"
#include "KernelTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace qbackend;

KernelBuilder::KernelBuilder(OperatorOp op, OpBuilder &builder,
                             RankedTensorType type, bool forTosa)
    : op(op), builder(builder), loc(op.getLoc()), type(type), forTosa(forTosa) {
  for (Value input : op.getInputs())
    inputs.push_back(getQuantized(input));
  relu = op.getKinds().size() == 2 && isa<ReluAttr>(op.getKind(1));
}

OrRefusal<Value> KernelBuilder::build() {
  switch (getQuantizationMode(*op.getQconfig())) {
  case QuantizationMode::Static:
    if (llvm::is_contained(inputs, Value()))
      return Refusal("not all of its inputs are quantized");
    return createStatic();
  case QuantizationMode::Dynamic:
    return createLinearDynamic();
  case QuantizationMode::WeightOnly:
    return createEmbedding();
  case QuantizationMode::Float16:
    return Refusal("no kernel computes with 16-bit floats");
  }
  llvm_unreachable("unknown mode");
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// The integers of `type` and their range as those of `storage`. The sign moves
/// all of them, and so the zero point, by one distance: numbers stay the same.
static quant::UniformQuantizedType
withStorage(quant::UniformQuantizedType type,
            quant::UniformQuantizedType storage) {
  int64_t offset = storage.getStorageTypeMin() - type.getStorageTypeMin();
  if (offset == 0 ||
      storage.getStorageTypeMax() - type.getStorageTypeMax() != offset)
    return type;
  return quant::UniformQuantizedType::get(
      storage.getFlags(), storage.getStorageType(), storage.getExpressedType(),
      type.getScale(), type.getZeroPoint() + offset,
      storage.getStorageTypeMin(), storage.getStorageTypeMax());
}

Value KernelBuilder::createRequantize(Value value,
                                      quant::UniformQuantizedType element) {
  auto valueType = cast<RankedTensorType>(value.getType());
  if (valueType.getElementType() == element)
    return value;
  return make<qnnpack::RequantizeOp>(Type(valueType.clone(element)), value);
}

/// Whether the kernel of `kind` gives numbers of `own`, which become those of
/// `output`, and might be off by more than a step then.
static bool isCoarse(OperatorKindAttrInterface kind,
                     quant::UniformQuantizedType own,
                     quant::UniformQuantizedType output) {
  // What is not computed is not rounded, and a product only has another scale.
  return !kind.keepsNumbers() && !isa<MulAttr>(kind) &&
         own.getScale() > output.getScale() * (1 + 1e-6);
}

OrRefusal<Value> KernelBuilder::createStatic() {
  Refusal missing("the qnnpack dialect has no op for it in this form");
  auto orMissing = [&](Value kernel) -> OrRefusal<Value> {
    if (kernel)
      return kernel;
    return missing;
  };
  // Kernels take and give one storage; operands of another one get it first.
  auto output = qnnpack::getQuantizedType(type);
  bool known = output && llvm::all_of(inputs, [](Value input) {
                 return bool(qnnpack::getQuantizedType(input.getType()));
               });
  if (!known)
    return orMissing(createKernel());
  for (Value &input : inputs)
    input = createRequantize(
        input, withStorage(qnnpack::getQuantizedType(input.getType()), output));
  // What the kernel can't requantize to itself is a step of its own.
  const KernelEntry *entry = KernelTable::get().lookup(op.getKind());
  quant::UniformQuantizedType own;
  if (entry && entry->getResultElement)
    own = entry->getResultElement(
        op.getKind(), qnnpack::getQuantizedType(inputs[0].getType()));
  if (own && own != output && isImported()) {
    // The engine rounds the number of such a sum to a step of the input.
    if (isa<AddAttr>(op.getKind()))
      return orMissing(createKernel());
    if (isCoarse(op.getKind(), own, output))
      return Refusal(
          llvm::formatv("its kernel gives steps of {0:e}, the module "
                        "quantizes its result by {1:e}",
                        own.getScale(), output.getScale())
              .str());
  }
  if (own)
    type = type.clone(own);
  Value kernel = createKernel();
  return orMissing(kernel ? createRequantize(kernel, output) : Value());
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

Value KernelBuilder::createKernel() {
  const KernelEntry *entry = KernelTable::get().lookup(op.getKind());
  if (!entry || !entry->create || (relu && !entry->takesRelu) ||
      (op.isFused() && !relu))
    return {};
  return entry->create(*this, op.getKind());
}

UnitAttr KernelBuilder::getFlag(bool value) {
  return value ? builder.getUnitAttr() : UnitAttr();
}
UnitAttr KernelBuilder::getRelu() { return getFlag(relu); }

Value KernelBuilder::createSplat(float value, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, builder.getF32Type());
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, value));
}

Value KernelBuilder::getParameter(Value operand, float missing,
                                  ArrayRef<int64_t> shape) {
  return operand ? operand : createSplat(missing, shape);
}

Value KernelBuilder::getWeight() {
  return op.getWeight() ? getQuantized(op.getWeight()) : Value();
}

Value KernelBuilder::getBias() {
  Value quantized = op.getBias() ? getQuantized(op.getBias()) : Value();
  auto cast = quantized ? quantized.getDefiningOp<quant::StorageCastOp>()
                        : quant::StorageCastOp();
  return cast ? cast.getInput() : Value();
}

bool KernelBuilder::hasKnownBias() {
  return bool(op.getBias()) == bool(getBias());
}

Value KernelBuilder::createReshape(Value input, ArrayRef<int64_t> shape) {
  auto inputType = cast<RankedTensorType>(input.getType());
  return make<qnnpack::ReshapeOp>(Type(inputType.clone(shape)), input);
}

Value KernelBuilder::createTranspose(Value input,
                                     ArrayRef<int64_t> permutation) {
  auto inputType = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape, moved;
  for (int64_t dim : permutation) {
    shape.push_back(inputType.getDimSize(dim));
    if (shape.back() != 1)
      moved.push_back(dim);
  }
  // Unit dimensions move without the data.
  if (llvm::is_sorted(moved) && inputType.hasStaticShape())
    return createReshape(input, shape);
  return make<qnnpack::TransposeOp>(Type(inputType.clone(shape)), input,
                                    builder.getDenseI64ArrayAttr(permutation));
}

Value KernelBuilder::createWithLast(
    ArrayRef<int64_t> axes,
    function_ref<Value(Value, RankedTensorType)> create) {
  SmallVector<int64_t> permutation;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(axes, dim))
      permutation.push_back(dim);
  llvm::append_range(permutation, axes);
  if (!isPermutationVector(permutation) ||
      int64_t(permutation.size()) != type.getRank())
    return {};
  if (isIdentityPermutation(permutation))
    return create(inputs[0], type);
  Value input = createTranspose(inputs[0], permutation);
  Value result =
      create(input, type.clone(applyPermutation(type.getShape(), permutation)));
  return result ? createTranspose(result, invertPermutationVector(permutation))
                : Value();
}
