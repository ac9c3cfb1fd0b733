// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recognises the pools of TOSA, which slide over NHWC images only: those of one
// dimension stand between two reshapes.

#include "PoolKinds.h"
#include "Tosa/TosaRecognizers.h"

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

namespace {
/// A pool and the values that its operator is between.
struct Pool {
  Operation *op;
  Value input;
  SmallVector<PoolAxis> axes;
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

/// The same over the image that `pool`'s is cut from or padded to.
static Pool withInput(const Pool &pool, Value input,
                      ArrayRef<int64_t> moreBefore,
                      ArrayRef<int64_t> moreAfter) {
  Pool changed = pool;
  changed.input = input;
  auto type = cast<RankedTensorType>(input.getType());
  for (auto [i, axis] : llvm::enumerate(changed.axes)) {
    axis.size = type.getDimSize(1 + i);
    axis.before += moreBefore[i];
    axis.after += moreAfter[i];
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
  return withInput(pool, whole, {0, 0}, {0, 0});
}

/// The image in front of a reshape that gives it a height or width of 1.
static std::optional<Pool> getFlatPool(const Recognition &recognition,
                                       const Pool &pool) {
  auto after = dyn_cast<tosa::ReshapeOp>(recognition.root);
  auto before = pool.input.getDefiningOp<tosa::ReshapeOp>();
  auto inputType = before ? getFloatType(before.getInput1()) : nullptr;
  auto resultType = getFloatType(recognition.result());
  if (!after || !inputType || inputType.getRank() != 3 || !resultType ||
      resultType.getRank() != 3)
    return std::nullopt;
  auto imageType = getFloatType(pool.input);
  auto pooledType = getFloatType(pool.op->getResult(0));
  for (int i : {0, 1}) {
    const PoolAxis &flat = pool.axes[i];
    // Of other windows over nothing, the padding would be part.
    if (flat.size != 1 || flat.windows != 1 || flat.kernel != 1 ||
        flat.before != 0 || flat.after != 0)
      continue;
    auto drop = [&](RankedTensorType type) {
      SmallVector<int64_t> shape(type.getShape());
      shape.erase(shape.begin() + 1 + i);
      return shape;
    };
    if (inputType.getShape() != ArrayRef(drop(imageType)) ||
        resultType.getShape() != ArrayRef(drop(pooledType)) ||
        inputType.getNumDynamicDims() > 1)
      continue;
    return Pool{pool.op, before.getInput1(), {pool.axes[1 - i]}};
  }
  return std::nullopt;
}

static void append(const Recognition &recognition, Attribute kind,
                   Value input) {
  if (kind)
    recognition.add(kind, {input});
}

static void recognizeMaxPool(const Recognition &recognition, const Pool &pool) {
  append(recognition, getMaxPool(recognition.context(), pool.axes), pool.input);
}

/// Without sizes, divisors are known only where nothing is padded.
static void recognizeAveragePool(const Recognition &recognition,
                                 const Pool &pool) {
  MLIRContext *context = recognition.context();
  SmallVector<int64_t> none(pool.axes.size(), 0);
  PositionTable divisor(pool.axes.size(), 1);
  if (isCountable(pool.axes)) {
    divisor = countTaps(pool.axes, none, none);
  } else {
    for (const PoolAxis &axis : pool.axes) {
      if (axis.before != 0 || axis.after != 0)
        return;
      divisor.numbers.front() *= axis.kernel;
    }
  }
  // Zeros in front count, unlike the op's own padding.
  auto pad = pool.axes.size() == 2 ? matchZeroPad(recognition, pool.input)
                                   : std::nullopt;
  if (pad) {
    ArrayRef<int64_t> amounts = pad->amounts;
    Pool padded = withInput(pool, pad->input, {amounts[0], amounts[2]},
                            {amounts[1], amounts[3]});
    append(recognition, getAveragePool(context, padded.axes, divisor),
           padded.input);
  }
  append(recognition, getAveragePool(context, pool.axes, divisor), pool.input);
}

void forms::recognizeTosaPooling(const Recognition &recognition) {
  Operation *op = recognition.root;
  if (auto reshape = dyn_cast<tosa::ReshapeOp>(op))
    op = reshape.getInput1().getDefiningOp();
  std::optional<Pool> pool;
  bool isMax = false;
  if (auto max = dyn_cast_or_null<tosa::MaxPool2dOp>(op)) {
    isMax = true;
    pool = readPool(max, max.getKernel(), max.getStride(), max.getPad());
  } else if (auto average = dyn_cast_or_null<tosa::AvgPool2dOp>(op)) {
    if (recognition.isSplat(average.getInputZp(), 0) &&
        recognition.isSplat(average.getOutputZp(), 0))
      pool = readPool(average, average.getKernel(), average.getStride(),
                      average.getPad());
  }
  if (!pool)
    return;
  auto recognize = [&](const Pool &pool) {
    if (isMax)
      recognizeMaxPool(recognition, pool);
    else
      recognizeAveragePool(recognition, pool);
  };
  if (op != recognition.root) {
    if (auto flat = getFlatPool(recognition, *pool))
      recognize(*flat);
    return;
  }
  if (auto whole = getWholePool(*pool))
    recognize(*whole);
  recognize(*pool);
}
