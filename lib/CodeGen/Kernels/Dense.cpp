// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions whose outputs each read all channels of their group:
//
//   for outputs in blocks of a few vectors
//     for rows, for pixels in tiles
//       sums of pixels x vectors in registers
//       for the taps and channels, four bytes at a time
//         load the vectors of weights; for each pixel, broadcast its bytes
//
// A run of bytes is rounded up to four, whose weights are 0.

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::codegen;

/// Vectors of outputs in a tile.
static constexpr int64_t mostVectors = 4;

namespace {
class DenseKernel : public KernelEmitter {
public:
  DenseKernel(const KernelTarget &target, int8::Conv2dOp op);

private:
  void packWeight(ArrayRef<int8_t> weight,
                  function_ref<void(int32_t)> append) const override;
  void emitImage(Value position, Value resultPosition) override;

  void chooseTile();
  void chooseUnits();
  /// Vectors of a group that are in blocks of `tileVectors`.
  int64_t getWholeVectors() const {
    return shape.outGroup / target.lanes / tileVectors * tileVectors;
  }
  /// Elements of the packed weight for each vector of outputs.
  int64_t getWeightsPerVector() const {
    return shape.kernelHeight * columns * steps * 4 * target.lanes;
  }
  /// Builds `body` for blocks of vectors of a group: the first vector, and how
  /// many outputs each one has.
  void forBlocks(function_ref<void(Value, ArrayRef<int64_t>)> body);
  void emitTile(Value position, Value resultPosition, Value weights,
                ArrayRef<Value> bias, ArrayRef<Value> multipliers,
                int64_t pixels, ArrayRef<int64_t> counts);
  SmallVector<Value> emitSteps(Value position, Value weights, ValueRange sums,
                               int64_t pixels, int64_t vectors);

  /// Runs of neighbouring bytes in a row of the window, their length, and the
  /// steps of four bytes in each.
  int64_t columns, run, steps;
  int64_t groupVectors;
  int64_t tilePixels = 1, tileVectors = 1;
  /// What a unit of work is: one of these for each step of its loop, or 0.
  int64_t groupsPerUnit = 0, blocksPerUnit = 0, rowsPerUnit = 0,
          tilesPerUnit = 0;
};
} // namespace

DenseKernel::DenseKernel(const KernelTarget &target, int8::Conv2dOp op)
    : KernelEmitter(target, op) {
  columns = shape.runs();
  run = shape.runBytes();
  steps = llvm::divideCeil(run, 4);
  groupVectors = llvm::divideCeil(shape.outGroup, target.lanes);
  // Pairs of 16 bits are loaded as they are from a copy, which pays if the
  // image is read by several blocks.
  isWide = target.products == 2 && groupVectors > mostVectors;
  needsCopy |= run % 4 != 0 || isWide;
  chooseTile();
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
/// instructions, of two loads at a time, or of one product that waits for
/// another, and some for weights, which come from the second cache.
void DenseKernel::chooseTile() {
  constexpr double latency = 5, weightLoad = 0.35;
  int64_t parts = 4 / target.products;
  // A product that doesn't add takes two instructions; bytes become operands by
  // one load, or by shuffles and extensions. Long vectors have two units.
  int64_t perProduct = target.products == 4 ? 1 : 2;
  int64_t perPixel = target.products == 4 || isWide ? 0
                     : target.products == 2         ? 3
                                                    : 5;
  double units = target.products == 4 || target.lanes == 16 ? 2 : 3;
  auto cost = [&](int64_t pixels, int64_t vectors) {
    int64_t products = pixels * vectors * parts;
    double loads = (isWide ? pixels * parts : pixels) + vectors * parts;
    return std::max({(products * perProduct + pixels * perPixel) / units,
                     loads / 2, latency}) +
           vectors * parts * weightLoad;
  };
  double best = std::numeric_limits<double>::max();
  for (int64_t vectors = 1; vectors <= std::min(groupVectors, mostVectors);
       ++vectors)
    for (int64_t pixels = 1; pixels <= std::min<int64_t>(shape.resultWidth, 16);
         ++pixels) {
      // The sums, a vector of weights for each product of a pixel, its
      // operands.
      if (pixels * vectors + vectors * parts + parts > target.registers &&
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
      // Of equal ones the larger: less is loaded and less code is left over.
      if (total <= best) {
        best = total;
        tilePixels = pixels;
        tileVectors = vectors;
      }
    }
}

void DenseKernel::packWeight(ArrayRef<int8_t> weight,
                             function_ref<void(int32_t)> append) const {
  int64_t products = target.products;
  for (int64_t g = 0; g < shape.groups; ++g)
    for (int64_t first = 0; first < groupVectors;) {
      // As forBlocks cuts them.
      int64_t whole = getWholeVectors();
      int64_t vectors = first < whole ? tileVectors : groupVectors - first;
      for (int64_t row = 0; row < shape.kernelHeight * columns; ++row)
        for (int64_t k = 0; k < steps * 4; k += products)
          for (int64_t j = 0; j < vectors; ++j)
            for (int64_t lane = 0; lane < target.lanes; ++lane)
              for (int64_t q = 0; q < products; ++q) {
                int64_t o = (first + j) * target.lanes + lane;
                bool isInside = o < shape.outGroup && k + q < run;
                int64_t from =
                    ((g * shape.outGroup + o) * shape.kernelHeight * columns +
                     row) *
                        run +
                    k + q;
                append(isInside ? weight[from] : 0);
              }
      first += vectors;
    }
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
          loadVectors(buffers.multiplier, constants, counts.size());
      Value weights = advance(index(0), vector, getWeightsPerVector());
      Value from = advance(position, g, shape.inGroup);
      Value to = advance(advance(resultPosition, g, shape.outGroup), first,
                         target.lanes);
      auto emitRow = [&](Value y) {
        Value fromRow = advance(from, y, shape.strideY * row);
        Value toRow = advance(to, y, shape.resultWidth * shape.out);
        auto emit = [&](Value x, int64_t pixels) {
          emitTile(advance(fromRow, x, shape.strideX * shape.in),
                   advance(toRow, x, shape.out), weights, bias, multipliers,
                   pixels, counts);
        };
        forTiles(shape.resultWidth, tilePixels, emit, tilesPerUnit);
      };
      forEach(shape.resultHeight, 1, emitRow, rowsPerUnit);
    });
  };
  forEach(shape.groups, 1, emitGroup, groupsPerUnit);
}

/// A loop over 0 to `count` that carries `sums`.
static SmallVector<Value>
accumulate(ImplicitLocOpBuilder &b, int64_t count, ValueRange sums,
           function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  if (count == 1)
    return body(index(0), sums);
  auto loop = scf::ForOp::create(b, index(0), index(count), index(1), sums);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(b,
                       body(loop.getInductionVar(), loop.getRegionIterArgs()));
  return llvm::to_vector_of<Value>(loop.getResults());
}

SmallVector<Value> DenseKernel::emitSteps(Value position, Value weights,
                                          ValueRange given, int64_t pixels,
                                          int64_t vectors) {
  int64_t width = target.lanes * target.products;
  SmallVector<Value> sums = llvm::to_vector_of<Value>(given);
  SmallVector<Value> loaded;
  for (int64_t i = 0; i < 4 / target.products * vectors; ++i)
    loaded.push_back(loadWeight(advance(weights, i * width)));
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    SmallVector<Value> inputs =
        broadcast(advance(position, pixel * shape.strideX * shape.in));
    for (auto [part, input] : llvm::enumerate(inputs))
      for (int64_t j = 0; j < vectors; ++j) {
        Value &sum = sums[pixel * vectors + j];
        sum = target.dot(*builder, sum, input, loaded[part * vectors + j]);
      }
  }
  return sums;
}

void DenseKernel::emitTile(Value position, Value resultPosition, Value weights,
                           ArrayRef<Value> bias, ArrayRef<Value> multipliers,
                           int64_t pixels, ArrayRef<int64_t> counts) {
  int64_t vectors = counts.size();
  int64_t step = 4 * target.lanes * vectors;
  SmallVector<Value> sums;
  for (int64_t pixel = 0; pixel < pixels; ++pixel)
    llvm::append_range(sums, bias);
  int64_t rowBytes = shape.dilationY * shape.paddedWidth() * shape.in;
  ImplicitLocOpBuilder &b = *builder;
  sums =
      accumulate(b, shape.kernelHeight, sums, [&](Value ky, ValueRange sums) {
        Value row = advance(position, ky, rowBytes);
        Value rowWeights = advance(weights, ky, columns * steps * step);
        return accumulate(b, columns, sums, [&](Value kx, ValueRange sums) {
          Value tap = advance(row, kx, shape.dilationX * shape.in);
          Value tapWeights = advance(rowWeights, kx, steps * step);
          return accumulate(b, steps, sums, [&](Value k, ValueRange sums) {
            return emitSteps(advance(tap, k, 4), advance(tapWeights, k, step),
                             sums, pixels, vectors);
          });
        });
      });
  for (int64_t pixel = 0; pixel < pixels; ++pixel)
    for (int64_t j = 0; j < vectors; ++j)
      finish(sums[pixel * vectors + j], multipliers[j],
             advance(resultPosition, pixel * shape.out + j * target.lanes),
             counts[j]);
}

std::unique_ptr<KernelEmitter>
qbackend::codegen::createDenseKernel(const KernelTarget &target,
                                     int8::Conv2dOp op) {
  return std::make_unique<DenseKernel>(target, op);
}
