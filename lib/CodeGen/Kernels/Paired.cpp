// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense kernels whose products are added in 16 bits first, which is twice as
// fast where there is no instruction for 32 (`KernelTarget::multiplyBytes`).
// A lane of 16 bits takes the four products of a pair of steps. Bytes of the
// input are 0 to 255, so that their sum is
//
//   -255 x (negative weights) <= sum <= 255 x (positive weights)
//
// and fits if neither adds up to more than 128: 255 x 128 = 32,640. The order
// of the steps of a window is free, so that those with large weights are paired
// with those that have small ones, for each block of outputs by itself. A step
// that doesn't fit by itself becomes two, with half of its weights each.

#include "Dense.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <list>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::codegen;

/// What the weights of one sign that share a lane of 16 bits may add up to.
static constexpr int mostWeight = 128;

static KernelTarget getByteTarget(KernelTarget target) {
  target.products = 4;
  target.weightBits = 8;
  target.sign = InputSign::Unsigned;
  return target;
}

namespace {
/// The steps of a block of outputs, each of `size` weights: four for a lane of
/// 32 bits, two for one of 16.
class StepPairs {
public:
  explicit StepPairs(size_t size) : size(size) {}

  /// Adds step `index`.
  void add(int64_t index, ArrayRef<int8_t> weights);
  /// The positions of steps that are multiplied at once, in the order of their
  /// first index. The second is `none` of a step that remains alone.
  SmallVector<std::pair<size_t, size_t>> match() const;

  int64_t getIndex(size_t position) const { return indices[position]; }
  ArrayRef<int8_t> getWeights(size_t position) const {
    return ArrayRef(weights).slice(position * size, size);
  }

  static constexpr size_t none = std::numeric_limits<size_t>::max();

private:
  bool fit(size_t one, size_t other) const;

  size_t size;
  SmallVector<int64_t> indices;
  std::vector<int8_t> weights;
  /// Of each lane of 16 bits, what its positive weights add up to, and what its
  /// negative ones do.
  std::vector<uint8_t> sums;
};

class PairedKernel final : public DenseKernel {
public:
  PairedKernel(const KernelTarget &target, int8::Conv2dOp op,
               ArrayRef<int8_t> weight, int64_t mostVectors);

  /// Whether most steps have a partner.
  bool isPaired() const { return meanPairs < 0.55 * getSteps(); }
  bool hasOneVector() const { return tileVectors == 1; }
  /// Whether a window spans less than 2^31 bytes.
  bool hasOffsets() const { return llvm::isInt<32>(getOffset(getSteps() - 1)); }
  double getCost() const override { return tileCost * meanPairs; }
  SmallVector<int64_t> getVariant() const override {
    return {mostPairs, tileVectors};
  }

private:
  int64_t getWeightsPerVector() const override {
    return mostPairs * 2 * 4 * target.lanes;
  }
  void packWeight(ArrayRef<int8_t> weight,
                  function_ref<void(int32_t)> append) const override;
  std::vector<int32_t> packOffsets() const override;
  SmallVector<Value> emitSums(const OutputBlock &block, Value position,
                              ValueRange sums, int64_t pixels,
                              int64_t vectors) override;
  /// Bytes from the first one of a window to those of a step.
  int64_t getOffset(int64_t step) const;

  struct Block {
    int64_t vectors;
    StepPairs steps;
    SmallVector<std::pair<size_t, size_t>> pairs;
  };
  std::vector<Block> blocks;
  /// Those of a block that has the most: the others take as much room.
  int64_t mostPairs = 0;
  double meanPairs = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

void StepPairs::add(int64_t index, ArrayRef<int8_t> added) {
  SmallVector<int8_t> rest;
  for (size_t i = 0; i < size; i += 2) {
    int one = added[i], other = added[i + 1];
    int positive = std::max(one, 0) + std::max(other, 0),
        negative = -std::min(one, 0) - std::min(other, 0);
    if (positive > mostWeight || negative > mostWeight) {
      rest.resize(size);
      rest[i] = one / 2;
      rest[i + 1] = other / 2;
      one -= one / 2;
      other -= other / 2;
      // Both have the same sign.
      (positive != 0 ? positive : negative) = std::abs(one + other);
    }
    weights.push_back(one);
    weights.push_back(other);
    sums.push_back(positive);
    sums.push_back(negative);
  }
  indices.push_back(index);
  if (!rest.empty())
    add(index, rest);
}

bool StepPairs::fit(size_t one, size_t other) const {
  const uint8_t *a = &sums[one * size], *b = &sums[other * size];
  // Without a branch for each lane, there are vectors.
  constexpr size_t chunk = 32;
  for (size_t i = 0; i < size; i += chunk) {
    bool isTooLarge = false;
    for (size_t k = i, end = std::min(size, i + chunk); k < end; ++k)
      isTooLarge |= a[k] > static_cast<uint8_t>(mostWeight - b[k]);
    if (isTooLarge)
      return false;
  }
  return true;
}

SmallVector<std::pair<size_t, size_t>> StepPairs::match() const {
  // What is tried for a step before it remains alone, so that this is linear.
  constexpr unsigned mostTries = 48;
  SmallVector<uint8_t> largest;
  for (size_t i = 0; i < indices.size(); ++i)
    largest.push_back(*std::max_element(sums.begin() + i * size,
                                        sums.begin() + (i + 1) * size));
  SmallVector<size_t> order =
      llvm::to_vector(llvm::seq<size_t>(0, indices.size()));
  llvm::stable_sort(
      order, [&](size_t a, size_t b) { return largest[a] < largest[b]; });
  // The largest step takes the smallest one that fits.
  std::list<size_t> left(order.begin(), order.end());
  SmallVector<std::pair<size_t, size_t>> pairs;
  while (!left.empty()) {
    size_t step = left.back();
    left.pop_back();
    size_t partner = none;
    unsigned tries = 0;
    for (auto it = left.begin(); it != left.end() && tries < mostTries;
         ++it, ++tries)
      if (fit(step, *it)) {
        partner = *it;
        left.erase(it);
        break;
      }
    pairs.emplace_back(std::min(step, partner), std::max(step, partner));
  }
  llvm::sort(pairs);
  return pairs;
}

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

PairedKernel::PairedKernel(const KernelTarget &target, int8::Conv2dOp op,
                           ArrayRef<int8_t> weight, int64_t mostVectors)
    : DenseKernel(getByteTarget(target), op, mostVectors) {
  int64_t sum = 0;
  forBlocks([&](int64_t first, int64_t vectors) {
    StepPairs steps(vectors * target.lanes * 4);
    SmallVector<int8_t> weights;
    for (int64_t step = 0; step < getSteps(); ++step) {
      weights.clear();
      packStep(weight, first, vectors, step,
               [&](int32_t element) { weights.push_back(element); });
      steps.add(step, weights);
    }
    SmallVector<std::pair<size_t, size_t>> matched = steps.match();
    sum += matched.size();
    mostPairs = std::max<int64_t>(mostPairs, matched.size());
    blocks.push_back({vectors, std::move(steps), std::move(matched)});
  });
  meanPairs = double(sum) / blocks.size();
  // Layers of one shape share their kernel if they have about as many.
  mostPairs = llvm::alignTo(mostPairs, std::max<int64_t>(1, getSteps() / 16));
}

int64_t PairedKernel::getOffset(int64_t step) const {
  int64_t tap = step / steps;
  return tap / columns * shape.dilationY * shape.paddedWidth() * shape.in +
         tap % columns * shape.dilationX * shape.in + step % steps * 4;
}

std::vector<int32_t> PairedKernel::packOffsets() const {
  std::vector<int32_t> offsets;
  for (const Block &block : blocks) {
    offsets.push_back(block.pairs.size());
    for (auto [one, other] : block.pairs)
      for (size_t step : {one, other == StepPairs::none ? one : other})
        offsets.push_back(getOffset(block.steps.getIndex(step)));
    offsets.resize(offsets.size() + 2 * (mostPairs - block.pairs.size()));
  }
  return offsets;
}

void PairedKernel::packWeight(ArrayRef<int8_t>,
                              function_ref<void(int32_t)> append) const {
  for (const Block &block : blocks) {
    int64_t size = block.vectors * target.lanes * 4;
    auto appendZeros = [&](int64_t count) {
      for (int64_t i = 0; i < count; ++i)
        append(0);
    };
    for (auto [one, other] : block.pairs) {
      llvm::for_each(block.steps.getWeights(one), append);
      if (other == StepPairs::none)
        appendZeros(size);
      else
        llvm::for_each(block.steps.getWeights(other), append);
    }
    appendZeros((mostPairs - block.pairs.size()) * 2 * size);
  }
}

SmallVector<Value> PairedKernel::emitSums(const OutputBlock &block,
                                          Value position, ValueRange sums,
                                          int64_t pixels, int64_t vectors) {
  ImplicitLocOpBuilder &b = *builder;
  int64_t width = 4 * target.lanes;
  Value number =
      advance(b.createOrFold<arith::DivUIOp>(block.first, index(tileVectors)),
              block.group, llvm::divideCeil(groupVectors, tileVectors));
  Value offsets = advance(index(0), number, 1 + 2 * mostPairs);
  auto toIndex = [&](Value integers, int64_t position) -> Value {
    return arith::IndexCastOp::create(
        b, b.getIndexType(), vector::ExtractOp::create(b, integers, position));
  };
  Value pairs = toIndex(load(buffers.offsets, offsets, 1), 0);
  VectorType lanes16 = vectorOf(2 * target.lanes, b.getI16Type());
  Value ones =
      arith::ConstantOp::create(b, DenseElementsAttr::get(lanes16, int16_t(1)));
  return accumulate(pairs, sums, [&](Value pair, ValueRange given) {
    SmallVector<Value> sums = llvm::to_vector_of<Value>(given);
    SmallVector<Value> weights, from;
    Value pairWeights = advance(block.weights, pair, 2 * vectors * width);
    Value pairOffsets =
        load(buffers.offsets, advance(advance(offsets, 1), pair, 2), 2);
    for (int64_t i = 0; i < 2 * vectors; ++i)
      weights.push_back(loadWeight(advance(pairWeights, i * width)));
    for (int64_t step : {0, 1})
      from.push_back(
          arith::AddIOp::create(b, position, toIndex(pairOffsets, step)));
    for (int64_t pixel = 0; pixel < pixels; ++pixel) {
      SmallVector<Value> inputs;
      for (int64_t step : {0, 1})
        inputs.push_back(broadcast(
            advance(from[step], pixel * shape.strideX * shape.in))[0]);
      for (int64_t j = 0; j < vectors; ++j) {
        Value products = arith::AddIOp::create(
            b, target.multiplyBytes(b, inputs[0], weights[j]),
            target.multiplyBytes(b, inputs[1], weights[vectors + j]));
        Value &sum = sums[pixel * vectors + j];
        sum = target.dot(b, sum, products, ones);
      }
    }
    return sums;
  });
}

std::unique_ptr<KernelEmitter> qbackend::codegen::createPairedKernel(
    const KernelTarget &target, int8::Conv2dOp op, ArrayRef<int8_t> weight) {
  DenseKernel dense(target, op);
  auto kernel = std::make_unique<PairedKernel>(target, op, weight, 4);
  // Fewer lanes have to agree in a tile of one vector.
  if (!kernel->isPaired() && !kernel->hasOneVector()) {
    auto narrow = std::make_unique<PairedKernel>(target, op, weight, 1);
    if (narrow->getCost() < kernel->getCost())
      kernel = std::move(narrow);
  }
  if (!kernel->hasOffsets() || dense.getCost() <= kernel->getCost())
    return nullptr;
  return kernel;
}
