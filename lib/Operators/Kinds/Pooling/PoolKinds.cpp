// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the parameters of pools.

#include "Kinds/Pooling/Pooling.h"

#include "Reading/Expressions/ScalarExpression.h"
#include "qbackend/Dialect/QBackend/QBackend.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::forms;

/// How far the last window reaches beyond the image.
static int64_t getOverhang(const PoolAxis &axis) {
  if (ShapedType::isDynamic(axis.size) || ShapedType::isDynamic(axis.windows))
    return axis.after;
  int64_t read =
      (axis.windows - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1;
  return std::max<int64_t>(read - axis.before - axis.size, 0);
}

static DenseI64ArrayAttr collect(MLIRContext *context, ArrayRef<PoolAxis> axes,
                                 int64_t PoolAxis::*field) {
  SmallVector<int64_t> values;
  for (const PoolAxis &axis : axes)
    values.push_back(axis.*field);
  return DenseI64ArrayAttr::get(context, values);
}

/// [before, after] of each axis.
static DenseI64ArrayAttr getPadding(MLIRContext *context,
                                    ArrayRef<PoolAxis> axes,
                                    ArrayRef<int64_t> after) {
  SmallVector<int64_t> values;
  for (auto [axis, amount] : llvm::zip_equal(axes, after)) {
    values.push_back(axis.before);
    values.push_back(amount);
  }
  return DenseI64ArrayAttr::get(context, values);
}

static SmallVector<int64_t> getOverhangs(ArrayRef<PoolAxis> axes) {
  SmallVector<int64_t> overhangs;
  for (const PoolAxis &axis : axes)
    overhangs.push_back(getOverhang(axis));
  return overhangs;
}

template <typename Kind1d, typename Kind2d, typename Kind3d, typename... Args>
static Attribute getOfRank(MLIRContext *context, size_t rank, Args... args) {
  switch (rank) {
  case 1:
    return Kind1d::get(context, args...);
  case 2:
    return Kind2d::get(context, args...);
  case 3:
    return Kind3d::get(context, args...);
  default:
    return {};
  }
}

Attribute forms::getMaxPool(MLIRContext *context, ArrayRef<PoolAxis> axes) {
  return getOfRank<MaxPool1dAttr, MaxPool2dAttr, MaxPool3dAttr>(
      context, axes.size(), collect(context, axes, &PoolAxis::kernel),
      collect(context, axes, &PoolAxis::stride),
      getPadding(context, axes, getOverhangs(axes)),
      collect(context, axes, &PoolAxis::dilation));
}

Attribute forms::getAdaptiveAveragePool(MLIRContext *context,
                                        ArrayRef<int64_t> sizes) {
  return getOfRank<AdaptiveAvgPool1dAttr, AdaptiveAvgPool2dAttr,
                   AdaptiveAvgPool3dAttr>(
      context, sizes.size(), DenseI64ArrayAttr::get(context, sizes));
}

//===----------------------------------------------------------------------===//
// Average pools
//===----------------------------------------------------------------------===//

bool forms::isCountable(ArrayRef<PoolAxis> axes) {
  int64_t windows = 1;
  for (const PoolAxis &axis : axes) {
    if (ShapedType::isDynamic(axis.size) ||
        ShapedType::isDynamic(axis.windows) || axis.windows < 1 ||
        axis.windows > PositionTable::kMaxSize)
      return false;
    windows *= axis.windows;
    if (windows > PositionTable::kMaxSize)
      return false;
  }
  return true;
}

PositionTable forms::countTaps(ArrayRef<PoolAxis> axes,
                               ArrayRef<int64_t> before,
                               ArrayRef<int64_t> after) {
  PositionTable product(axes.size(), 1);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    PositionTable counts(axes.size(), 0);
    counts.sizes[i] = axis.windows;
    counts.numbers.clear();
    for (int64_t window = 0; window < axis.windows; ++window) {
      int64_t start = window * axis.stride - axis.before;
      int64_t end = std::min(start + axis.kernel, axis.size + after[i]);
      counts.numbers.push_back(
          std::max<int64_t>(end - std::max(start, -before[i]), 0));
    }
    product = PositionTable::combine(product, counts, std::multiplies<>());
  }
  return product;
}

/// True if PyTorch's ceil mode gives as many windows as there are with the same
/// padding on both sides.
static bool isCeilMode(ArrayRef<PoolAxis> axes, ArrayRef<int64_t> after) {
  bool reaches = false;
  for (auto [axis, amount] : llvm::zip_equal(axes, after)) {
    reaches |= getOverhang(axis) > amount;
    int64_t room = axis.size + axis.before + amount - axis.kernel;
    int64_t windows = (room + axis.stride - 1) / axis.stride + 1;
    // A window that would start behind the image is left out.
    if ((windows - 1) * axis.stride >= axis.size + axis.before)
      --windows;
    if (room < 0 || windows != axis.windows)
      return false;
  }
  return reaches;
}

static bool isEqual(const PositionTable &lhs, const PositionTable &rhs) {
  PositionTable difference = PositionTable::combine(
      lhs, rhs, [](double a, double b) { return isClose(a, b) ? 0.0 : 1.0; });
  return llvm::all_of(difference.numbers,
                      [](double number) { return number == 0; });
}

Attribute forms::getAveragePool(MLIRContext *context, ArrayRef<PoolAxis> axes,
                                const PositionTable &divisor) {
  double size = 1;
  bool isGlobal = true;
  SmallVector<int64_t> overhangs = getOverhangs(axes), symmetric, none;
  bool isPadded = false;
  for (auto [axis, overhang] : llvm::zip_equal(axes, overhangs)) {
    if (axis.dilation != 1)
      return {};
    size *= axis.kernel;
    isPadded |= axis.before != 0 || overhang != 0;
    isGlobal &= axis.kernel == axis.size && axis.windows == 1;
    symmetric.push_back(std::min(axis.before, overhang));
    none.push_back(0);
  }
  auto get = [&](ArrayRef<int64_t> after, bool ceilMode, bool countExcludePad,
                 std::optional<int64_t> divisorOverride = std::nullopt) {
    return getOfRank<AvgPool1dAttr, AvgPool2dAttr, AvgPool3dAttr>(
        context, axes.size(), collect(context, axes, &PoolAxis::kernel),
        collect(context, axes, &PoolAxis::stride),
        getPadding(context, axes, after), ceilMode, countExcludePad,
        divisorOverride);
  };
  std::optional<double> number = divisor.getNumber();
  if (number && isClose(*number, size)) {
    if (isGlobal && !isPadded)
      return getAdaptiveAveragePool(context,
                                    SmallVector<int64_t>(axes.size(), 1));
    return get(overhangs, false, false);
  }
  bool countable = isCountable(axes);
  bool ceilMode = countable && isCeilMode(axes, symmetric);
  if (countable && isPadded) {
    if (isEqual(divisor, countTaps(axes, none, none))) {
      // Without padding there is nothing that could be counted.
      bool excludes = llvm::any_of(
          axes, [](const PoolAxis &axis) { return axis.before != 0; });
      return ceilMode ? get(symmetric, true, excludes)
                      : get(overhangs, false, true);
    }
    SmallVector<int64_t> before;
    for (const PoolAxis &axis : axes)
      before.push_back(axis.before);
    if (ceilMode && isEqual(divisor, countTaps(axes, before, symmetric)))
      return get(symmetric, true, false);
  }
  if (!number)
    return {};
  double rounded = std::round(*number);
  if (rounded == 0 || std::fabs(rounded) > 1e9 || !isClose(*number, rounded))
    return {};
  return get(ceilMode ? symmetric : overhangs, ceilMode, false,
             int64_t(rounded));
}
