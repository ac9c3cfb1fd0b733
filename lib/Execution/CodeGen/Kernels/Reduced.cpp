// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense kernels by an instruction that adds all products of two vectors of
// bytes to one register (`KernelTarget::reduce`):
//
//   for outputs in blocks of four, for pixels
//     a sum for each output in a register
//     for the taps and channels, 16 bytes at a time
//       load the bytes of the pixel; for each output, its weights
//     the sums as a vector, which is requantized as elsewhere
//
// A run of bytes is rounded up to 16, whose weights are 0. Of the last ones,
// bytes of the image behind the run are not loaded, unless there is a copy,
// which has room behind it.

#include "Dense.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::codegen;

/// Bytes that are multiplied at once.
static constexpr int64_t stepBytes = 16;

namespace {
class ReducedKernel final : public DenseKernel {
public:
  ReducedKernel(const KernelTarget &target, int8::Conv2dOp op)
      : DenseKernel(target, op, /*mostVectors=*/1, /*mostPixels=*/1),
        stepsPerRun(llvm::divideCeil(run, stepBytes)) {
    needsCopy = shape.top + shape.bottom + shape.left + shape.right != 0;
    // Both operands are signed.
    offset = isSigned ? 0 : -128;
  }

private:
  void packWeight(ArrayRef<int8_t> weight, WeightWriter &append) const override;
  SmallVector<Value> emitBlock(Value group, Value first) override;
  SmallVector<Value> emitSums(ValueRange block, Value position, ValueRange sums,
                              int64_t pixels, int64_t vectors) override;
  SmallVector<Value> emitBytes(Value position, Value weights, ValueRange sums,
                               int64_t count);

  /// Bytes of the weights of a run, for all lanes.
  int64_t getRunWeights() const {
    return stepsPerRun * stepBytes * target.lanes;
  }

  int64_t stepsPerRun;
};
} // namespace

void ReducedKernel::packWeight(ArrayRef<int8_t> weight,
                               WeightWriter &append) const {
  visitBlocks([&](int64_t first, int64_t) {
    int64_t group = first / groupVectors,
            output = first % groupVectors * target.lanes;
    for (int64_t row = 0; row < shape.kernelHeight * columns; ++row)
      for (int64_t begin = 0; begin < stepsPerRun * stepBytes;
           begin += stepBytes)
        for (int64_t o = output; o < output + target.lanes; ++o) {
          int64_t inside =
              o < shape.outGroup ? std::min(stepBytes, run - begin) : 0;
          int64_t from =
              ((group * shape.outGroup + o) * shape.kernelHeight * columns +
               row) *
                  run +
              begin;
          append(inside > 0 ? weight.slice(from, inside) : ArrayRef<int8_t>(),
                 stepBytes);
        }
  });
}

SmallVector<Value> ReducedKernel::emitBlock(Value group, Value first) {
  Value zero = index(0), vector = advance(first, group, groupVectors);
  return {
      advance(zero, vector, shape.kernelHeight * columns * getRunWeights())};
}

SmallVector<Value> ReducedKernel::emitBytes(Value position, Value weights,
                                            ValueRange sums, int64_t count) {
  ImplicitLocOpBuilder &b = *builder;
  VectorType bytes = vectorOf(stepBytes, b.getI8Type());
  Value input;
  if (count == stepBytes || needsCopy) {
    input = load(image, position, stepBytes);
  } else {
    SmallVector<bool> isInside(stepBytes, false);
    std::fill_n(isInside.begin(), count, true);
    Value mask = arith::ConstantOp::create(
        b,
        DenseElementsAttr::get(vectorOf(stepBytes, b.getI1Type()), isInside));
    Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(bytes));
    input =
        vector::MaskedLoadOp::create(b, bytes, image, position, mask, zeros);
  }
  input = flip(input);
  SmallVector<Value> results;
  for (auto [lane, sum] : llvm::enumerate(sums))
    results.push_back(target.reduce(
        b, sum, input,
        load(buffers.weight, advance(weights, lane * stepBytes), stepBytes)));
  return results;
}

SmallVector<Value> ReducedKernel::emitSums(ValueRange block, Value position,
                                           ValueRange sums, int64_t pixels,
                                           int64_t vectors) {
  ImplicitLocOpBuilder &b = *builder;
  int64_t rowBytes = shape.dilationY * shape.paddedWidth() * shape.in;
  int64_t whole = run / stepBytes, rest = run % stepBytes;
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane < target.lanes; ++lane)
    lanes.push_back(vector::ExtractOp::create(b, sums.front(), lane));
  lanes = accumulate(
      index(shape.kernelHeight), lanes, [&](Value ky, ValueRange sums) {
        Value row = advance(position, ky, rowBytes);
        Value rowWeights = advance(block[0], ky, columns * getRunWeights());
        return accumulate(index(columns), sums, [&](Value kx, ValueRange sums) {
          Value tap = advance(row, kx, shape.dilationX * shape.in);
          Value weights = advance(rowWeights, kx, getRunWeights());
          SmallVector<Value> results = llvm::to_vector_of<Value>(sums);
          int64_t step = stepBytes * target.lanes;
          if (whole)
            results = accumulate(
                index(whole), results, [&](Value k, ValueRange sums) {
                  Value input = advance(tap, k, stepBytes);
                  Value part = advance(weights, k, step);
                  return emitBytes(input, part, sums, stepBytes);
                });
          if (rest) {
            Value input = advance(tap, whole * stepBytes);
            Value part = advance(weights, whole * step);
            results = emitBytes(input, part, results, rest);
          }
          return results;
        });
      });
  return {vector::FromElementsOp::create(
      b, vectorOf(target.lanes, b.getI32Type()), lanes)};
}

std::unique_ptr<KernelEmitter>
qbackend::codegen::createReducedKernel(const KernelTarget &target,
                                       int8::Conv2dOp op) {
  // Of a shorter run, more than half of what is multiplied is 0.
  constexpr int64_t leastRun = 8;
  if (ConvolutionShape(op).runBytes() < leastRun)
    return nullptr;
  return std::make_unique<ReducedKernel>(target, op);
}
