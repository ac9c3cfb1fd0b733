// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises the pools of TOSA, which slide over NHWC images only: those of one
// dimension stand between two reshapes.

#include "Kinds/Pooling/Pooling.h"
#include "Reading/TosaOperands.h"
#include "Reading/Windows.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

#include <cfloat>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

namespace {
/// A pool and what it reads; transpositions to and from channels last are empty
/// if there are none.
struct Pool {
  Operation *op;
  Value input;
  SmallVector<PoolAxis> axes;
  SmallVector<int64_t> permutation = {}, outputPermutation = {};
};
} // namespace

static std::optional<Pool> readPool(Operation *op, ArrayRef<int64_t> kernel,
                                    ArrayRef<int64_t> stride,
                                    ArrayRef<int64_t> pad) {
  auto type = getFloatType(op->getOperand(0));
  auto resultType = getFloatType(op->getResult(0));
  if (!type || type.getRank() != 4 || !resultType ||
      resultType.getRank() != 4 || kernel.size() != 2 || stride.size() != 2 ||
      pad.size() != 4)
    return std::nullopt;
  Pool pool{op, op->getOperand(0), {}};
  for (int i : {0, 1}) {
    PoolAxis axis{type.getDimSize(1 + i), resultType.getDimSize(1 + i),
                  kernel[i]};
    axis.stride = stride[i];
    axis.before = pad[2 * i];
    axis.after = pad[2 * i + 1];
    pool.axes.push_back(axis);
  }
  return pool;
}

/// The same over the image that `pool`'s is cut from or padded to, the
/// dimensions of which are where `permutation` says.
static Pool withInput(const Pool &pool, Value input,
                      ArrayRef<int64_t> permutation, ArrayRef<int64_t> more) {
  Pool changed = pool;
  changed.input = input;
  changed.permutation.assign(permutation.begin(), permutation.end());
  auto type = cast<RankedTensorType>(input.getType());
  for (auto [i, axis] : llvm::enumerate(changed.axes)) {
    axis.size = type.getDimSize(permutation[1 + i]);
    axis.before += more[2 * i];
    axis.after += more[2 * i + 1];
  }
  return changed;
}

/// The whole image if `pool` reads all but the end of it, that no window would
/// use.
static std::optional<Pool> getWholePool(const Pool &pool) {
  SmallVector<int64_t> strides, padding;
  for (const PoolAxis &axis : pool.axes) {
    strides.push_back(axis.stride);
    padding.push_back(axis.before);
    padding.push_back(axis.after);
  }
  Value whole = skipTrim(pool.input, strides, padding);
  if (whole == pool.input)
    return std::nullopt;
  return withInput(pool, whole, {0, 1, 2, 3}, {0, 0, 0, 0});
}

SmallVector<int64_t> forms::dropDim(ArrayRef<int64_t> shape, int64_t dim) {
  SmallVector<int64_t> dropped(shape);
  dropped.erase(dropped.begin() + dim);
  return dropped;
}

/// The value that `value` is a transposition of, and where its dimensions are.
static Value skipTranspose(Value value, SmallVectorImpl<int64_t> &permutation) {
  permutation.assign({0, 1, 2, 3});
  auto transpose = value.getDefiningOp<tosa::TransposeOp>();
  if (!transpose || transpose.getPerms().size() != 4)
    return value;
  permutation.assign(transpose.getPerms().begin(), transpose.getPerms().end());
  return transpose.getInput1();
}

/// The pool with the padding that is in front of its image, or of
/// transpositions of it: zeros count in an average, and what a maximum never
/// takes is its own padding.
static std::optional<Pool> getPaddedPool(const Recognition &recognition,
                                         const Pool &pool, bool isAverage) {
  Value value = pool.input;
  SmallVector<int64_t> permutation = {0, 1, 2, 3};
  while (true) {
    SmallVector<int64_t> step;
    Value source = skipTranspose(value, step);
    if (source == value)
      break;
    for (int64_t &dim : permutation)
      dim = step[dim];
    value = source;
  }
  PaddedValue padded =
      skipPadding(value, {unsigned(permutation[1]), unsigned(permutation[2])},
                  recognition.constants());
  if (!padded.number || !getFloatType(padded.value))
    return std::nullopt;
  bool isPart =
      *padded.number == 0
          ? isAverage || isNonNegative(padded.value, recognition.expressions)
          : !isAverage && *padded.number <= -FLT_MAX;
  if (!isPart)
    return std::nullopt;
  return withInput(pool, padded.value, permutation, padded.padding);
}

/// The pool over one dimension of what a reshape in front gives a height or
/// width of 1, which a reshape behind takes away.
static std::optional<Pool> getFlatPool(const Recognition &recognition,
                                       const Pool &pool) {
  SmallVector<int64_t> from, to;
  auto after = cast<tosa::ReshapeOp>(recognition.root);
  Value image = skipTranspose(pool.input, from);
  if (!pool.permutation.empty())
    from = llvm::map_to_vector(pool.permutation,
                               [&](int64_t dim) { return from[dim]; });
  auto before = image.getDefiningOp<tosa::ReshapeOp>();
  auto type = before ? getFloatType(before.getInput1()) : nullptr;
  auto resultType = getFloatType(after.getOutput());
  auto imageType = getFloatType(image);
  auto pooledType = getFloatType(after.getInput1());
  skipTranspose(after.getInput1(), to);
  if (!type || type.getRank() != 3 || type.getNumDynamicDims() > 1 ||
      !resultType || resultType.getRank() != 3 || !imageType || !pooledType)
    return std::nullopt;
  // Of each dimension of channels last, where it is in the results.
  SmallVector<int64_t> back = invertPermutationVector(to);
  for (int i : {0, 1}) {
    const PoolAxis &flat = pool.axes[i];
    // Windows that see padding there are not those of one dimension.
    if (flat.size != 1 || flat.windows != 1 || flat.kernel != 1 ||
        flat.before != 0)
      continue;
    int64_t dim = from[1 + i], resultDim = back[1 + i];
    if (type.getShape() != ArrayRef(dropDim(imageType.getShape(), dim)) ||
        resultType.getShape() !=
            ArrayRef(dropDim(pooledType.getShape(), resultDim)))
      continue;
    Pool found{pool.op, before.getInput1(), {pool.axes[1 - i]}};
    for (int64_t kept : {0, 2 - i, 3}) {
      found.permutation.push_back(from[kept] - (from[kept] > dim));
      found.outputPermutation.push_back(back[kept] - (back[kept] > resultDim));
    }
    return found;
  }
  return std::nullopt;
}

static void append(const Recognition &recognition, Attribute kind,
                   const Pool &pool) {
  if (!kind)
    return;
  RecognizedOperator op;
  op.kind = kind;
  op.result = recognition.result();
  op.inputs = {RecognizedOperand::of(pool.input)};
  if (!llvm::is_sorted(pool.permutation))
    op.inputs[0].permutation = pool.permutation;
  if (!llvm::is_sorted(pool.outputPermutation))
    op.outputPermutation = pool.outputPermutation;
  recognition.found.push_back(std::move(op));
}

/// What `pool`, which doesn't count its own padding, divides by; nullopt if
/// that isn't known for lack of sizes.
static std::optional<PositionTable> getDivisor(const Pool &pool) {
  SmallVector<int64_t> none(pool.axes.size(), 0);
  if (isCountable(pool.axes))
    return countTaps(pool.axes, none, none);
  PositionTable divisor(pool.axes.size(), 1);
  for (const PoolAxis &axis : pool.axes) {
    if (axis.before != 0 || axis.after != 0)
      return std::nullopt;
    divisor.numbers.front() *= axis.kernel;
  }
  return divisor;
}

void forms::recognizeTosaPooling(const Recognition &recognition) {
  Operation *op = recognition.root;
  auto reshape = dyn_cast<tosa::ReshapeOp>(op);
  if (reshape) {
    SmallVector<int64_t> permutation;
    op = skipTranspose(reshape.getInput1(), permutation).getDefiningOp();
  }
  std::optional<Pool> pool;
  std::optional<PositionTable> divisor;
  if (auto max = dyn_cast_or_null<tosa::MaxPool2dOp>(op)) {
    pool = readPool(max, max.getKernel(), max.getStride(), max.getPad());
  } else if (auto average = dyn_cast_or_null<tosa::AvgPool2dOp>(op)) {
    if (recognition.isSplat(average.getInputZp(), 0) &&
        recognition.isSplat(average.getOutputZp(), 0))
      pool = readPool(average, average.getKernel(), average.getStride(),
                      average.getPad());
    if (pool)
      divisor = getDivisor(*pool);
    if (!divisor)
      return;
  }
  if (!pool)
    return;
  // From those that take in most.
  SmallVector<Pool> pools;
  if (auto whole = getWholePool(*pool))
    pools.push_back(*whole);
  pools.push_back(*pool);
  for (const Pool &each : pools)
    if (auto padded =
            getPaddedPool(recognition, each, /*isAverage=*/bool(divisor))) {
      pools.insert(pools.begin(), *padded);
      break;
    }
  for (Pool &candidate : pools) {
    std::optional<PositionTable> divisors = divisor;
    if (reshape) {
      auto flat = getFlatPool(recognition, candidate);
      if (!flat)
        continue;
      // One of the two dimensions has one window.
      unsigned axis =
          flat->axes[0].windows == candidate.axes[0].windows ? 0 : 1;
      if (divisor)
        divisors = divisor->project({axis});
      candidate = *flat;
    }
    Attribute kind =
        !divisor ? getMaxPool(recognition.context(), candidate.axes)
        : divisors
            ? getAveragePool(recognition.context(), candidate.axes, *divisors)
            : Attribute();
    append(recognition, kind, candidate);
  }
}
