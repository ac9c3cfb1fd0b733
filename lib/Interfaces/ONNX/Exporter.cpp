// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of a function as tensors of an ONNX graph: layouts, constants,
// and what is around each quantized value.

#include "Exporter.h"

#include "qbackend/Dialect/QBackend/Elements.h"
#include "qbackend/Numerics/Quantize.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::onnx;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

SmallVector<int64_t> onnx::getPermutation(Layout layout, int64_t rank) {
  auto result = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (layout == Layout::ChannelsFirst && rank > 2)
    std::rotate(result.begin() + 1, result.end() - 1, result.end());
  return result;
}

int64_t onnx::getAxis(int64_t axis, Layout layout, int64_t rank) {
  SmallVector<int64_t> permutation = getPermutation(layout, rank);
  return llvm::find(permutation, axis) - permutation.begin();
}

SmallVector<int64_t> onnx::permute(ArrayRef<int64_t> values, Layout layout) {
  return llvm::map_to_vector(getPermutation(layout, values.size()),
                             [&](int64_t axis) { return values[axis]; });
}

static int64_t getRank(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

/// `layout`, of which there is one for tensors of less than three dimensions.
static Layout normalize(Layout layout, Value value) {
  return getRank(value) > 2 ? layout : Layout::AsIs;
}

Layout Exporter::getLayout(Value value) {
  auto it = places.find(value);
  return it == places.end() ? Layout::AsIs : it->second.first;
}

Layout Exporter::getLayout(ValueRange values) {
  for (Value value : values)
    if (getLayout(value) == Layout::ChannelsFirst)
      return Layout::ChannelsFirst;
  return Layout::AsIs;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static quant::QuantizedType getQuantized(Value value) {
  return dyn_cast<quant::QuantizedType>(getElementTypeOrSelf(value.getType()));
}

/// The dimension of the channels of `type`, or 0.
static int64_t getChannelAxis(Type type) {
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(type);
  return perAxis ? perAxis.getQuantizedDimension() : 0;
}

/// The constant op behind `value`, whose integers may be named quantized; its
/// elements, which can have no data.
static ElementsAttr findConstantOp(Value value) {
  if (auto scast = value.getDefiningOp<quant::StorageCastOp>())
    value = scast.getInput();
  ElementsAttr elements;
  matchPattern(value, m_Constant(&elements));
  return elements;
}

Tensor Exporter::get(Value value, Layout layout) {
  layout = normalize(layout, value);
  Places &known = places[value];
  Tensor &place = layout == Layout::AsIs ? known.asIs : known.channelsFirst;
  if (place)
    return place;
  Tensor other = layout == Layout::AsIs ? known.channelsFirst : known.asIs;
  int64_t rank = getRank(value);
  if (!other) {
    if (auto op = value.getDefiningOp<DequantizeOp>())
      return getFloat(op.getInput(), layout);
    SmallVector<int64_t> permutation = getPermutation(layout, rank);
    ElementsAttr elements = findConstantOp(value);
    if (!elements)
      elements = getConstant(value, current);
    if (!elements)
      return {};
    SmallVector<int64_t> shape(elements.getShapedType().getShape());
    Tensor result = addElements(elements, value,
                                {shape, permutation, permute(shape, layout)});
    set(value, layout, result);
    return result;
  }
  // What is known is in a map that grows.
  SmallVector<int64_t> permutation = getPermutation(layout, rank);
  Layout from = Layout::ChannelsFirst;
  if (layout == Layout::ChannelsFirst)
    from = Layout::AsIs;
  else
    permutation = invertPermutationVector(getPermutation(from, rank));
  Tensor result;
  if (quant::QuantizedType type = getQuantized(value)) {
    Tensor asFloat = getFloat(value, from);
    if (!asFloat)
      return {};
    FailureOr<Tensor> integers =
        quantize(transpose(asFloat, permutation), type,
                 getAxis(getChannelAxis(type), layout, rank));
    if (failed(integers))
      return {};
    result = *integers;
  } else {
    result = transpose(other, permutation);
  }
  set(value, layout, result);
  return result;
}

Tensor Exporter::getFloat(Value value, Layout layout) {
  Tensor integers = get(value, layout);
  quant::QuantizedType type = getQuantized(value);
  if (!integers || !type)
    return integers;
  FailureOr<Tensor> asFloat = dequantize(
      integers, type,
      getAxis(getChannelAxis(type), normalize(layout, value), getRank(value)));
  return failed(asFloat) ? Tensor() : *asFloat;
}

void Exporter::set(Value value, Layout layout, Tensor tensor) {
  layout = normalize(layout, value);
  Places &known = places[value];
  if (!known.asIs && !known.channelsFirst)
    known.first = layout;
  (layout == Layout::AsIs ? known.asIs : known.channelsFirst) = tensor;
}

LogicalResult Exporter::setFloat(Value value, Layout layout, Tensor asFloat,
                                 bool relu, quant::QuantizedType written) {
  quant::QuantizedType type = getQuantized(value);
  if (!type) {
    set(value, layout, relu ? add("Relu", asFloat) : asFloat);
    return success();
  }
  int64_t axis =
      getAxis(getChannelAxis(type), normalize(layout, value), getRank(value));
  // A relu in front of integers that can't be below the zero point is part of
  // the op in ONNX Runtime; any other one would keep the op float.
  auto uniform = dyn_cast<quant::UniformQuantizedType>(type);
  bool isFree =
      uniform && uniform.getZeroPoint() == uniform.getStorageTypeMin();
  if (!written)
    written = type;
  if (relu && !isFree) {
    FailureOr<Tensor> integers = quantize(asFloat, written, axis, type);
    FailureOr<Tensor> again =
        failed(integers) ? integers : dequantize(*integers, type, axis);
    if (failed(again))
      return failure();
    asFloat = *again;
    written = type;
  }
  FailureOr<Tensor> integers =
      quantize(relu ? add("Relu", asFloat) : asFloat, written, axis, type);
  if (failed(integers))
    return failure();
  set(value, layout, *integers);
  return success();
}

FailureOr<ElementType> Exporter::getElementType(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (auto quantized = dyn_cast<quant::QuantizedType>(element)) {
    unsigned width = quantized.getStorageTypeIntegralWidth();
    if (width == 8)
      return quantized.isSigned() ? ElementType::Int8 : ElementType::UInt8;
    if (width == 32 && quantized.isSigned())
      return ElementType::Int32;
  } else if (element.isF32()) {
    return ElementType::Float;
  } else if (element.isF64()) {
    return ElementType::Double;
  } else if (element.isF16()) {
    return ElementType::Float16;
  } else if (element.isInteger(8)) {
    return element.isUnsignedInteger() ? ElementType::UInt8 : ElementType::Int8;
  } else if (element.isInteger(32) && !element.isUnsignedInteger()) {
    return ElementType::Int32;
  } else if (element.isInteger(64) && !element.isUnsignedInteger()) {
    return ElementType::Int64;
  }
  return emitError(current ? current->getLoc() : function.getLoc())
         << "tensors of " << element
         << " have no ONNX type here, expected f16, f32, f64, i8, i32, i64 or "
            "8-bit quantized ones";
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

DenseElementsAttr Exporter::getConstant(Value value, Operation *op) {
  if (DenseElementsAttr elements = constants.evaluate(value))
    return elements;
  op->emitError() << "an operand of " << op->getName()
                  << " is no constant whose data is there, as ONNX needs it";
  return {};
}

/// The bytes of `elements` where they are; a splat has those of one element.
static std::optional<ArrayRef<char>> getBytes(ElementsAttr elements) {
  if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(elements))
    return dense.getRawData();
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  if (AsmResourceBlob *blob =
          resource ? resource.getRawHandle().getBlob() : nullptr)
    return blob->getData();
  return std::nullopt;
}

/// Copies `source`, of `shape`, to `target` with dimension `i` being dimension
/// `permutation[i]`.
static void copyPermuted(ArrayRef<char> source, ArrayRef<int64_t> shape,
                         ArrayRef<int64_t> permutation, size_t width,
                         std::vector<char> &target) {
  SmallVector<int64_t> strides(shape.size(), width), index(shape.size(), 0);
  for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  const char *from = source.data();
  for (size_t at = 0; at < target.size(); at += width) {
    std::memcpy(&target[at], from, width);
    for (int64_t i = int64_t(shape.size()) - 1; i >= 0; --i) {
      int64_t dim = permutation[i];
      from += strides[dim];
      if (++index[i] < shape[dim])
        break;
      from -= strides[dim] * shape[dim];
      index[i] = 0;
    }
  }
}

Tensor Exporter::addElements(ElementsAttr elements, Value value,
                             const View &view) {
  // Bytes have the sign of the type that they are cast to.
  FailureOr<ElementType> element = getElementType(value.getType());
  if (failed(element))
    return {};
  for (const Weight &known : weights[elements])
    if (known.type == *element && known.view.shape == view.shape &&
        known.view.permutation == view.permutation)
      return known.tensor;
  ShapedType type = elements.getShapedType();
  std::optional<ArrayRef<char>> bytes = getBytes(elements);
  size_t width = type.getElementTypeBitWidth() / 8,
         count = type.getNumElements();
  bool isSplat = elements.isSplat() && count > 1;
  if (!bytes || !hasWholeData(elements) ||
      bytes->size() != (isSplat ? width : count * width)) {
    current->emitError()
        << "a constant of type " << type
        << " has no data in this file; give the one that it was "
           "printed from without --mlir-elide-*";
    return {};
  }
  // A length of protocol buffers is a signed 32-bit number, and there is one
  // for all of the graph.
  constantBytes += count * width;
  if (constantBytes > kLargestFile) {
    current->emitError() << "with this constant of type " << type
                         << ", those of the ONNX file have " << constantBytes
                         << " bytes, and no reader takes more than "
                         << kLargestFile << "; export the network in parts";
    return {};
  }
  if (isSplat) {
    std::vector<char> all(count * width);
    for (size_t i = 0; i < count; ++i)
      std::memcpy(&all[i * width], bytes->data(), width);
    bytes = model.keep(std::move(all));
  } else if (!llvm::is_sorted(view.permutation)) {
    std::vector<char> permuted(bytes->size());
    if (count)
      copyPermuted(*bytes, view.shape, view.permutation, width, permuted);
    bytes = model.keep(std::move(permuted));
  }
  Tensor result = model.addInitializer(getName() + "/constant", *element,
                                       view.result, *bytes);
  weights[elements].push_back({*element, view, result});
  return result;
}

Tensor Exporter::getIntegers(Value weight, const View &view) {
  ElementsAttr elements = findConstantOp(weight);
  if (!elements && isConstant(weight))
    elements = getConstant(weight, current);
  Tensor tensor;
  if (elements) {
    tensor = addElements(elements, weight, view);
  } else if ((tensor = get(weight, Layout::AsIs))) {
    auto shape = llvm::map_to_vector(
        view.permutation, [&](int64_t dim) { return view.shape[dim]; });
    if (cast<RankedTensorType>(weight.getType()).getShape() !=
        ArrayRef(view.shape))
      tensor = reshape(tensor, view.shape);
    if (!llvm::is_sorted(view.permutation))
      tensor = transpose(tensor, view.permutation);
    if (view.result != shape)
      tensor = reshape(tensor, view.result);
  }
  return tensor;
}

Tensor Exporter::getWeight(Value weight, const View &view, int64_t axis,
                           quant::QuantizedType written) {
  // The reference form has the integers behind a dequantize.
  if (auto op = weight.getDefiningOp<DequantizeOp>())
    weight = op.getInput();
  Tensor tensor = getIntegers(weight, view);
  quant::QuantizedType type = getQuantized(weight);
  if (!tensor || !type)
    return tensor;
  FailureOr<Tensor> asFloat =
      dequantize(tensor, written ? written : type, axis, type);
  return failed(asFloat) ? Tensor() : *asFloat;
}

Tensor Exporter::getBias(Value bias, ArrayRef<float> scales) {
  Tensor integers = get(bias, Layout::AsIs);
  if (!integers || getElementTypeOrSelf(bias.getType()).isF32())
    return integers;
  if (scales.size() == 1)
    return add("DequantizeLinear", {integers, addFloat(scales.front())});
  return add("DequantizeLinear",
             {integers, addFloats(scales, int64_t(scales.size()))},
             NodeAttr("axis", int64_t(0)));
}

/// A key for `pool`.
static std::string describe(ElementType type, ArrayRef<int64_t> shape,
                            ArrayRef<char> bytes) {
  std::string key = llvm::join(
      llvm::map_range(shape, [](int64_t n) { return std::to_string(n); }), "x");
  return std::to_string(static_cast<int>(type)) + ":" + key + ":" +
         std::string(bytes.data(), bytes.size());
}

Tensor Exporter::addFloats(ArrayRef<float> values, ArrayRef<int64_t> shape,
                           StringRef documentation) {
  ArrayRef<char> bytes(reinterpret_cast<const char *>(values.data()),
                       values.size() * sizeof(float));
  Tensor &tensor =
      pool[describe(ElementType::Float, shape, bytes) + documentation.str()];
  if (!tensor)
    tensor = model.addInitializer(
        "numbers", ElementType::Float, shape,
        model.keep(std::vector<char>(bytes.begin(), bytes.end())),
        documentation);
  return tensor;
}

Tensor Exporter::addIntegers(ElementType type, ArrayRef<int64_t> values,
                             ArrayRef<int64_t> shape) {
  size_t width = type == ElementType::Int64   ? 8
                 : type == ElementType::Int32 ? 4
                                              : 1;
  std::vector<char> bytes(values.size() * width);
  for (auto [i, value] : llvm::enumerate(values))
    std::memcpy(&bytes[i * width], &value, width);
  Tensor &tensor = pool[describe(type, shape, bytes)];
  if (!tensor)
    tensor = model.addInitializer("integers", type, shape,
                                  model.keep(std::move(bytes)));
  return tensor;
}

Tensor Exporter::addInts(ArrayRef<int64_t> values) {
  return addIntegers(ElementType::Int64, values, int64_t(values.size()));
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

std::string Exporter::getName() {
  std::string &name = names[current];
  if (!name.empty())
    return name;
  name = getLocationName(current->getLoc());
  if (!name.empty())
    return name;
  std::string kind = current->getName().stripDialect().str();
  if (auto op = dyn_cast<OperatorOp>(current))
    kind = op.getKindName();
  return name = kind + "_" + std::to_string(counts[kind]++);
}

Tensor Exporter::add(StringRef kind, ArrayRef<Tensor> inputs,
                     ArrayRef<NodeAttr> attributes) {
  return model.addNode(kind, inputs, attributes, getName() + "/" + kind.str());
}

Tensor Exporter::addMain(StringRef kind, ArrayRef<Tensor> inputs,
                         ArrayRef<NodeAttr> attributes) {
  return model.addNode(kind, inputs, attributes, getName());
}

SmallVector<Tensor> Exporter::addAll(StringRef kind, ArrayRef<Tensor> inputs,
                                     unsigned numResults) {
  return model.addNodes(kind, inputs, {}, getName() + "/" + kind.str(),
                        numResults);
}

Tensor Exporter::reshape(Tensor input, ArrayRef<int64_t> shape) {
  // One extent may follow from the others.
  SmallVector<int64_t> known(shape);
  for (int64_t &extent : known)
    if (ShapedType::isDynamic(extent))
      extent = -1;
  return add("Reshape", {input, addInts(known)});
}

Tensor Exporter::transpose(Tensor input, ArrayRef<int64_t> permutation) {
  return add("Transpose", input, NodeAttr("perm", permutation));
}

static SmallVector<float> getScales(quant::QuantizedType type) {
  if (auto uniform = dyn_cast<quant::UniformQuantizedType>(type))
    return {static_cast<float>(uniform.getScale())};
  SmallVector<float> scales;
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(type))
    for (double scale : perAxis.getScales())
      scales.push_back(scale);
  return scales;
}

/// The bits of scales that are not the ones in the file, for those who read it
/// back.
static std::string documentScales(ArrayRef<float> scales) {
  std::string text = "qbackend.scales";
  for (float scale : scales)
    text += llvm::formatv(" {0:x-8}", llvm::bit_cast<uint32_t>(scale)).str();
  return text;
}

LogicalResult Exporter::addScalesOf(quant::QuantizedType type,
                                    SmallVectorImpl<Tensor> &inputs,
                                    quant::QuantizedType exact) {
  FailureOr<ElementType> element = getElementType(type);
  if (failed(element))
    return failure();
  SmallVector<float> scales = getScales(type);
  SmallVector<int64_t> zeroPoints;
  SmallVector<int64_t, 1> shape;
  if (auto uniform = dyn_cast<quant::UniformQuantizedType>(type)) {
    zeroPoints.push_back(uniform.getZeroPoint());
  } else if (auto perAxis =
                 dyn_cast<quant::UniformQuantizedPerAxisType>(type)) {
    llvm::append_range(zeroPoints, perAxis.getZeroPoints());
    shape.push_back(scales.size());
  } else {
    return current->emitError() << "tensors of " << type
                                << " have no form in ONNX, expected one scale "
                                   "or one for each channel";
  }
  bool isExact = !exact || getScales(exact) == scales;
  inputs.push_back(addFloats(scales, shape,
                             isExact ? "" : documentScales(getScales(exact))));
  if (*element == ElementType::Int32) {
    if (llvm::any_of(zeroPoints, [](int64_t z) { return z != 0; }))
      return current->emitError() << "tensors of " << type
                                  << " have no form in ONNX: the zero point of "
                                     "32-bit integers is 0 there";
    return success();
  }
  inputs.push_back(addIntegers(*element, zeroPoints, shape));
  return success();
}

/// `axis`, if scales have one.
static SmallVector<NodeAttr, 1> getAxisOf(quant::QuantizedType type,
                                          int64_t axis) {
  if (isa<quant::UniformQuantizedPerAxisType>(type))
    return {NodeAttr("axis", axis)};
  return {};
}

FailureOr<Tensor> Exporter::quantize(Tensor asFloat, quant::QuantizedType type,
                                     int64_t axis, quant::QuantizedType exact) {
  int64_t width = type.getStorageTypeIntegralWidth();
  if (width != 8)
    return current->emitError() << "tensors of " << type
                                << " can't be computed in ONNX, where "
                                   "quantized integers have 8 bits";
  // ONNX saturates to the type; limits that are narrower are floats.
  int64_t lowest = type.isSigned() ? -128 : 0, highest = lowest + 255;
  if (type.getStorageTypeMin() > lowest || type.getStorageTypeMax() < highest) {
    auto uniform = dyn_cast<quant::UniformQuantizedType>(type);
    if (!uniform)
      return current->emitError() << "tensors of " << type
                                  << " can't be computed in ONNX, where "
                                     "integers have all of their 8 bits";
    auto limit = [&](int64_t integer) {
      return addFloat(numerics::dequantize(integer, uniform.getScale(),
                                           uniform.getZeroPoint()));
    };
    asFloat = add("Clip", {asFloat, limit(type.getStorageTypeMin()),
                           limit(type.getStorageTypeMax())});
  }
  SmallVector<Tensor> inputs = {asFloat};
  if (failed(addScalesOf(type, inputs, exact)))
    return failure();
  return add("QuantizeLinear", inputs, getAxisOf(type, axis));
}

FailureOr<Tensor> Exporter::dequantize(Tensor integers,
                                       quant::QuantizedType type, int64_t axis,
                                       quant::QuantizedType exact) {
  auto it = asFloats.find({integers.id, type});
  if (it != asFloats.end())
    return it->second;
  SmallVector<Tensor> inputs = {integers};
  if (failed(addScalesOf(type, inputs, exact)))
    return failure();
  Tensor asFloat = add("DequantizeLinear", inputs, getAxisOf(type, axis));
  asFloats.insert({{integers.id, type}, asFloat});
  return asFloat;
}
