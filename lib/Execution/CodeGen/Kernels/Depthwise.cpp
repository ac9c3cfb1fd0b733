// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions whose channels don't meet. Lanes are channels; the products of a
// lane are those of neighbouring rows of the window, which are interleaved.
// What a column of pixels gives is used for all of the tile's windows over it.

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"
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
    needsCopy |= shape.in % target.lanes != 0;
    // Rows that a tile divides leave no code for the rest.
    constexpr int64_t most = 8;
    tilePixels = std::min(most, shape.resultWidth);
    for (int64_t pixels = tilePixels; pixels > most / 2; --pixels)
      if (shape.resultWidth % pixels == 0) {
        tilePixels = pixels;
        break;
      }
    units = shape.resultHeight;
  }

private:
  void packWeight(ArrayRef<int8_t> weight,
                  function_ref<void(int32_t)> append) const override;
  void emitImage(Value position, Value resultPosition) override;
  void emitTile(Value position, Value resultPosition, ArrayRef<Value> weights,
                Value bias, Value multiplier, int64_t pixels, int64_t count);

  /// Operands of `dot` for a column of the window.
  int64_t parts;
  int64_t tilePixels;
};
} // namespace

void DepthwiseKernel::packWeight(ArrayRef<int8_t> weight,
                                 function_ref<void(int32_t)> append) const {
  int64_t height = shape.kernelHeight, width = shape.kernelWidth;
  for (int64_t first = 0; first < shape.in; first += target.lanes)
    for (int64_t x = 0; x < width; ++x)
      for (int64_t part = 0; part < parts; ++part)
        for (int64_t c = first; c < first + target.lanes; ++c)
          for (int64_t q = 0; q < target.products; ++q) {
            int64_t y = part * target.products + q;
            bool isInside = c < shape.in && y < height;
            append(isInside ? weight[(c * height + y) * width + x] : 0);
          }
}

void DepthwiseKernel::emitImage(Value position, Value resultPosition) {
  int64_t width = target.lanes * target.products;
  int64_t row = shape.paddedWidth() * shape.in;
  int64_t perBlock = shape.kernelWidth * parts;
  auto emitRow = [&](Value y) {
    Value fromRow = advance(position, y, shape.strideY * row);
    Value toRow = advance(resultPosition, y, shape.resultWidth * shape.out);
    forTiles(shape.in, target.lanes, [&](Value c, int64_t count) {
      Value from = advance(fromRow, c, 1), to = advance(toRow, c, 1);
      Value bias = load(buffers.bias, c, target.lanes);
      Value multiplier = loadVectors(buffers.multiplier, c, 1).front();
      Value base = advance(index(0), c, perBlock * target.products);
      SmallVector<Value> weights;
      for (int64_t i = 0; i < perBlock; ++i)
        weights.push_back(loadWeight(advance(base, i * width)));
      forTiles(shape.resultWidth, tilePixels, [&](Value x, int64_t pixels) {
        emitTile(advance(from, x, shape.strideX * shape.in),
                 advance(to, x, shape.out), weights, bias, multiplier, pixels,
                 count);
      });
    });
  };
  forEach(shape.resultHeight, 1, emitRow, /*stepsPerUnit=*/1);
}

void DepthwiseKernel::emitTile(Value position, Value resultPosition,
                               ArrayRef<Value> weights, Value bias,
                               Value multiplier, int64_t pixels,
                               int64_t count) {
  VectorType bytes = vectorOf(target.lanes, builder->getI8Type());
  int64_t row = shape.dilationY * shape.paddedWidth() * shape.in;
  // The operands of a column, by its distance from the tile's first one.
  llvm::DenseMap<int64_t, SmallVector<Value>> columns;
  auto getColumn = [&](int64_t x) -> ArrayRef<Value> {
    SmallVector<Value> &operands = columns[x];
    for (int64_t part = 0; operands.size() < size_t(parts); ++part) {
      SmallVector<Value> rows;
      for (int64_t q = 0; q < target.products; ++q) {
        int64_t y = part * target.products + q;
        if (y < shape.kernelHeight)
          rows.push_back(load(image, advance(position, y * row + x * shape.in),
                              target.lanes));
        else
          rows.push_back(
              arith::ConstantOp::create(*builder, builder->getZeroAttr(bytes)));
      }
      operands.push_back(combine(rows));
    }
    return operands;
  };
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    Value sums = bias;
    for (int64_t x = 0; x < shape.kernelWidth; ++x)
      for (auto [part, operand] : llvm::enumerate(
               getColumn(pixel * shape.strideX + x * shape.dilationX)))
        sums = target.dot(*builder, sums, operand, weights[x * parts + part]);
    finish(sums, multiplier, advance(resultPosition, pixel * shape.out), count);
  }
}

std::unique_ptr<KernelEmitter>
qbackend::codegen::createDepthwiseKernel(const KernelTarget &target,
                                         int8::Conv2dOp op) {
  return std::make_unique<DepthwiseKernel>(target, op);
}
