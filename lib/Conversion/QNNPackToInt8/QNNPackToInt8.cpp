// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass convert-qnnpack-to-int8: an op with a weight and what follows it
// become one kernel.
//
//   sum (x - zx) * (w - zw) + b  =  sum x * w' + (b - zx * sum w'),
//   w' = w - zw, with zx for the taps in the padding.

#include "qbackend/Conversion/QNNPackToInt8.h"

#include "qbackend/Dialect/Int8/Int8.h"
#include "qbackend/Dialect/QNNPack/Parameters.h"
#include "qbackend/Dialect/QNNPack/QNNPack.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace qbackend {
#define GEN_PASS_DEF_CONVERTQNNPACKTOINT8PASS
#include "qbackend/Conversion/Passes.h.inc"
} // namespace qbackend

using namespace mlir;
using namespace qbackend;
using namespace qbackend::qnnpack;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

namespace {
/// The elements of a constant, in place where that is possible.
template <typename T> class Elements {
public:
  /// Of a constant, maybe behind a storage cast. False if it is none.
  bool read(Value value) {
    if (auto cast = value.getDefiningOp<quant::StorageCastOp>())
      value = cast.getInput();
    if (!matchPattern(value, m_Constant(&attribute)))
      return false;
    if (auto dense = dyn_cast<DenseElementsAttr>(attribute)) {
      if (dense.isSplat())
        owned.assign(dense.getNumElements(), dense.getSplatValue<T>());
      else
        bytes = dense.getRawData();
    } else if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
      if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
        bytes = blob->getData();
    }
    return get().size() == static_cast<size_t>(attribute.getNumElements());
  }

  ArrayRef<T> get() const {
    if (!owned.empty())
      return owned;
    return {reinterpret_cast<const T *>(bytes.data()),
            bytes.size() / sizeof(T)};
  }

  /// The same elements in another shape.
  ElementsAttr reshape(ArrayRef<int64_t> shape) const {
    auto type = RankedTensorType::get(shape, attribute.getElementType());
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute))
      return DenseResourceElementsAttr::get(type, resource.getRawHandle());
    return cast<DenseElementsAttr>(attribute).reshape(type);
  }

private:
  ElementsAttr attribute;
  ArrayRef<char> bytes;
  SmallVector<T> owned;
};
} // namespace

//===----------------------------------------------------------------------===//
// What follows
//===----------------------------------------------------------------------===//

namespace {
struct ByteRange {
  int64_t lo, hi;

  void intersect(ByteRange other) {
    lo = std::clamp(lo, other.lo, other.hi);
    hi = std::clamp(hi, other.lo, other.hi);
  }
};

/// An op with a weight and the ops that its kernel does as well.
struct Kernel {
  Operation *last; // whose result the kernel has
  int64_t zeroPoint;
  ByteRange range;
  int64_t overflow;
  Value residual; // null: there is no addition
  int8::AddAttr add;
};
} // namespace

static ByteRange getRange(quant::UniformQuantizedType type, bool relu) {
  return {relu ? type.getZeroPoint() : type.getStorageTypeMin(),
          type.getStorageTypeMax()};
}

/// The only user of the result of `op`; null if there are more, or none, or
/// if it is in another block.
static Operation *getOnlyUser(Operation *op) {
  Value result = op->getResult(0);
  if (!result.hasOneUse())
    return nullptr;
  Operation *user = *result.user_begin();
  return user->getBlock() == op->getBlock() ? user : nullptr;
}

/// The range that `op` clamps to, if that is all it does.
static std::optional<ByteRange> getClamp(Operation *op) {
  auto type = op->getNumResults() == 1
                  ? getQuantizedType(op->getResult(0).getType())
                  : quant::UniformQuantizedType();
  if (isa<ReluOp>(op))
    return getRange(type, /*relu=*/true);
  if (auto clamp = dyn_cast<ClampOp>(op))
    return ByteRange{quantizeNumber(clamp.getMin().convertToFloat(), type),
                     quantizeNumber(clamp.getMax().convertToFloat(), type)};
  return std::nullopt;
}

/// Moves `last` over the clamps behind it.
static void takeClamps(Operation *&last, ByteRange &range) {
  while (Operation *user = getOnlyUser(last)) {
    std::optional<ByteRange> clamp = getClamp(user);
    if (!clamp)
      return;
    range.intersect(*clamp);
    last = user;
  }
}

static Kernel getKernel(Operation *op, double largestMultiplier, bool relu,
                        bool mathematical) {
  auto type = getQuantizedType(op->getResult(0).getType());
  Kernel kernel;
  kernel.last = op;
  kernel.zeroPoint = type.getZeroPoint();
  kernel.range = getRange(type, relu);
  // Of the x86 conversion: QNNPACK's products that don't fit are the lowest.
  bool toLowest =
      !type.isSigned() && !mathematical && largestMultiplier * 0x1p31 >= 0x1p31;
  takeClamps(kernel.last, kernel.range);
  kernel.overflow = toLowest ? kernel.range.lo : kernel.range.hi;

  auto add = dyn_cast_or_null<AddOp>(getOnlyUser(kernel.last));
  if (!add || add.addsRealNumbers() ||
      add.getLhs().getType().getShape() != add.getRhs().getType().getShape())
    return kernel;
  auto a = getQuantizedType(add.getLhs().getType()),
       c = getQuantizedType(add.getRhs().getType()),
       y = getQuantizedType(add.getOutput().getType());
  numerics::AddMultipliers m =
      getAddMultipliers(add.getLhs().getType(), add.getRhs().getType(),
                        add.getOutput().getType());
  if (!int8::AddAttr::fits(m.a, m.b, m.shift))
    return kernel;
  int32_t offset =
      static_cast<int32_t>(a.getZeroPoint() * m.a + c.getZeroPoint() * m.b);
  bool isLhs = add.getLhs() == kernel.last->getResult(0);
  kernel.residual = isLhs ? add.getRhs() : add.getLhs();
  if (!isLhs)
    std::swap(m.a, m.b);
  kernel.last = add;
  ByteRange range = getRange(y, add.getRelu());
  takeClamps(kernel.last, range);
  kernel.add = int8::AddAttr::get(op->getContext(), m.a, m.b, offset, m.shift,
                                  /*half_up=*/y.isSigned(), y.getZeroPoint(),
                                  range.lo, range.hi);
  return kernel;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// A layer as a 2-d convolution: the shapes of its operands.
struct Layer {
  SmallVector<int64_t> input, weight, output;
  SmallVector<int64_t> stride = {1, 1}, padding = {0, 0, 0, 0},
                       dilation = {1, 1};
  int64_t groups = 1;
  bool relu, mathematical;
};
} // namespace

/// [..., channels] as an image of one row; a batch is part of it if its size is
/// known.
static SmallVector<int64_t> getRow(ShapedType type) {
  ArrayRef<int64_t> shape = type.getShape();
  int64_t batch = 1;
  if (shape.size() > 1 && type.isDynamicDim(0)) {
    batch = ShapedType::kDynamic;
    shape = shape.drop_front();
  }
  return {batch, 1, ShapedType::getNumElements(shape.drop_back()),
          shape.back()};
}

static Layer getLayer(LinearOp op) {
  ShapedType weight = op.getWeight().getType();
  Layer layer;
  layer.input = getRow(op.getInput().getType());
  layer.output = getRow(op.getOutput().getType());
  layer.weight = {weight.getDimSize(0), 1, 1, weight.getDimSize(1)};
  layer.relu = op.getRelu();
  layer.mathematical = op.getMathematical();
  return layer;
}

/// Dimensions of size 1 come before the pixels of a line.
template <typename OpT> static Layer getLayer(OpT op) {
  auto extend = [](ShapedType type) {
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin() + 1, 4 - shape.size(), 1);
    return shape;
  };
  auto prepend = [](ArrayRef<int64_t> values, size_t size, int64_t value) {
    SmallVector<int64_t> result(size - values.size(), value);
    llvm::append_range(result, values);
    return result;
  };
  Layer layer;
  layer.input = extend(op.getInput().getType());
  layer.weight = extend(op.getWeight().getType());
  layer.output = extend(op.getOutput().getType());
  layer.stride = prepend(op.getStride(), 2, 1);
  layer.dilation = prepend(op.getDilation(), 2, 1);
  layer.padding = prepend(op.getPadding(), 4, 0);
  layer.groups = op.getGroups();
  layer.relu = op.getRelu();
  layer.mathematical = op.getMathematical();
  return layer;
}

/// `value` in another shape, whose last dimension is the same.
static Value reshape(ImplicitLocOpBuilder &b, Value value,
                     ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  RankedTensorType wanted = type.clone(shape);
  std::optional<SmallVector<ReassociationIndices>> groups =
      getReassociationIndicesForReshape(type, wanted);
  if (!groups) {
    int64_t channels = shape.back();
    SmallVector<int64_t> rows = {type.getNumElements() / channels, channels};
    return reshape(b, reshape(b, value, rows), shape);
  }
  if (type.getRank() > wanted.getRank())
    return tensor::CollapseShapeOp::create(b, wanted, value, *groups);
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : shape)
    sizes.push_back(b.getIndexAttr(size));
  if (wanted.isDynamicDim(0))
    sizes[0] = tensor::DimOp::create(b, value, 0).getResult();
  return tensor::ExpandShapeOp::create(b, wanted, value, *groups, sizes);
}

/// `value`, of a quantized type, as bytes of `shape`.
static Value toBytes(ImplicitLocOpBuilder &b, Value value,
                     ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType()).clone(b.getI8Type());
  return reshape(b, b.createOrFold<quant::StorageCastOp>(type, value), shape);
}

/// Which numbers of groups have a kernel: those whose outputs fill vectors.
static bool hasKernel(const Layer &layer) {
  int64_t in = layer.input[3], out = layer.output[3], groups = layer.groups;
  return groups == 1 || (groups == in && groups == out) ||
         (in / groups >= 4 && out / groups >= 8);
}

/// Whether all but the batch is static, and nothing is empty.
static bool hasKnownShape(ShapedType type) {
  ArrayRef<int64_t> shape = type.getShape();
  if (shape.size() > 1 && type.isDynamicDim(0))
    shape = shape.drop_front();
  return !ShapedType::isDynamicShape(shape) && !llvm::is_contained(shape, 0);
}

template <typename OpT> static void convert(OpT op) {
  if (!hasKnownShape(op.getInput().getType()) ||
      !hasKnownShape(op.getOutput().getType()))
    return;
  // Rows of rows are merged, which takes a static batch.
  if (std::is_same_v<OpT, LinearOp> &&
      !op.getInput().getType().hasStaticShape() &&
      op.getInput().getType().getRank() > 3)
    return;
  ShapedType weightType = op.getWeight().getType();
  auto inputType = getQuantizedType(op.getInput().getType());
  if (!weightType.hasStaticShape() || weightType.getNumElements() == 0)
    return;
  Layer layer = getLayer(op);
  Elements<int8_t> weight;
  Elements<int32_t> bias;
  if (!hasKernel(layer) || !weight.read(op.getWeight()) ||
      (op.getBias() && !bias.read(op.getBias())))
    return;

  // w' in bytes, and the bias.
  int64_t out = layer.output[3], perOutput = weight.get().size() / out;
  SmallVector<int64_t> zeroPoints = getWeightZeroPoints(weightType);
  zeroPoints.resize(out, zeroPoints.front());
  bool isShifted = llvm::any_of(zeroPoints, [](int64_t z) { return z != 0; });
  SmallVector<int8_t> shifted;
  SmallVector<int32_t> sums;
  for (int64_t o = 0; o < out; ++o) {
    uint32_t sum = 0;
    for (int8_t element : weight.get().slice(o * perOutput, perOutput)) {
      int64_t value = element - zeroPoints[o];
      if (value < INT8_MIN || value > INT8_MAX)
        return;
      sum += static_cast<uint32_t>(value);
      if (isShifted)
        shifted.push_back(value);
    }
    uint32_t total = op.getBias() ? bias.get()[o] : 0;
    total -= static_cast<uint32_t>(inputType.getZeroPoint()) * sum;
    sums.push_back(static_cast<int32_t>(total));
  }
  SmallVector<float> multipliers = getRequantizationMultipliers(
      op.getInput().getType(), weightType, op.getOutput().getType());
  multipliers.resize(out, multipliers.front());

  Kernel kernel = getKernel(op, *llvm::max_element(multipliers), layer.relu,
                            layer.mathematical);
  ImplicitLocOpBuilder b(op.getLoc(), kernel.last);
  Type i8 = b.getI8Type();
  ElementsAttr weightAttr = isShifted
                                ? cast<ElementsAttr>(DenseElementsAttr::get(
                                      RankedTensorType::get(layer.weight, i8),
                                      ArrayRef<int8_t>(shifted)))
                                : weight.reshape(layer.weight);
  auto constant = [&](ElementsAttr elements) -> Value {
    return arith::ConstantOp::create(b, cast<TypedAttr>(elements));
  };
  Value input = toBytes(b, op.getInput(), layer.input);
  Value residual =
      kernel.residual ? toBytes(b, kernel.residual, layer.output) : Value();
  auto resultType = RankedTensorType::get(layer.output, i8);
  SmallVector<Value> batch;
  if (resultType.isDynamicDim(0))
    batch.push_back(tensor::DimOp::create(b, input, 0));
  Value init = tensor::EmptyOp::create(b, resultType, batch);
  bool isSigned = inputType.isSigned();
  auto requantize = int8::RequantizeAttr::get(b.getContext(), kernel.zeroPoint,
                                              kernel.range.lo, kernel.range.hi,
                                              kernel.overflow);
  Value result = int8::Conv2dOp::create(
                     b, resultType, input, constant(weightAttr),
                     constant(b.getI32TensorAttr(sums)),
                     constant(DenseElementsAttr::get(
                         RankedTensorType::get({out}, b.getF32Type()),
                         ArrayRef<float>(multipliers))),
                     residual, init, layer.stride, layer.padding,
                     layer.dilation, layer.groups, inputType.getZeroPoint(),
                     isSigned, requantize, kernel.add)
                     .getOutput();
  auto type = cast<RankedTensorType>(kernel.last->getResult(0).getType());
  kernel.last->getResult(0).replaceAllUsesWith(quant::StorageCastOp::create(
      b, type, reshape(b, result, type.getShape())));
}

namespace {
struct ConvertQNNPackToInt8
    : qbackend::impl::ConvertQNNPackToInt8PassBase<ConvertQNNPackToInt8> {
  using ConvertQNNPackToInt8PassBase::ConvertQNNPackToInt8PassBase;

  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      llvm::TypeSwitch<Operation *>(op).Case<Conv1dOp, Conv2dOp, LinearOp>(
          [](auto layer) {
            // What another kernel has taken is not used any more.
            if (!layer->use_empty())
              convert(layer);
          });
    });
    getOperation().walk([](Block *block) {
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
        if (isa_and_nonnull<QNNPackDialect, quant::QuantDialect,
                            arith::ArithDialect>(op.getDialect()) &&
            isOpTriviallyDead(&op))
          op.erase();
    });
  }
};
} // namespace
