// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions by AMX: a tile of pixels times a tile of weights, 16 x 64 bytes
// each, is added to a tile of sums, 16 x 16 words.
//
//   for outputs in blocks of two vectors
//     for groups of up to 16 neighbouring pixels of a row, two at a time
//       four tiles of sums = 0
//       for the taps and channels, up to 64 bytes at a time
//         sums += pixels * weights
//       store the tiles; for each pixel, requantize as other kernels do
//
// The last group of a row begins earlier than where the one before it ends if
// they don't divide the row: what both have is computed twice.

#include "KernelEmitter.h"

#include "qbackend/Execution/CodeGen/ConstantStore.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <array>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::codegen;

/// Rows of a tile, bytes of a row, and sums in one.
static constexpr int64_t tileRows = 16, tileBytes = 64, tileLanes = 16;
/// Groups of pixels, and vectors of outputs, whose sums are in tiles.
static constexpr int64_t mostGroups = 2, mostVectors = 2;

namespace {
/// How a layer is cut.
struct Tiling {
  explicit Tiling(const ConvolutionShape &shape) {
    for (int64_t bytes = tileBytes; bytes > 0 && step == 0; bytes -= 4)
      if (shape.runBytes() % bytes == 0)
        step = bytes;
    perRow = llvm::divideCeil(shape.resultWidth, tileRows);
    pixels = llvm::divideCeil(shape.resultWidth, perRow);
  }

  /// Whether tiles are filled well enough to be faster than vectors.
  bool pays() const { return step >= 32 && pixels >= 4; }

  /// Bytes of a run that are multiplied at once; 0: no number divides it.
  int64_t step = 0;
  /// Groups in a row, and pixels in each.
  int64_t perRow, pixels;
};

class TileKernel : public KernelEmitter {
public:
  TileKernel(const KernelTarget &target, int8::Conv2dOp op)
      : KernelEmitter(target, op), tiling(shape),
        groupVectors(llvm::divideCeil(shape.outGroup, tileLanes)) {
    // There is an instruction for either sign.
    offset = 0;
    packs = false;
    // Whole rows: groups of one row may have pixels in common.
    tilesPerUnit = tiling.perRow % 2 ? tiling.perRow : tiling.perRow / 2;
    units = llvm::divideCeil(shape.resultHeight * tiling.perRow,
                             mostGroups * tilesPerUnit);
    int64_t blocks = llvm::divideCeil(groupVectors, mostVectors);
    if (shape.groups == 1 && blocks > units) {
      units = blocks;
      blocksPerUnit = 1;
      tilesPerUnit = 0;
    }
  }

private:
  void packWeight(ArrayRef<int8_t> weight, WeightWriter &append) const override;
  void emitBegin() override;
  void emitImage(Value position, Value resultPosition) override;
  void emitEnd() override;

  /// Builds the tiles of `groups` groups from the one with this number on, for
  /// `counts.size()` vectors of outputs.
  void emitGroups(Value first, int64_t groups, Value position,
                  Value resultPosition, Value weights, ArrayRef<Value> bias,
                  ArrayRef<Value> multipliers, ArrayRef<int64_t> counts);
  void emitSteps(ArrayRef<Value> positions, Value weights, int64_t vectors);
  void forBlocks(function_ref<void(Value, ArrayRef<int64_t>)> body);

  int64_t getWeightsPerVector() const {
    return shape.kernelHeight * shape.runs() * shape.runBytes() * tileLanes;
  }

  //===--------------------------------------------------------------------===//
  // Instructions
  //===--------------------------------------------------------------------===//

  // Tiles have fixed numbers: those of sums, of pixels and of weights.
  static int64_t getSums(int64_t group, int64_t vector) {
    return group * mostVectors + vector;
  }
  static int64_t getPixels(int64_t group) { return 4 + group; }
  static int64_t getWeights(int64_t vector) { return 6 + vector; }

  Value number(int64_t tile) {
    return arith::ConstantOp::create(*builder, builder->getI8IntegerAttr(tile));
  }
  Value getPointer(Value buffer, Value position);
  void call(StringRef name, ValueRange operands) {
    LLVM::CallIntrinsicOp::create(*builder, builder->getStringAttr(name),
                                  operands);
  }
  /// Loads or stores a tile whose rows are `stride` bytes apart.
  void move(StringRef name, int64_t tile, Value buffer, Value position,
            int64_t stride) {
    Value distance =
        arith::ConstantOp::create(*builder, builder->getI64IntegerAttr(stride));
    call(name, {number(tile), getPointer(buffer, position), distance});
  }

  const Tiling tiling;
  int64_t groupVectors;
  /// What a unit of work is: so many steps of one of these loops, of the other
  /// 0.
  int64_t blocksPerUnit = 0, tilesPerUnit = 0;
  /// Where the tiles of sums are stored.
  Value stored;
};
} // namespace

void TileKernel::packWeight(ArrayRef<int8_t> weight,
                            WeightWriter &append) const {
  int64_t rows = shape.kernelHeight * shape.runs(), run = shape.runBytes();
  for (int64_t g = 0; g < shape.groups; ++g)
    for (int64_t first = 0; first < groupVectors; first += mostVectors)
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t begin = 0; begin < run; begin += tiling.step)
          for (int64_t vector = first;
               vector < std::min(first + mostVectors, groupVectors); ++vector)
            for (int64_t k = begin; k < begin + tiling.step; k += 4)
              for (int64_t lane = 0; lane < tileLanes; ++lane) {
                int64_t o = vector * tileLanes + lane;
                int64_t from =
                    ((g * shape.outGroup + o) * rows + row) * run + k;
                append(o < shape.outGroup ? weight.slice(from, 4)
                                          : ArrayRef<int8_t>(),
                       4);
              }
}

Value TileKernel::getPointer(Value buffer, Value position) {
  ImplicitLocOpBuilder &b = *builder;
  int64_t bytes =
      getStoredBytes(cast<MemRefType>(buffer.getType()).getElementType());
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
  Value address = arith::IndexCastOp::create(b, b.getI64Type(),
                                             advance(base, position, bytes));
  return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                  address);
}

void TileKernel::emitBegin() {
  ImplicitLocOpBuilder &b = *builder;
  auto allocate = [&](int64_t size, Type element) -> Value {
    return memref::AllocaOp::create(b, MemRefType::get({size}, element),
                                    b.getI64IntegerAttr(64));
  };
  stored =
      allocate(mostGroups * mostVectors * tileRows * tileLanes, b.getI32Type());
  // The operand of ldtilecfg: palette 1; from byte 16 on the bytes of a row of
  // each tile in 16 bits; from byte 48 on the rows of each.
  std::array<int8_t, tileBytes> shapes = {1};
  auto setShape = [&](int64_t tile, int64_t rows, int64_t bytes) {
    shapes[16 + 2 * tile] = bytes;
    shapes[48 + tile] = rows;
  };
  for (int64_t i = 0; i < 2; ++i) {
    setShape(getPixels(i), tiling.pixels, tiling.step);
    setShape(getWeights(i), tiling.step / 4, tileBytes);
    for (int64_t j = 0; j < 2; ++j)
      setShape(getSums(i, j), tiling.pixels, tileBytes);
  }
  Value configuration = allocate(tileBytes, b.getI8Type());
  Value bytes = arith::ConstantOp::create(
      b, DenseElementsAttr::get(vectorOf(tileBytes, b.getI8Type()),
                                ArrayRef<int8_t>(shapes)));
  vector::StoreOp::create(b, bytes, configuration, index(0));
  call("llvm.x86.ldtilecfg", getPointer(configuration, index(0)));
}

void TileKernel::emitEnd() { call("llvm.x86.tilerelease", {}); }

void TileKernel::forBlocks(function_ref<void(Value, ArrayRef<int64_t>)> body) {
  SmallVector<int64_t> counts(groupVectors, tileLanes);
  if (int64_t rest = shape.outGroup % tileLanes)
    counts.back() = rest;
  int64_t whole = shape.outGroup / (tileLanes * mostVectors) * mostVectors;
  auto emitBlock = [&](Value first) {
    body(first, ArrayRef<int64_t>(counts).take_front(mostVectors));
  };
  forEach(whole, mostVectors, emitBlock, blocksPerUnit);
  auto emitRest = [&] {
    body(index(whole), ArrayRef<int64_t>(counts).drop_front(whole));
  };
  if (whole != groupVectors)
    forRest(emitRest, blocksPerUnit);
}

void TileKernel::emitImage(Value position, Value resultPosition) {
  forEach(shape.groups, 1, [&](Value g) {
    forBlocks([&](Value first, ArrayRef<int64_t> counts) {
      Value vector = advance(first, g, groupVectors);
      Value constants = advance(index(0), vector, tileLanes);
      SmallVector<Value> bias =
          loadVectors(buffers.bias, constants, counts.size());
      SmallVector<Value> multipliers =
          loadMultipliers(constants, counts.size());
      Value weights = advance(index(0), vector, getWeightsPerVector());
      Value from = advance(position, g, shape.inGroup);
      Value to =
          advance(advance(resultPosition, g, shape.outGroup), first, tileLanes);
      auto emit = [&](Value group, int64_t groups) {
        emitGroups(group, groups, from, to, weights, bias, multipliers, counts);
      };
      forTiles(shape.resultHeight * tiling.perRow, mostGroups, emit,
               tilesPerUnit);
    });
  });
}

void TileKernel::emitGroups(Value first, int64_t groups, Value position,
                            Value resultPosition, Value weights,
                            ArrayRef<Value> bias, ArrayRef<Value> multipliers,
                            ArrayRef<int64_t> counts) {
  ImplicitLocOpBuilder &b = *builder;
  SmallVector<Value> from, to;
  for (int64_t i = 0; i < groups; ++i) {
    Value group = advance(first, i), y = group, x = index(0);
    if (tiling.perRow != 1) {
      Value perRow = index(tiling.perRow);
      y = b.createOrFold<arith::DivUIOp>(group, perRow);
      Value zero = index(0);
      Value column = b.createOrFold<arith::RemUIOp>(group, perRow);
      x = advance(zero, column, tiling.pixels);
      if (shape.resultWidth % tiling.pixels != 0)
        x = arith::MinUIOp::create(b, x,
                                   index(shape.resultWidth - tiling.pixels));
    }
    Value row =
        advance(position, y, shape.strideY * shape.paddedWidth() * shape.in);
    from.push_back(advance(row, x, shape.strideX * shape.in));
    to.push_back(
        advance(advance(resultPosition, y, shape.resultWidth * shape.out), x,
                shape.out));
  }
  int64_t vectors = counts.size();
  for (int64_t i = 0; i < groups; ++i)
    for (int64_t j = 0; j < vectors; ++j)
      call("llvm.x86.tilezero", number(getSums(i, j)));

  int64_t steps = shape.runBytes() / tiling.step;
  int64_t weightsPerStep = vectors * tiling.step * tileLanes;
  forEach(shape.kernelHeight, 1, [&](Value ky) {
    forEach(shape.runs(), 1, [&](Value kx) {
      forEach(steps, 1, [&](Value k) {
        SmallVector<Value> positions;
        for (Value group : from)
          positions.push_back(advance(
              advance(advance(group, ky,
                              shape.dilationY * shape.paddedWidth() * shape.in),
                      kx, shape.dilationX * shape.in),
              k, tiling.step));
        Value step = advance(
            advance(advance(weights, ky, shape.runs() * steps * weightsPerStep),
                    kx, steps * weightsPerStep),
            k, weightsPerStep);
        emitSteps(positions, step, vectors);
      });
    });
  });

  auto getStored = [](int64_t group, int64_t vector) {
    return getSums(group, vector) * tileRows * tileLanes;
  };
  for (int64_t i = 0; i < groups; ++i)
    for (int64_t j = 0; j < vectors; ++j)
      move("llvm.x86.tilestored64", getSums(i, j), stored,
           index(getStored(i, j)), tileLanes * 4);
  forEach(tiling.pixels, 1, [&](Value pixel) {
    for (int64_t i = 0; i < groups; ++i) {
      SmallVector<Value> sums;
      for (int64_t j = 0; j < vectors; ++j)
        sums.push_back(arith::AddIOp::create(
            b,
            load(stored, advance(index(getStored(i, j)), pixel, tileLanes),
                 tileLanes),
            bias[j]));
      finish(sums, multipliers, advance(to[i], pixel, shape.out), counts);
    }
  });
}

void TileKernel::emitSteps(ArrayRef<Value> positions, Value weights,
                           int64_t vectors) {
  for (int64_t j = 0; j < vectors; ++j)
    move("llvm.x86.tileloadd64", getWeights(j), buffers.weight,
         advance(weights, j * tiling.step * tileLanes), tileBytes);
  for (auto [i, position] : llvm::enumerate(positions)) {
    move("llvm.x86.tileloadd64", getPixels(i), image, position,
         shape.strideX * shape.in);
    for (int64_t j = 0; j < vectors; ++j)
      call(
          isSigned ? "llvm.x86.tdpbssd" : "llvm.x86.tdpbusd",
          {number(getSums(i, j)), number(getPixels(i)), number(getWeights(j))});
  }
}

std::unique_ptr<KernelEmitter>
qbackend::codegen::createTileKernel(const KernelTarget &target,
                                    int8::Conv2dOp op) {
  if (op.isDepthwise() || !Tiling(ConvolutionShape(op)).pays())
    return nullptr;
  return std::make_unique<TileKernel>(target, op);
}
