// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions whose channels don't meet. Lanes are channels; the products of a
// lane are those of neighbouring rows of the window, which are interleaved.
// What a column of pixels gives is used for all of the tile's windows over it.

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::codegen;

namespace {
class DepthwiseKernel : public KernelEmitter {
public:
  DepthwiseKernel(const KernelTarget &target, int8::Conv2dOp op)
      : KernelEmitter(target, op) {
    parts = llvm::divideCeil(shape.kernelHeight, target.products);
    int64_t block = 4 * target.lanes, rest = shape.in % block;
    // Windows over a column, each with its sums, and the operands of a part.
    int64_t open = llvm::divideCeil(
        (shape.kernelWidth - 1) * shape.dilationX + 1, shape.strideX);
    if (packs && shape.in >= block && 4 * open + 4 < target.registers)
      packed = shape.in / block;
    packs = packed != 0;
    // Up to two vectors are faster one by one. Else the last block begins where
    // it ends with the image.
    overlaps =
        packed != 0 && (rest % target.lanes != 0 || rest > 2 * target.lanes);
    constexpr int64_t most = 8;
    // Columns outside are known where the code is made, rows aren't. Each
    // window over an edge is code of its own.
    int64_t room = shape.width - 1 + shape.left -
                   (shape.kernelWidth - 1) * shape.dilationX;
    int64_t inside = room < 0 ? 0 : room / shape.strideX + 1;
    leading = std::min<int64_t>(llvm::divideCeil(shape.left, shape.strideX),
                                shape.resultWidth);
    trailing = std::max<int64_t>(shape.resultWidth - inside, 0);
    needsCopy = (!overlaps && shape.in % target.lanes != 0) ||
                shape.top + shape.bottom != 0 ||
                std::max(leading, trailing) > most;
    if (needsCopy)
      leading = trailing = 0;
    else
      left = shape.left;
    pitch = (needsCopy ? shape.paddedWidth() : shape.width) * shape.in;
    // Rows that a tile divides leave no code for the rest. With few lanes the
    // code counts: windows over an edge are no whole tiles.
    isShort = target.lanes <= 4;
    int64_t row = shape.resultWidth - (isShort ? leading + trailing : 0);
    tilePixels = std::min(most, shape.resultWidth);
    auto countCode = [&](int64_t pixels) {
      return (row < pixels ? 0 : pixels) + row % pixels;
    };
    for (int64_t pixels = tilePixels - 1; pixels > most / 2; --pixels)
      if (isShort ? countCode(pixels) < countCode(tilePixels)
                  : row % tilePixels != 0 && row % pixels == 0)
        tilePixels = pixels;
    units = shape.resultHeight;
  }

private:
  std::vector<int64_t> getOrder() const override;
  void packWeight(ArrayRef<int8_t> weight, WeightWriter &append) const override;
  void emitImage(Value position, Value resultPosition) override;
  /// `begin` is the first pixel of the tile where some of its windows may be
  /// outside of the image.
  void emitTile(Value position, Value resultPosition, ArrayRef<Value> weights,
                ArrayRef<Value> bias, ArrayRef<Value> multipliers,
                int64_t pixels, ArrayRef<int64_t> counts,
                std::optional<int64_t> begin);

  /// Calls `body` for each block of channels: the first one, where its
  /// constants begin, and its vectors.
  void visitBlocks(function_ref<void(int64_t, int64_t, int64_t)> body) const;
  void emitBlock(Value channel, Value constants, int64_t vectors, int64_t count,
                 Value position, Value resultPosition);

  /// Blocks of four vectors, and whether another one overlaps the last.
  int64_t packed = 0;
  bool overlaps;
  /// Operands of `dot` for a column of the window.
  int64_t parts;
  int64_t tilePixels;
  /// Whether there are few lanes, and as little code as can be.
  bool isShort;
  /// How many windows of a row begin, and end, outside of what is read; the
  /// columns in front of that which they begin with; and the distance of rows.
  int64_t leading, trailing, left = 0, pitch;
};
} // namespace

void DepthwiseKernel::visitBlocks(
    function_ref<void(int64_t, int64_t, int64_t)> body) const {
  int64_t block = 4 * target.lanes, next = 0;
  for (; next < packed * block; next += block)
    body(next, next, 4);
  if (overlaps)
    return body(shape.in - block, next, 4);
  for (; next < shape.in; next += target.lanes)
    body(next, next, 1);
}

std::vector<int64_t> DepthwiseKernel::getOrder() const {
  std::vector<int64_t> order;
  visitBlocks([&](int64_t channel, int64_t, int64_t vectors) {
    for (int64_t lane = 0; lane < vectors * target.lanes; ++lane) {
      int64_t c = channel + getOutput(lane, vectors);
      order.push_back(c < shape.in ? c : -1);
    }
  });
  return order;
}

void DepthwiseKernel::packWeight(ArrayRef<int8_t> weight,
                                 WeightWriter &append) const {
  int64_t height = shape.kernelHeight, width = shape.kernelWidth;
  std::vector<int64_t> order = getOrder();
  visitBlocks([&](int64_t, int64_t constants, int64_t vectors) {
    for (int64_t x = 0; x < width; ++x)
      for (int64_t part = 0; part < parts; ++part)
        for (int64_t c :
             ArrayRef(order).slice(constants, vectors * target.lanes))
          for (int64_t q = 0; q < target.products; ++q) {
            int64_t y = part * target.products + q;
            bool isInside = c >= 0 && y < height;
            append(isInside ? weight[(c * height + y) * width + x] : 0);
          }
  });
}

void DepthwiseKernel::emitImage(Value position, Value resultPosition) {
  int64_t block = 4 * target.lanes;
  auto emitRow = [&](Value y) {
    Value from = advance(position, y, shape.strideY * pitch);
    Value to = advance(resultPosition, y, shape.resultWidth * shape.out);
    int64_t done = packed * block;
    forEach(done, block, [&](Value c) { emitBlock(c, c, 4, block, from, to); });
    if (overlaps) {
      Value channel = index(shape.in - block), constants = index(done);
      return emitBlock(channel, constants, 4, block, from, to);
    }
    forTiles(shape.in - done, target.lanes, [&](Value c, int64_t count) {
      Value channel = advance(c, done);
      emitBlock(channel, channel, 1, count, from, to);
    });
  };
  forEach(shape.resultHeight, 1, emitRow, /*stepsPerUnit=*/1);
}

void DepthwiseKernel::emitBlock(Value channel, Value constants, int64_t vectors,
                                int64_t count, Value position,
                                Value resultPosition) {
  Value from = advance(position, channel, 1),
        to = advance(resultPosition, channel, 1);
  SmallVector<Value> bias = loadVectors(buffers.bias, constants, vectors);
  SmallVector<Value> multipliers = loadMultipliers(constants, vectors);
  int64_t perLane = shape.kernelWidth * parts * target.products;
  Value base = advance(index(0), constants, perLane);
  SmallVector<Value> weights;
  for (int64_t i = 0; i < shape.kernelWidth * parts * vectors; ++i)
    weights.push_back(
        loadWeight(advance(base, i * target.lanes * target.products)));
  SmallVector<int64_t> counts(vectors, std::min(count, target.lanes));
  auto emit = [&](Value x, int64_t pixels, std::optional<int64_t> begin) {
    Value fromPixel = advance(from, x, shape.strideX * shape.in);
    Value toPixel = advance(to, x, shape.out);
    emitTile(fromPixel, toPixel, weights, bias, multipliers, pixels, counts,
             begin);
  };
  // Tiles at the edges are code of their own.
  int64_t next = leading;
  if (!isShort && leading != 0)
    next = std::min<int64_t>(llvm::alignTo(leading, tilePixels),
                             shape.resultWidth);
  for (int64_t x = 0; x < next; x += tilePixels)
    emit(index(x), std::min(tilePixels, next - x), x);
  int64_t inside = std::max<int64_t>(shape.resultWidth - trailing - next, 0) /
                   tilePixels * tilePixels;
  forEach(inside, tilePixels, [&](Value x) {
    emit(advance(index(next), x, 1), tilePixels, std::nullopt);
  });
  for (next += inside; next < shape.resultWidth; next += tilePixels)
    emit(index(next), std::min(tilePixels, shape.resultWidth - next), next);
}

void DepthwiseKernel::emitTile(Value position, Value resultPosition,
                               ArrayRef<Value> weights, ArrayRef<Value> bias,
                               ArrayRef<Value> multipliers, int64_t pixels,
                               ArrayRef<int64_t> counts,
                               std::optional<int64_t> begin) {
  int64_t vectors = counts.size(), block = vectors * target.lanes;
  VectorType bytes = vectorOf(block, builder->getIntegerType(activationBits));
  int64_t row = shape.dilationY * pitch;
  auto isOutside = [&](int64_t column) {
    if (needsCopy || !begin)
      return false;
    int64_t x = *begin * shape.strideX + column - left;
    return x < 0 || x >= shape.width;
  };
  auto emitPart = [&](int64_t column, int64_t part) {
    SmallVector<Value> rows;
    for (int64_t q = 0; q < target.products; ++q) {
      int64_t y = part * target.products + q;
      if (y >= shape.kernelHeight)
        rows.push_back(
            arith::ConstantOp::create(*builder, builder->getZeroAttr(bytes)));
      else if (isOutside(column))
        rows.push_back(splatPadding(bytes));
      else
        rows.push_back(
            load(image, advance(position, y * row + (column - left) * shape.in),
                 block));
    }
    return combine(rows);
  };
  // A column is loaded once: the windows over it are open, each with its sums.
  SmallVector<SmallVector<Value>> sums(pixels, SmallVector<Value>(bias));
  int64_t last = (shape.kernelWidth - 1) * shape.dilationX;
  for (int64_t column = 0; column <= (pixels - 1) * shape.strideX + last;
       ++column) {
    SmallVector<std::pair<int64_t, int64_t>> windows;
    for (int64_t pixel = 0; pixel < pixels; ++pixel) {
      int64_t distance = column - pixel * shape.strideX;
      if (distance >= 0 && distance <= last && distance % shape.dilationX == 0)
        windows.emplace_back(pixel, distance / shape.dilationX);
    }
    if (windows.empty())
      continue;
    for (int64_t part = 0; part < parts; ++part)
      for (auto [i, operand] : llvm::enumerate(emitPart(column, part)))
        for (auto [pixel, x] : windows)
          sums[pixel][i] =
              target.dot(*builder, sums[pixel][i], operand,
                         weights[(x * parts + part) * vectors + i]);
    for (auto [pixel, x] : windows)
      if (x == shape.kernelWidth - 1)
        finish(sums[pixel], multipliers,
               advance(resultPosition, pixel * shape.out), counts);
  }
}

std::unique_ptr<KernelEmitter>
qbackend::codegen::createDepthwiseKernel(const KernelTarget &target,
                                         int8::Conv2dOp op) {
  return std::make_unique<DepthwiseKernel>(target, op);
}
