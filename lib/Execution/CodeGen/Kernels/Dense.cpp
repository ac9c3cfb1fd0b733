// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See the header.

#include "Dense.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::codegen;

DenseKernel::DenseKernel(const KernelTarget &target, int8::Conv2dOp op,
                         int64_t mostVectors, int64_t mostPixels)
    : KernelEmitter(target, op) {
  columns = shape.runs();
  run = shape.runBytes();
  steps = llvm::divideCeil(run, 4);
  groupVectors = llvm::divideCeil(shape.outGroup, target.lanes);
  // Pairs of 16 bits are loaded as they are from a copy, which pays if the
  // image is read by several blocks.
  bool widens = !isWide && target.products == 2 && groupVectors > mostVectors;
  isWide |= widens;
  needsCopy |= run % 4 != 0 || widens;
  chooseTile(mostVectors, mostPixels);
  packs = isPacked(tileVectors);
  chooseUnits();
}

/// Chooses the loop with the most steps.
void DenseKernel::chooseUnits() {
  auto choose = [&](int64_t &perUnit, int64_t steps) {
    if (steps <= units)
      return;
    groupsPerUnit = blocksPerUnit = rowsPerUnit = tilesPerUnit = 0;
    perUnit = 1;
    units = steps;
  };
  choose(rowsPerUnit, shape.resultHeight);
  if (shape.resultHeight == 1)
    choose(tilesPerUnit, llvm::divideCeil(shape.resultWidth, tilePixels));
  choose(groupsPerUnit, shape.groups);
  if (shape.groups == 1)
    choose(blocksPerUnit, getWholeVectors() / tileVectors +
                              (getWholeVectors() != groupVectors));
}

/// Chooses the tile with the least cycles for a step of all tiles: those of the
/// instructions, of two loads or four of both at a time, or of one product that
/// waits for another, and some for weights, which come from the second cache.
void DenseKernel::chooseTile(int64_t mostVectors, int64_t mostPixels) {
  constexpr double latency = 5, weightLoad = 0.35;
  // Products of two steps are added in 16 bits, and then in 32, see Paired.cpp.
  bool isPaired = target.multiplyBytes && target.products == 4;
  int64_t parts = isPaired ? 2 : 4 / target.products;
  // A product that doesn't add takes two instructions; bytes become operands by
  // one load, or by shuffles and extensions. Long vectors have two units.
  double perProduct = isPaired ? 2.5 : target.products == 4 ? 1 : 2;
  double perLoad = target.byElement ? target.lanes : 1;
  double perPixel = target.byElement && offset != 0  ? 1 / perLoad
                    : target.products == 1           ? 5
                    : target.products == 4 || isWide ? 0
                                                     : 3;
  double units =
      (target.products == 4 && !isPaired) || target.lanes == 16 ? 2 : 3;
  auto cost = [&](int64_t pixels, int64_t vectors) {
    int64_t products = pixels * vectors * parts;
    double loads = (isWide || isPaired ? pixels * parts : pixels) / perLoad +
                   vectors * parts;
    double arithmetic = products * perProduct + pixels * perPixel;
    return std::max({arithmetic / units, loads / 2, (arithmetic + loads) / 4,
                     latency}) +
           vectors * parts * weightLoad;
  };
  // What packs save behind the steps.
  constexpr double packed = 0.8;
  double perTile = getSteps() / (isPaired ? 2.0 : 1.0), best = 0;
  auto saved = [&](int64_t tiles, int64_t pixels, int64_t vectors) {
    return isPacked(vectors) ? tiles * pixels * vectors * packed / perTile : 0;
  };
  tileCost = best = std::numeric_limits<double>::max();
  for (int64_t vectors = 1; vectors <= std::min(groupVectors, mostVectors);
       ++vectors)
    for (int64_t pixels = 1;
         pixels <= std::min<int64_t>(shape.resultWidth, mostPixels); ++pixels) {
      // The sums, a vector of weights for each product of a pixel, its
      // operands.
      int64_t operands = target.byElement ? pixels + vectors + (offset != 0)
                                          : parts + isPaired;
      if (pixels * vectors + vectors * parts + operands > target.registers &&
          pixels * vectors > 1)
        continue;
      int64_t wholeX = shape.resultWidth / pixels,
              restX = shape.resultWidth % pixels,
              wholeV = groupVectors / vectors, restV = groupVectors % vectors;
      double total = wholeX * wholeV * cost(pixels, vectors);
      if (restX)
        total += wholeV * cost(restX, vectors);
      if (restV)
        total += wholeX * cost(pixels, restV);
      if (restX && restV)
        total += cost(restX, restV);
      double whole = total - saved(wholeV, shape.resultWidth, vectors) -
                     saved(restV != 0, shape.resultWidth, restV);
      // Of equal ones the larger: less is loaded and less code is left over.
      if (whole <= best) {
        best = whole;
        tileCost = total;
        tilePixels = pixels;
        tileVectors = vectors;
      }
    }
}

void DenseKernel::visitBlocks(function_ref<void(int64_t, int64_t)> body) const {
  for (int64_t g = 0; g < shape.groups; ++g)
    for (int64_t first = 0; first < groupVectors;) {
      int64_t vectors =
          first < getWholeVectors() ? tileVectors : groupVectors - first;
      body(g * groupVectors + first, vectors);
      first += vectors;
    }
}

void DenseKernel::packStep(ArrayRef<int8_t> weight, int64_t first,
                           int64_t vectors, int64_t step,
                           WeightWriter &append) const {
  int64_t group = first / groupVectors,
          output = first % groupVectors * target.lanes;
  int64_t row = step / steps;
  for (int64_t k = step % steps * 4, end = k + 4; k < end; k += target.products)
    for (int64_t lane = 0; lane < vectors * target.lanes; ++lane) {
      int64_t o = output + getOutput(lane, vectors);
      int64_t inside =
          o < shape.outGroup ? std::min(target.products, run - k) : 0;
      int64_t from =
          ((group * shape.outGroup + o) * shape.kernelHeight * columns + row) *
              run +
          k;
      append(inside > 0 ? weight.slice(from, inside) : ArrayRef<int8_t>(),
             target.products);
    }
}

std::vector<int64_t> DenseKernel::getOrder() const {
  std::vector<int64_t> order;
  visitBlocks([&](int64_t first, int64_t vectors) {
    int64_t group = first / groupVectors,
            output = first % groupVectors * target.lanes;
    for (int64_t lane = 0; lane < vectors * target.lanes; ++lane) {
      int64_t o = output + getOutput(lane, vectors);
      order.push_back(o < shape.outGroup ? group * shape.outGroup + o : -1);
    }
  });
  return order;
}

void DenseKernel::packWeight(ArrayRef<int8_t> weight,
                             WeightWriter &append) const {
  visitBlocks([&](int64_t first, int64_t vectors) {
    for (int64_t step = 0; step < getSteps(); ++step)
      packStep(weight, first, vectors, step, append);
  });
}

void DenseKernel::forBlocks(function_ref<void(Value, ArrayRef<int64_t>)> body) {
  int64_t lanes = target.lanes;
  int64_t whole = getWholeVectors();
  auto emitBlock = [&](Value first) {
    body(first, SmallVector<int64_t>(tileVectors, lanes));
  };
  forEach(whole, tileVectors, emitBlock, blocksPerUnit);
  if (whole == groupVectors)
    return;
  SmallVector<int64_t> counts(groupVectors - whole, lanes);
  if (int64_t rest = shape.outGroup % lanes)
    counts.back() = rest;
  forRest([&] { body(index(whole), counts); }, blocksPerUnit);
}

void DenseKernel::emitImage(Value position, Value resultPosition) {
  int64_t row = shape.paddedWidth() * shape.in;
  auto emitGroup = [&](Value g) {
    forBlocks([&](Value first, ArrayRef<int64_t> counts) {
      Value vector = advance(first, g, groupVectors);
      Value constants = advance(index(0), vector, target.lanes);
      SmallVector<Value> bias =
          loadVectors(buffers.bias, constants, counts.size());
      SmallVector<Value> multipliers =
          loadMultipliers(constants, counts.size());
      SmallVector<Value> block = emitBlock(g, first);
      Value from = advance(position, g, shape.inGroup);
      Value to = advance(advance(resultPosition, g, shape.outGroup), first,
                         target.lanes);
      auto emitRow = [&](Value y) {
        Value fromRow = advance(from, y, shape.strideY * row);
        Value toRow = advance(to, y, shape.resultWidth * shape.out);
        auto emit = [&](Value x, int64_t pixels) {
          Value fromPixel = advance(fromRow, x, shape.strideX * shape.in);
          Value toPixel = advance(toRow, x, shape.out);
          emitTile(block, fromPixel, toPixel, bias, multipliers, pixels,
                   counts);
        };
        forTiles(shape.resultWidth, tilePixels, emit, tilesPerUnit);
      };
      forEach(shape.resultHeight, 1, emitRow, rowsPerUnit);
    });
  };
  forEach(shape.groups, 1, emitGroup, groupsPerUnit);
}

SmallVector<Value> DenseKernel::accumulate(
    Value count, ValueRange sums,
    function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  if (matchPattern(count, m_One()))
    return body(index(0), sums);
  ImplicitLocOpBuilder &b = *builder;
  Value zero = index(0), one = index(1);
  auto loop = scf::ForOp::create(b, zero, count, one, sums);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(b,
                       body(loop.getInductionVar(), loop.getRegionIterArgs()));
  return llvm::to_vector_of<Value>(loop.getResults());
}

SmallVector<Value> DenseKernel::emitSteps(Value position, Value weights,
                                          ValueRange given, int64_t pixels,
                                          int64_t vectors, int64_t count) {
  int64_t width = target.lanes * target.products, parts = 4 / target.products;
  SmallVector<Value> sums = llvm::to_vector_of<Value>(given);
  SmallVector<SmallVector<Value>> elements(pixels);
  auto getPosition = [&](int64_t pixel) {
    return advance(position, pixel * shape.strideX * shape.in);
  };
  if (count != 1)
    for (int64_t pixel = 0; pixel < pixels; ++pixel)
      elements[pixel] = broadcastElements(getPosition(pixel));
  for (int64_t k = 0; k < count; ++k) {
    SmallVector<Value> loaded;
    for (int64_t i = 0; i < parts * vectors; ++i)
      loaded.push_back(
          loadWeight(advance(weights, (k * parts * vectors + i) * width)));
    for (int64_t pixel = 0; pixel < pixels; ++pixel) {
      SmallVector<Value> inputs = count == 1
                                      ? broadcast(getPosition(pixel))
                                      : SmallVector<Value>{elements[pixel][k]};
      for (auto [part, input] : llvm::enumerate(inputs))
        for (int64_t j = 0; j < vectors; ++j) {
          Value &sum = sums[pixel * vectors + j];
          sum = target.dot(*builder, sum, input, loaded[part * vectors + j]);
        }
    }
  }
  return sums;
}

SmallVector<Value> DenseKernel::emitBlock(Value group, Value first) {
  Value zero = index(0), vector = advance(first, group, groupVectors);
  return {advance(zero, vector, getSteps() * 4 * target.lanes)};
}

SmallVector<Value> DenseKernel::emitSums(ValueRange block, Value position,
                                         ValueRange sums, int64_t pixels,
                                         int64_t vectors) {
  int64_t step = 4 * target.lanes * vectors;
  int64_t rowBytes = shape.dilationY * shape.paddedWidth() * shape.in;
  return accumulate(
      index(shape.kernelHeight), sums, [&](Value ky, ValueRange sums) {
        Value row = advance(position, ky, rowBytes);
        Value rowWeights = advance(block[0], ky, columns * steps * step);
        return accumulate(index(columns), sums, [&](Value kx, ValueRange sums) {
          Value tap = advance(row, kx, shape.dilationX * shape.in);
          Value tapWeights = advance(rowWeights, kx, steps * step);
          int64_t count = target.byElement ? target.lanes : 1,
                  whole = steps / count * count;
          SmallVector<Value> done = llvm::to_vector_of<Value>(sums);
          if (whole != 0)
            done = accumulate(
                index(steps / count), sums, [&](Value k, ValueRange sums) {
                  Value input = advance(tap, k, 4 * count);
                  Value weights = advance(tapWeights, k, step * count);
                  return emitSteps(input, weights, sums, pixels, vectors,
                                   count);
                });
          for (int64_t k = whole; k < steps; ++k) {
            Value input = advance(tap, 4 * k);
            Value weights = advance(tapWeights, step * k);
            done = emitSteps(input, weights, done, pixels, vectors,
                             /*count=*/1);
          }
          return done;
        });
      });
}

void DenseKernel::emitTile(ValueRange block, Value position,
                           Value resultPosition, ArrayRef<Value> bias,
                           ArrayRef<Value> multipliers, int64_t pixels,
                           ArrayRef<int64_t> counts) {
  int64_t vectors = counts.size();
  SmallVector<Value> sums;
  for (int64_t pixel = 0; pixel < pixels; ++pixel)
    llvm::append_range(sums, bias);
  sums = emitSums(block, position, sums, pixels, vectors);
  for (int64_t pixel = 0; pixel < pixels; ++pixel)
    finish(ArrayRef(sums).slice(pixel * vectors, vectors), multipliers,
           advance(resultPosition, pixel * shape.out), counts);
}

std::unique_ptr<KernelEmitter>
qbackend::codegen::createDenseKernel(const KernelTarget &target,
                                     int8::Conv2dOp op) {
  return std::make_unique<DenseKernel>(target, op);
}
