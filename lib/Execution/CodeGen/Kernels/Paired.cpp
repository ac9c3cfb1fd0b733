// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense kernels whose products are added in 16 bits first, which is faster
// where there is no instruction for 32 (`KernelTarget::multiplyBytes`). A lane
// of 16 bits takes the four products of a pair of steps. Bytes of the input are
// 0 to 255, so that their sum is
//
//   -255 x (negative weights) <= sum <= 255 x (positive weights)
//
// and fits if neither adds up to more than 128: 255 x 128 = 32,640. The order
// of the steps of a window is free, so that those with large weights are paired
// with those that have small ones, for each block of outputs by itself. A step
// that doesn't fit by itself becomes two, with half of what is too large each.

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
  StepPairs(size_t size, size_t count) : size(size) {
    weights.reserve(size * count);
    sums.reserve(size * count);
  }

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

/// The offsets are, of each block, how many pairs it has, how many are in
/// blocks before it, and how many vectors of weights are; then where the bytes
/// of both steps are, of all pairs.
class PairedKernel final : public DenseKernel {
public:
  PairedKernel(const KernelTarget &target, int8::Conv2dOp op,
               int64_t mostVectors)
      : DenseKernel(getByteTarget(target), op, mostVectors) {}

  /// Packs the weight, unless that is no faster than `limit`, a cost: false.
  bool pair(ArrayRef<int8_t> weight, double limit);

  double getCost() const override { return tileCost * numPairs / numBlocks; }
  /// Whether most steps have a partner.
  bool isPaired() const { return numPairs < 0.55 * getSteps() * numBlocks; }
  bool hasOneVector() const { return tileVectors == 1; }
  SmallVector<int64_t> getVariant() const override {
    return {getRoom(), tileVectors};
  }

private:
  void packWeight(ArrayRef<int8_t> weight, WeightWriter &append) const override;
  std::vector<int32_t> packOffsets() const override;
  SmallVector<Value> emitBlock(Value group, Value first) override;
  SmallVector<Value> emitSums(ValueRange block, Value position, ValueRange sums,
                              int64_t pixels, int64_t vectors) override;
  void pack(const StepPairs &steps, ArrayRef<std::pair<size_t, size_t>> pairs,
            int64_t vectors);
  /// Element `position` of a vector of the offsets.
  Value extractIndex(Value integers, int64_t position);
  /// Bytes from the first one of a window to those of a step.
  int64_t getOffset(int64_t step) const;
  /// Pairs that the constants have room for: layers of one shape share their
  /// kernel if they have about as many.
  int64_t getRoom() const {
    return llvm::alignTo(numPairs,
                         std::max<int64_t>(4, getSteps() * numBlocks / 16));
  }

  int64_t numBlocks = 0, numPairs = 0;
  std::vector<int32_t> header, offsets;
  std::vector<int8_t> packed;
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

bool PairedKernel::pair(ArrayRef<int8_t> weight, double limit) {
  if (!llvm::isInt<32>(getOffset(getSteps() - 1)))
    return false;
  visitBlocks([&](int64_t, int64_t) { ++numBlocks; });
  int64_t done = 0;
  bool isFaster = true;
  visitBlocks([&](int64_t first, int64_t vectors) {
    if (!isFaster)
      return;
    StepPairs steps(vectors * target.lanes * 4, getSteps());
    OwnedBytes weights;
    for (int64_t step = 0; step < getSteps(); ++step) {
      {
        WeightWriter append(weights, vectors * target.lanes * 4,
                            /*isWide=*/false);
        packStep(weight, first, vectors, step, append);
      }
      steps.add(step, {reinterpret_cast<const int8_t *>(weights.data.get()),
                       weights.size});
    }
    SmallVector<std::pair<size_t, size_t>> pairs = steps.match();
    numPairs += pairs.size();
    pack(steps, pairs, vectors);
    // Even if the others have pairs alone, or if the first ones are like them.
    ++done;
    int64_t least =
        numPairs + (numBlocks - done) * llvm::divideCeil(getSteps(), 2);
    isFaster = tileCost * least < limit * numBlocks &&
               (done < 8 || tileCost * numPairs < 1.25 * limit * done);
  });
  return isFaster;
}

void PairedKernel::pack(const StepPairs &steps,
                        ArrayRef<std::pair<size_t, size_t>> pairs,
                        int64_t vectors) {
  int64_t size = vectors * target.lanes * 4;
  header.push_back(pairs.size());
  header.push_back(offsets.size() / 2);
  header.push_back(packed.size() / (4 * target.lanes));
  for (auto [one, other] : pairs) {
    bool isAlone = other == StepPairs::none;
    for (size_t step : {one, isAlone ? one : other})
      offsets.push_back(getOffset(steps.getIndex(step)));
    llvm::append_range(packed, steps.getWeights(one));
    if (isAlone)
      packed.resize(packed.size() + size);
    else
      llvm::append_range(packed, steps.getWeights(other));
  }
}

int64_t PairedKernel::getOffset(int64_t step) const {
  int64_t tap = step / steps;
  return tap / columns * shape.dilationY * shape.paddedWidth() * shape.in +
         tap % columns * shape.dilationX * shape.in + step % steps * 4;
}

std::vector<int32_t> PairedKernel::packOffsets() const {
  std::vector<int32_t> all = header;
  llvm::append_range(all, offsets);
  all.resize(header.size() + 2 * getRoom());
  return all;
}

void PairedKernel::packWeight(ArrayRef<int8_t>, WeightWriter &append) const {
  append(packed, packed.size());
  // No block has more vectors.
  int64_t room = getRoom() * 2 * tileVectors * target.lanes * 4;
  for (int64_t i = packed.size(); i < room; ++i)
    append(0);
}

Value PairedKernel::extractIndex(Value integers, int64_t position) {
  return arith::IndexCastOp::create(
      *builder, builder->getIndexType(),
      vector::ExtractOp::create(*builder, integers, position));
}

SmallVector<Value> PairedKernel::emitBlock(Value group, Value first) {
  ImplicitLocOpBuilder &b = *builder;
  Value number =
      advance(b.createOrFold<arith::DivUIOp>(first, index(tileVectors)), group,
              llvm::divideCeil(groupVectors, tileVectors));
  Value header = load(buffers.offsets, advance(index(0), number, 3), 3);
  Value pairs = extractIndex(header, 0);
  Value end = index(3 * numBlocks), pair = extractIndex(header, 1);
  Value offsets = advance(end, pair, 2);
  Value zero = index(0), vector = extractIndex(header, 2);
  Value weights = advance(zero, vector, 4 * target.lanes);
  return {pairs, offsets, weights};
}

SmallVector<Value> PairedKernel::emitSums(ValueRange block, Value position,
                                          ValueRange sums, int64_t pixels,
                                          int64_t vectors) {
  ImplicitLocOpBuilder &b = *builder;
  int64_t width = 4 * target.lanes;
  VectorType lanes16 = vectorOf(2 * target.lanes, b.getI16Type());
  Value ones =
      arith::ConstantOp::create(b, DenseElementsAttr::get(lanes16, int16_t(1)));
  return accumulate(block[0], sums, [&](Value pair, ValueRange given) {
    SmallVector<Value> sums = llvm::to_vector_of<Value>(given);
    SmallVector<Value> weights, from;
    Value offsets = load(buffers.offsets, advance(block[1], pair, 2), 2);
    Value pairWeights = advance(block[2], pair, 2 * vectors * width);
    for (int64_t i = 0; i < 2 * vectors; ++i)
      weights.push_back(loadWeight(advance(pairWeights, i * width)));
    for (int64_t step : {0, 1})
      from.push_back(
          arith::AddIOp::create(b, position, extractIndex(offsets, step)));
    for (int64_t pixel = 0; pixel < pixels; ++pixel) {
      SmallVector<Value> inputs;
      for (int64_t step : {0, 1})
        inputs.push_back(broadcast(
            advance(from[step], pixel * shape.strideX * shape.in))[0]);
      for (int64_t j = 0; j < vectors; ++j) {
        Value first = target.multiplyBytes(b, inputs[0], weights[j]);
        Value second = target.multiplyBytes(b, inputs[1], weights[vectors + j]);
        Value products = arith::AddIOp::create(b, first, second);
        Value &sum = sums[pixel * vectors + j];
        sum = target.dot(b, sum, products, ones);
      }
    }
    return sums;
  });
}

std::unique_ptr<KernelEmitter> qbackend::codegen::createPairedKernel(
    const KernelTarget &target, int8::Conv2dOp op, ArrayRef<int8_t> weight) {
  double limit = DenseKernel(target, op).getCost();
  std::unique_ptr<PairedKernel> best;
  for (int64_t mostVectors : {4, 1}) {
    auto kernel = std::make_unique<PairedKernel>(target, op, mostVectors);
    bool isFaster = kernel->pair(weight, limit);
    // Fewer lanes have to agree in a tile of one vector.
    bool isLast = kernel->hasOneVector() || (isFaster && kernel->isPaired());
    if (isFaster) {
      limit = kernel->getCost();
      best = std::move(kernel);
    }
    if (isLast)
      break;
  }
  return best;
}
