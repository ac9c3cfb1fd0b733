// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the constants of a layer and packs them for its kernel.

#include "PackLayer.h"

#include "Requantization/DoubleMultipliers.h"
#include "Requantization/FloatMultipliers.h"

#include "qbackend/Execution/CodeGen/ConstantStore.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <cstring>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::codegen;

/// The elements of the constant behind a buffer; nothing if it is none. They
/// are in `copy`, unless they are bytes that can be read where they are.
template <typename T>
static std::optional<ArrayRef<T>>
readConstant(Value buffer, const SymbolTable &symbols, std::vector<T> &copy) {
  ElementsAttr elements = getConstantElements(buffer, symbols);
  if (!elements ||
      elements.getElementType().getIntOrFloatBitWidth() != 8 * sizeof(T))
    return std::nullopt;
  if (auto dense = dyn_cast<DenseElementsAttr>(elements);
      dense && dense.isSplat()) {
    copy.assign(dense.getNumElements(), dense.getSplatValue<T>());
    return copy;
  }
  ArrayRef<char> bytes = getElementBytes(elements);
  if (bytes.size() != elements.getNumElements() * sizeof(T))
    return std::nullopt;
  if constexpr (sizeof(T) == 1)
    return ArrayRef(reinterpret_cast<const T *>(bytes.data()), bytes.size());
  copy.resize(elements.getNumElements());
  std::memcpy(copy.data(), bytes.data(), bytes.size());
  return copy;
}

FailureOr<Layer> Layer::read(int8::Conv2dOp op, const SymbolTable &symbols) {
  Layer layer;
  layer.op = op;
  auto fail = [&](StringRef what) {
    return op.emitError() << "a kernel is generated for constant weights; the "
                          << what << " is none";
  };
  auto weight = readConstant(op.getWeight(), symbols, layer.splat);
  if (!weight)
    return fail("weight");
  layer.weight = *weight;
  if (!readConstant(op.getBias(), symbols, layer.bias))
    return fail("bias");
  Value given = op.getMultiplier();
  if (given && (cast<ShapedType>(given.getType()).getElementType().isF32()
                    ? !readConstant(given, symbols, layer.multiplier)
                    : !readConstant(given, symbols, layer.fixedPoint)))
    return fail("multiplier");
  return layer;
}

/// What no sum of products of bytes with `weight`, of each bias, is beyond;
/// they wrap.
static int64_t boundSums(ArrayRef<int8_t> weight, ArrayRef<int32_t> bias) {
  int64_t products = weight.size() / std::max<size_t>(bias.size(), 1);
  int64_t bound = 0;
  for (int64_t number : bias)
    bound = std::max(bound, std::abs(number));
  return std::min(bound + products * 255 * 128, int64_t(1) << 31);
}

std::unique_ptr<KernelEmitter>
Layer::createEmitter(const KernelTargets &targets, bool packs) {
  KernelTarget target = op.isWide() ? *targets.wide : *targets.bytes;
  if (!packs)
    target.pack = nullptr;
  std::unique_ptr<KernelEmitter> emitter;
  if (target.hasTiles)
    emitter = createTileKernel(target, op);
  if (emitter)
    return emitter;
  if (op.isDepthwise()) {
    KernelTarget rows = target.interleaves ? target : getKernelTargets().back();
    rows.copyBytes = target.copyBytes;
    return createDepthwiseKernel(rows, op);
  }
  if (op.isWide())
    return createDenseKernel(target, op);
  if (target.multiplyBytes)
    emitter = createPairedKernel(target, op, weight);
  if (target.reduce)
    emitter = createReducedKernel(target, op);
  return emitter ? std::move(emitter) : createDenseKernel(target, op);
}

void Layer::pack(const KernelTargets &targets) {
  std::optional<std::vector<FloatMultiplier>> floats;
  int64_t bound = boundSums(weight, bias);
  int8::RequantizeAttr requantize = op.getRequantizeAttr();
  if (!fixedPoint.empty() && targets.hasFma && !op.isWide())
    floats = findFloatMultipliers(fixedPoint,
                                  {requantize.getRounding(),
                                   requantize.getZeroPoint(),
                                   requantize.getLo(), requantize.getHi()},
                                  bound);
  emitter = createEmitter(targets,
                          /*packs=*/fixedPoint.empty() || floats.has_value());
  if (!multiplier.empty() && targets.avoidsFloats)
    integers = findIntegerMultipliers(multiplier);
  SmallVector<int32_t> factors;
  if (integers)
    factors.assign(integers->multipliers.begin(), integers->multipliers.end());
  else
    for (float factor : multiplier)
      factors.push_back(llvm::bit_cast<int32_t>(factor));
  if (floats) {
    isFixedByFloats = true;
    fixedPoint.clear();
    bool bySign = llvm::any_of(*floats, [](const FloatMultiplier &each) {
      return each.offset[0] != each.offset[1] ||
             each.addend[0] != each.addend[1];
    });
    emitter->setFloats(bySign);
    for (auto [each, number] : llvm::zip_equal(*floats, bias)) {
      number += each.offset[0];
      factors.append({llvm::bit_cast<int32_t>(each.factor),
                      llvm::bit_cast<int32_t>(each.addend[0])});
      if (bySign)
        factors.append({llvm::bit_cast<int32_t>(each.addend[1]), each.offset[0],
                        each.offset[1] - each.offset[0]});
    }
  } else if (!fixedPoint.empty() && targets.hasDoubles && !op.isWide()) {
    if (auto doubles = findDoubleMultipliers(fixedPoint,
                                             requantize.getRounding(), bound)) {
      fixedPoint.assign(doubles->begin(), doubles->end());
      emitter->setDoubles();
    }
  }
  packed = emitter->pack(weight, bias, factors, fixedPoint);
}
