// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of ONNX that move elements.

#include "ONNX/GraphBuilder.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace qbackend::proof;
using llvm::Error;

/// Where elements only go elsewhere, so do the integers that stand for them.
Error GraphBuilder::move(llvm::function_ref<Value(Value)> make) {
  Known known = getInput(0);
  known.constant = nullptr;
  if (known.integers && known.integers->scales.size() != 1)
    known = Known{getFloat(known), {}, {}, false, nullptr};
  Value &value = known.integers ? known.integers->value : known.value;
  if (!value)
    return failOperand();
  value = make(value);
  if (!value)
    return fail("moves elements in a way that is not followed");
  set(std::move(known));
  return Error::success();
}

Error GraphBuilder::transpose() {
  ArrayRef<int64_t> order = getAttribute("perm").integers;
  return move([&](Value x) -> Value {
    ArrayRef<int64_t> from = getShape(x);
    if (order.size() != from.size() || !isPermutationVector(order))
      return nullptr;
    Operand read{x, SmallVector<AffineExpr>(from.size())};
    SmallVector<int64_t> shape;
    for (auto [d, dim] : llvm::enumerate(order)) {
      shape.push_back(from[dim]);
      read.at[dim] = b.getAffineDimExpr(d);
    }
    return map(shape, getElementTypeOrSelf(x.getType()), {read},
               [](ValueRange v) -> Value { return v[0]; });
  });
}

/// An element of a dimension that is repeated has a place in it behind the
/// number of the repetition.
Error GraphBuilder::tile() {
  const OnnxConstant *repeats = getConstant(1);
  if (!repeats)
    return fail("has a number of repetitions that is no constant");
  std::vector<int64_t> counts = repeats->getIntegers();
  return move([&](Value x) -> Value {
    if (!hasRank(x, counts.size()) || !isPositive(counts))
      return nullptr;
    SmallVector<int64_t> cut, shape;
    SmallVector<ReassociationIndices> groups;
    Operand read{x, {}};
    for (auto [size, times] : llvm::zip_equal(getShape(x), counts)) {
      groups.emplace_back();
      if (times != 1) {
        if (ShapedType::isDynamic(size))
          return nullptr;
        groups.back().push_back(cut.size());
        cut.push_back(times);
      }
      groups.back().push_back(cut.size());
      read.at.push_back(b.getAffineDimExpr(cut.size()));
      cut.push_back(size);
      shape.push_back(ShapedType::isDynamic(size) ? size : size * times);
    }
    Type element = getElementTypeOrSelf(x.getType());
    Value all =
        map(cut, element, {read}, [](ValueRange v) -> Value { return v[0]; });
    return tensor::CollapseShapeOp::create(
        b, RankedTensorType::get(shape, element), all, groups);
  });
}

Error GraphBuilder::reshape() {
  const OnnxConstant *target = getConstant(1);
  if (!target)
    return fail("has a shape that is no constant");
  return move([&](Value x) -> Value {
    ArrayRef<int64_t> from = getShape(x);
    SmallVector<int64_t> shape;
    int64_t known = 1, total = 1, rest = -1;
    bool isDynamic = false;
    for (int64_t size : from) {
      isDynamic |= ShapedType::isDynamic(size);
      total *= ShapedType::isDynamic(size) ? 1 : size;
    }
    for (auto [d, size] : llvm::enumerate(target->getIntegers())) {
      if (size < -1 || (size == 0 && d >= from.size()))
        return nullptr;
      shape.push_back(size == 0 ? from[d] : size);
      if (shape.back() == -1)
        rest = d;
      else if (!ShapedType::isDynamic(shape.back()))
        known *= shape.back();
    }
    if (rest >= 0) {
      bool isTaken = llvm::any_of(shape, ShapedType::isDynamic);
      shape[rest] =
          isDynamic && !isTaken ? ShapedType::kDynamic : total / known;
    }
    // Only the first extent may be unknown.
    if (shape.empty() || from.empty() || known == 0 || total % known != 0 ||
        llvm::any_of(from.drop_front(), ShapedType::isDynamic) ||
        llvm::any_of(ArrayRef(shape).drop_front(), ShapedType::isDynamic))
      return nullptr;
    auto all = [](size_t rank) {
      ReassociationIndices group;
      for (size_t i = 0; i < rank; ++i)
        group.push_back(i);
      return SmallVector<ReassociationIndices, 1>{group};
    };
    Type element = getElementTypeOrSelf(x.getType());
    if (from.size() != 1)
      x = tensor::CollapseShapeOp::create(b, x, all(from.size()));
    if (shape.size() != 1)
      x = tensor::ExpandShapeOp::create(
          b, RankedTensorType::get(shape, element), x, all(shape.size()));
    return x;
  });
}

Error GraphBuilder::slice() {
  const OnnxConstant *lists[4];
  for (unsigned i = 0; i < 4; ++i)
    if (!(lists[i] = getConstant(1 + i)))
      return fail("has a part that is no constant");
  size_t count = lists[0]->getIntegers().size();
  for (const OnnxConstant *list : lists)
    if (list->getIntegers().size() != count)
      return fail("has lists of several sizes");
  return move([&](Value x) -> Value {
    ArrayRef<int64_t> shape = getShape(x);
    SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0)),
        strides(shape.size(), b.getIndexAttr(1)), sizes;
    for (auto [d, size] : llvm::enumerate(shape))
      sizes.push_back(
          ShapedType::isDynamic(size)
              ? OpFoldResult(tensor::DimOp::create(b, x, d).getResult())
              : OpFoldResult(b.getIndexAttr(size)));
    for (auto [start, end, axis, step] :
         llvm::zip_equal(lists[0]->getIntegers(), lists[1]->getIntegers(),
                         lists[2]->getIntegers(), lists[3]->getIntegers())) {
      if (axis < 0 || axis >= int64_t(shape.size()) ||
          ShapedType::isDynamic(shape[axis]) || start < 0 || step < 1)
        return nullptr;
      int64_t last = std::min<int64_t>(end, shape[axis]);
      if (last <= start)
        return nullptr;
      offsets[axis] = b.getIndexAttr(start);
      sizes[axis] = b.getIndexAttr((last - start + step - 1) / step);
      strides[axis] = b.getIndexAttr(step);
    }
    return tensor::ExtractSliceOp::create(b, x, offsets, sizes, strides);
  });
}

/// Along `axis`, of `extent` elements, what `find` says; null if it can't be.
Value GraphBuilder::takeAlong(Value x, int64_t axis, int64_t extent,
                              llvm::function_ref<Value(Value)> find) {
  SmallVector<int64_t> shape(getShape(x));
  unsigned rank = shape.size();
  if (axis < 0 || axis >= rank || ShapedType::isDynamic(shape[axis]) ||
      llvm::any_of(ArrayRef(shape).drop_front(), ShapedType::isDynamic))
    return nullptr;
  shape[axis] = extent;
  SmallVector<Operand> batch;
  if (ShapedType::isDynamic(shape[0])) {
    batch.push_back({x, {b.getAffineDimExpr(0)}});
    batch.back().at.resize(rank, b.getAffineConstantExpr(0));
  }
  return map(shape, getElementTypeOrSelf(x.getType()), batch,
             [&](ValueRange) -> Value {
               SmallVector<Value> at;
               for (unsigned d = 0; d < rank; ++d)
                 at.push_back(linalg::IndexOp::create(b, d));
               at[axis] = find(at[axis]);
               return tensor::ExtractOp::create(b, x, at);
             });
}

Value GraphBuilder::takeAlong(Value x, int64_t axis, ArrayRef<int64_t> places) {
  if (axis < 0 || axis >= int64_t(getShape(x).size()) ||
      llvm::any_of(places, [&](int64_t place) {
        return place < 0 || place >= getShape(x)[axis];
      }))
    return nullptr;
  Value table = arith::ConstantOp::create(
      b, DenseElementsAttr::get(
             RankedTensorType::get({int64_t(places.size())}, b.getI64Type()),
             places));
  return takeAlong(x, axis, places.size(), [&](Value at) -> Value {
    Value place = tensor::ExtractOp::create(b, table, at);
    return arith::IndexCastOp::create(b, b.getIndexType(), place);
  });
}

/// Pixel o is floor(f32(o) / f32(scale)).
Error GraphBuilder::resize() {
  if (getAttribute("mode").text != "nearest")
    return fail("is of floats, in an order that ONNX leaves open");
  const OnnxConstant *scales = getConstant(2);
  if (getAttribute("coordinate_transformation_mode").text != "asymmetric" ||
      getAttribute("nearest_mode").text != "floor" ||
      node->inputs.size() != 3 || !node->inputs[1].empty() || !scales)
    return fail("resizes in a way that is not followed");
  return move([&](Value x) -> Value {
    for (auto [axis, scale] : llvm::enumerate(scales->getFloats())) {
      if (!x || axis >= getShape(x).size())
        return nullptr;
      int64_t size = getShape(x)[axis];
      if (scale == 1)
        continue;
      if (ShapedType::isDynamic(size) || !(scale > 0 && scale < 65536))
        return nullptr;
      SmallVector<int64_t> places;
      int64_t extent = std::floor(static_cast<float>(size) * scale);
      for (int64_t o = 0; o < extent; ++o)
        places.push_back(std::floor(static_cast<float>(o) / scale));
      x = takeAlong(x, axis, places);
    }
    return x;
  });
}

Error GraphBuilder::pad() {
  const OnnxConstant *pads = getConstant(1), *value = getConstant(2);
  if (getAttribute("mode").text == "edge" && pads && node->inputs.size() == 2)
    return move([&](Value x) -> Value {
      std::vector<int64_t> sizes = pads->getIntegers();
      size_t rank = getShape(x).size();
      for (size_t axis = 0; axis < rank && x; ++axis) {
        if (sizes.size() != 2 * rank || sizes[axis] < 0 ||
            sizes[rank + axis] < 0)
          return nullptr;
        int64_t before = sizes[axis], after = sizes[rank + axis],
                size = getShape(x)[axis];
        auto number = [&](int64_t value) -> Value {
          return arith::ConstantIndexOp::create(b, value);
        };
        if (before == 0 && after == 0)
          continue;
        x = takeAlong(x, axis, size + before + after, [&](Value at) -> Value {
          at = arith::SubIOp::create(b, at, number(before));
          at = arith::MaxSIOp::create(b, at, number(0));
          return arith::MinSIOp::create(b, at, number(size - 1));
        });
      }
      return x;
    });
  if (node->attributes.count("mode") && getAttribute("mode").text != "constant")
    return fail("reads elements at a border in a way that is not followed");
  Value x = getFloat(getInput(0));
  if (!pads || !value || value->getFloats().size() != 1 || !x)
    return failOperand();
  SmallVector<int64_t> shape(getShape(x));
  std::vector<int64_t> sizes = pads->getIntegers();
  if (sizes.size() != 2 * shape.size() ||
      llvm::any_of(sizes, [](int64_t size) { return size < 0; }))
    return fail("pads by what is no size");
  SmallVector<OpFoldResult> low, high;
  for (auto [d, size] : llvm::enumerate(shape)) {
    int64_t before = sizes[d], after = sizes[shape.size() + d];
    low.push_back(b.getIndexAttr(before));
    high.push_back(b.getIndexAttr(after));
    if (!ShapedType::isDynamic(size))
      size += before + after;
  }
  Value padding =
      arith::ConstantOp::create(b, b.getF32FloatAttr(value->getFloats()[0]));
  Known known;
  known.value = tensor::PadOp::create(
      b, RankedTensorType::get(shape, b.getF32Type()), x, low, high, padding);
  set(std::move(known));
  return Error::success();
}

Error GraphBuilder::concat() {
  int64_t axis = getAttribute("axis").integer, offset = 0;
  SmallVector<Value> inputs;
  for (unsigned i = 0; i < node->inputs.size(); ++i) {
    inputs.push_back(getFloat(getInput(i)));
    if (!inputs.back() || axis < 0 ||
        axis >= int64_t(getShape(inputs.back()).size()) ||
        !hasRank(inputs.back(), getShape(inputs.front()).size()) ||
        ShapedType::isDynamic(getShape(inputs.back())[axis]))
      return failOperand();
    offset += getShape(inputs.back())[axis];
  }
  if (inputs.empty())
    return failOperand();
  SmallVector<int64_t> shape(getShape(inputs.front()));
  shape[axis] = offset;
  SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0)),
      strides(shape.size(), b.getIndexAttr(1)), sizes;
  SmallVector<Value> unknown;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (ShapedType::isDynamic(size))
      unknown.push_back(tensor::DimOp::create(b, inputs.front(), d));
    sizes.push_back(ShapedType::isDynamic(size)
                        ? OpFoldResult(unknown.back())
                        : OpFoldResult(b.getIndexAttr(size)));
  }
  Known known;
  known.value = tensor::EmptyOp::create(b, ArrayRef<int64_t>(shape),
                                        b.getF32Type(), ValueRange(unknown));
  offset = 0;
  for (Value input : inputs) {
    offsets[axis] = b.getIndexAttr(offset);
    sizes[axis] = b.getIndexAttr(getShape(input)[axis]);
    offset += getShape(input)[axis];
    known.value = tensor::InsertSliceOp::create(b, input, known.value, offsets,
                                                sizes, strides);
  }
  set(std::move(known));
  return Error::success();
}
