// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of ONNX as linalg code, by the specification of opset 17.

#include "ONNX/GraphBuilder.h"

#include "ONNX/GraphCode.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace qbackend::proof;
using llvm::Error;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

Value GraphBuilder::map(ArrayRef<int64_t> shape, Type element,
                        ArrayRef<Operand> operands, Body body, unsigned inner,
                        Value init) {
  // Extents that aren't known are those of an operand.
  SmallVector<Value> inputs, sizes;
  SmallVector<AffineMap> maps;
  unsigned rank = shape.size();
  for (const Operand &operand : operands) {
    inputs.push_back(operand.value);
    maps.push_back(AffineMap::get(rank + inner, 0, operand.at, b.getContext()));
  }
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(size))
      continue;
    for (const Operand &operand : operands) {
      auto at = llvm::find(operand.at, b.getAffineDimExpr(d));
      if (at == operand.at.end())
        continue;
      sizes.push_back(
          tensor::DimOp::create(b, operand.value, at - operand.at.begin()));
      break;
    }
  }
  if (!init)
    init = tensor::EmptyOp::create(b, shape, element, sizes);
  maps.push_back(AffineMap::get(rank + inner, 0, dims(rank), b.getContext()));
  SmallVector<utils::IteratorType> kinds(rank, utils::IteratorType::parallel);
  kinds.append(inner, utils::IteratorType::reduction);
  auto loops =
      linalg::GenericOp::create(b, init.getType(), inputs, init, maps, kinds,
                                [&](OpBuilder &, Location, ValueRange values) {
                                  linalg::YieldOp::create(b, body(values));
                                });
  return loops.getResult(0);
}

SmallVector<AffineExpr> GraphBuilder::dims(unsigned count, unsigned first) {
  SmallVector<AffineExpr> all;
  for (unsigned i = 0; i < count; ++i)
    all.push_back(b.getAffineDimExpr(first + i));
  return all;
}

GraphBuilder::Operand GraphBuilder::broadcast(Value value,
                                              ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> own = getShape(value);
  Operand operand{value, {}};
  for (auto [i, size] : llvm::enumerate(own)) {
    unsigned d = shape.size() - own.size() + i;
    operand.at.push_back(size == 1 && shape[d] != 1 ? b.getAffineConstantExpr(0)
                                                    : b.getAffineDimExpr(d));
  }
  return operand;
}

//===----------------------------------------------------------------------===//
// Quantized values
//===----------------------------------------------------------------------===//

Value GraphBuilder::extend(Value byte, bool isSigned) {
  if (byte.getType() == b.getI32Type())
    return byte;
  return isSigned ? arith::ExtSIOp::create(b, b.getI32Type(), byte).getResult()
                  : arith::ExtUIOp::create(b, b.getI32Type(), byte).getResult();
}

/// (q - z) * s.
Value GraphBuilder::getFloat(const Known &known) {
  if (known.value || !known.integers)
    return known.value;
  const Quantized &q = *known.integers;
  ArrayRef<int64_t> shape = getShape(q.value);
  return map(shape, b.getF32Type(),
             {broadcast(q.value, shape), alongAxis<float>(q.scales, q.axis),
              alongAxis<int32_t>(q.zeroPoints, q.axis)},
             [&](ValueRange v) -> Value {
               Value less =
                   arith::SubIOp::create(b, extend(v[0], q.isSigned), v[2]);
               Value number = arith::SIToFPOp::create(b, b.getF32Type(), less);
               return arith::MulFOp::create(b, number, v[1]);
             });
}

/// saturate(rne(v) + z) of floats that were divided already.
Value GraphBuilder::saturate(Value v, int64_t zeroPoint, bool isSigned) {
  int64_t lo = isSigned ? -128 : 0;
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  };
  // A NaN stays one, and has no integer.
  Value rounded = math::RoundEvenOp::create(b, v);
  rounded = arith::MaximumFOp::create(b, rounded, number(lo - zeroPoint));
  rounded = arith::MinimumFOp::create(b, rounded, number(lo + 255 - zeroPoint));
  Value integer = arith::FPToSIOp::create(b, b.getI32Type(), rounded);
  integer = arith::AddIOp::create(
      b, integer, arith::ConstantOp::create(b, b.getI32IntegerAttr(zeroPoint)));
  return arith::TruncIOp::create(b, b.getI8Type(), integer);
}

Error GraphBuilder::quantizeLinear() {
  const OnnxConstant *scale = getConstant(1), *zeroPoint = getConstant(2);
  if (!scale || !zeroPoint || scale->getFloats().size() != 1 ||
      zeroPoint->getIntegers().size() != 1)
    return fail("has other parameters than one scale and one zero point");
  float s = scale->getFloats().front();
  int64_t z = zeroPoint->getIntegers().front();
  bool isSigned = zeroPoint->type == OnnxType::Int8;
  const Known &x = getInput(0);
  Known result;
  result.isSigned = isSigned;
  if (x.sum) {
    const Sum &sum = *x.sum;
    SmallVector<float> factors;
    for (float scale : sum.scales)
      factors.push_back(scale / s);
    Value all = sum.make(sum.bias);
    ArrayRef<int64_t> shape = getShape(all);
    result.value =
        map(shape, b.getI8Type(),
            {broadcast(all, shape), alongAxis<float>(factors, sum.axis)},
            [&](ValueRange v) -> Value {
              Value number = arith::SIToFPOp::create(b, b.getF32Type(), v[0]);
              number = arith::MulFOp::create(b, number, v[1]);
              if (sum.relu)
                number = relu(number);
              return saturate(number, z, isSigned);
            });
  } else {
    Value number = getFloat(x);
    if (!number)
      return failOperand();
    ArrayRef<int64_t> shape = getShape(number);
    result.value = map(
        shape, b.getI8Type(), {broadcast(number, shape)},
        [&](ValueRange v) -> Value {
          Value divisor = arith::ConstantOp::create(b, b.getF32FloatAttr(s));
          return saturate(arith::DivFOp::create(b, v[0], divisor), z, isSigned);
        });
  }
  set(std::move(result));
  return Error::success();
}

Error GraphBuilder::dequantizeLinear() {
  const OnnxConstant *scale = getConstant(1), *zeroPoint = getConstant(2);
  if (!scale || (node->inputs.size() > 2 && !zeroPoint))
    return fail("has parameters that are no constants");
  const Known &x = getInput(0);
  if (!x.value)
    return failOperand();
  Quantized q;
  q.value = x.value;
  q.isSigned = x.isSigned;
  llvm::append_range(q.scales, scale->getFloats());
  if (zeroPoint)
    llvm::append_range(q.zeroPoints, zeroPoint->getIntegers());
  else
    q.zeroPoints.assign(q.scales.size(), 0);
  q.axis = node->attributes.count("axis") ? getAttribute("axis").integer : 1;
  ArrayRef<int64_t> shape = getShape(x.value);
  size_t count = q.scales.size();
  bool isOfAxis = q.axis >= 0 && q.axis < int64_t(shape.size()) &&
                  shape[q.axis] == int64_t(count);
  if (count != q.zeroPoints.size() || (count != 1 && !isOfAxis))
    return fail("has other parameters than one for all, or for each channel");
  Known result;
  result.integers = std::move(q);
  result.constant = x.constant;
  set(std::move(result));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value GraphBuilder::relu(Value x) {
  Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  return arith::MaximumFOp::create(b, x, zero);
}

/// A function of elements of operands that broadcast.
Error GraphBuilder::elements(Body body, Type element) {
  SmallVector<Value> values;
  SmallVector<int64_t> shape;
  for (unsigned i = 0; i < node->inputs.size(); ++i) {
    Value value = getFloat(getInput(i));
    if (!value || !(getElementTypeOrSelf(value.getType()).isF32() ||
                    getElementTypeOrSelf(value.getType()).isInteger(1)))
      return failOperand();
    values.push_back(value);
    ArrayRef<int64_t> own = getShape(value);
    if (own.size() > shape.size())
      shape.insert(shape.begin(), own.size() - shape.size(), 1);
    for (auto [i, size] : llvm::enumerate(llvm::reverse(own)))
      if (size != 1)
        shape[shape.size() - 1 - i] = size;
  }
  SmallVector<Operand> operands;
  for (Value value : values)
    operands.push_back(broadcast(value, shape));
  Known result;
  result.value = map(shape, element ? element : b.getF32Type(), operands, body);
  set(std::move(result));
  return Error::success();
}

/// Functions that are sums, products and comparisons of floats.
Expected<bool> GraphBuilder::function() {
  StringRef kind = node->kind;
  auto number = [&](float value) -> Value {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  };
  auto parameter = [&](StringRef name) {
    return number(getAttribute(name).number);
  };
  auto clamp = [&](Value v, Value lo, Value hi) -> Value {
    v = arith::MaximumFOp::create(b, v, lo);
    return arith::MinimumFOp::create(b, v, hi);
  };
  auto less = [&](Value a, Value c) -> Value {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, a, c);
  };
  Body body;
  Type element;
  if (kind == "Relu")
    body = [&](ValueRange v) { return relu(v[0]); };
  else if (kind == "Clip")
    body = [&](ValueRange v) { return clamp(v[0], v[1], v[2]); };
  else if (kind == "Add")
    body = [&](ValueRange v) -> Value {
      return arith::AddFOp::create(b, v[0], v[1]);
    };
  else if (kind == "Mul")
    body = [&](ValueRange v) -> Value {
      return arith::MulFOp::create(b, v[0], v[1]);
    };
  else if (kind == "Max")
    body = [&](ValueRange v) -> Value {
      return arith::MaximumFOp::create(b, v[0], v[1]);
    };
  else if (kind == "Min")
    body = [&](ValueRange v) -> Value {
      return arith::MinimumFOp::create(b, v[0], v[1]);
    };
  else if (kind == "PRelu")
    body = [&](ValueRange v) -> Value {
      Value scaled = arith::MulFOp::create(b, v[0], v[1]);
      return arith::SelectOp::create(b, less(v[0], number(0)), scaled, v[0]);
    };
  else if (kind == "LeakyRelu")
    body = [&](ValueRange v) -> Value {
      Value scaled = arith::MulFOp::create(b, v[0], parameter("alpha"));
      return arith::SelectOp::create(b, less(v[0], number(0)), scaled, v[0]);
    };
  else if (kind == "HardSigmoid")
    body = [&](ValueRange v) {
      Value scaled = arith::MulFOp::create(b, v[0], parameter("alpha"));
      scaled = arith::AddFOp::create(b, scaled, parameter("beta"));
      Value low = number(0), high = number(1);
      return clamp(scaled, low, high);
    };
  else if (kind == "HardSwish")
    body = [&](ValueRange v) -> Value {
      Value scaled = arith::MulFOp::create(b, v[0], number(1.0f / 6));
      scaled = arith::AddFOp::create(b, scaled, number(0.5f));
      Value low = number(0), high = number(1);
      return arith::MulFOp::create(b, v[0], clamp(scaled, low, high));
    };
  else if (kind == "Greater") {
    body = [&](ValueRange v) { return less(v[1], v[0]); };
    element = b.getI1Type();
  } else if (kind == "Where")
    body = [&](ValueRange v) -> Value {
      return arith::SelectOp::create(b, v[0], v[1], v[2]);
    };
  if (!body)
    return false;
  size_t count = llvm::StringSwitch<size_t>(kind)
                     .Cases({"Clip", "Where"}, 3)
                     .Cases({"Add", "Mul", "Max", "Min", "PRelu", "Greater"}, 2)
                     .Default(1);
  if (node->inputs.size() != count)
    return fail("has " + Twine(node->inputs.size()) + " operands, expected " +
                Twine(count));
  if (Error error = elements(body, element))
    return std::move(error);
  return true;
}

/// Entries of a table of constants by integers of one operand; those below 0
/// count from its end.
Error GraphBuilder::gather() {
  const OnnxConstant *table = getConstant(0);
  const Known &index = getInput(1), &entries = getInput(0);
  if (!table && getConstant(1) && getConstant(1)->shape.size() == 1)
    return move([&](Value x) -> Value {
      return takeAlong(x, getAttribute("axis").integer,
                       getConstant(1)->getIntegers());
    });
  if (!table || table->shape.size() != 1 || !index.value || !entries.value ||
      getAttribute("axis").integer != 0)
    return fail("reads what is no table");
  int64_t count = table->shape[0];
  ArrayRef<int64_t> shape = getShape(index.value);
  Known result;
  result.isSigned = entries.isSigned;
  result.value =
      map(shape, b.getI8Type(), {broadcast(index.value, shape)},
          [&](ValueRange v) -> Value {
            auto integer = [&](int64_t value) -> Value {
              return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
            };
            Value fromEnd = arith::AddIOp::create(b, v[0], integer(count));
            Value isBelow = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                                  v[0], integer(0));
            Value at = arith::SelectOp::create(b, isBelow, fromEnd, v[0]);
            at = arith::IndexCastOp::create(b, b.getIndexType(), at);
            return tensor::ExtractOp::create(b, entries.value, at);
          });
  set(std::move(result));
  return Error::success();
}

Error GraphBuilder::cast() {
  const Known &x = getInput(0);
  auto to = static_cast<OnnxType>(getAttribute("to").integer);
  if (!x.value || to != OnnxType::Int32)
    return fail("casts to a type without a meaning here");
  ArrayRef<int64_t> shape = getShape(x.value);
  Known result;
  result.isSigned = true;
  result.value = map(shape, b.getI32Type(), {broadcast(x.value, shape)},
                     [&](ValueRange v) { return extend(v[0], x.isSigned); });
  set(std::move(result));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

Error GraphBuilder::build(const OnnxGraph &graph, ValueRange arguments) {
  for (auto &[name, constant] : graph.constants) {
    Known known;
    known.constant = &constant;
    known.isSigned = constant.type != OnnxType::UInt8;
    Type element = constant.type == OnnxType::Float   ? Type(b.getF32Type())
                   : constant.type == OnnxType::Int32 ? Type(b.getI32Type())
                   : constant.type == OnnxType::Int64 ? Type(b.getI64Type())
                                                      : Type(b.getI8Type());
    known.value = arith::ConstantOp::create(
        b, DenseElementsAttr::getFromRawBuffer(
               RankedTensorType::get(constant.shape, element),
               llvm::ArrayRef<char>(constant.bytes.data(),
                                    constant.bytes.size())));
    values[name] = std::move(known);
  }
  if (graph.inputs.size() != arguments.size())
    return llvm::createStringError("the ONNX file has other inputs");
  for (auto [input, argument] : llvm::zip_equal(graph.inputs, arguments)) {
    Known known;
    known.value = argument;
    known.isSigned = input.second != OnnxType::UInt8;
    values[input.first] = std::move(known);
  }
  // What floats are of a library, or in whose order they are added.
  static const llvm::StringSet<> libraries = {"Sigmoid", "Tanh", "Elu", "Celu",
                                              "Softmax"};
  static const llvm::StringSet<> sums = {
      "AveragePool",        "GlobalAveragePool",     "ReduceSum",
      "ReduceMean",         "InstanceNormalization", "LayerNormalization",
      "BatchNormalization", "MatMulInteger",         "DynamicQuantizeLinear"};
  for (const OnnxNode &next : graph.nodes) {
    node = &next;
    StringRef kind = node->kind;
    if (node->attributes.count("auto_pad"))
      return fail("has a padding that follows from shapes, which isn't read");
    if (node->outputs.size() != 1 || libraries.contains(kind) ||
        sums.contains(kind))
      return fail(libraries.contains(kind)
                      ? "is a function of floats, of which each runtime has "
                        "its own"
                      : "is of floats, in an order that ONNX leaves open");
    auto step =
        llvm::StringSwitch<Error (GraphBuilder::*)()>(kind)
            .Case("QuantizeLinear", &GraphBuilder::quantizeLinear)
            .Case("DequantizeLinear", &GraphBuilder::dequantizeLinear)
            .Case("Gather", &GraphBuilder::gather)
            .Case("Cast", &GraphBuilder::cast)
            .Cases({"Conv", "ConvTranspose"}, &GraphBuilder::convolution)
            .Cases({"Gemm", "MatMul"}, &GraphBuilder::product)
            .Case("MaxPool", &GraphBuilder::maxPool)
            .Case("Transpose", &GraphBuilder::transpose)
            .Case("Reshape", &GraphBuilder::reshape)
            .Case("Tile", &GraphBuilder::tile)
            .Case("Slice", &GraphBuilder::slice)
            .Case("Pad", &GraphBuilder::pad)
            .Case("Resize", &GraphBuilder::resize)
            .Case("Concat", &GraphBuilder::concat)
            .Default(nullptr);
    if (!step && addToSum())
      continue;
    if (step) {
      if (Error error = (this->*step)())
        return error;
      continue;
    }
    auto isFunction = function();
    if (!isFunction)
      return isFunction.takeError();
    if (!*isFunction)
      return fail("has no meaning here");
  }
  return Error::success();
}

Expected<Value> GraphBuilder::getResult(const OnnxGraph &graph) {
  Value value = graph.outputs.size() == 1
                    ? getFloat(values[graph.outputs.front()])
                    : Value();
  if (!value)
    return llvm::createStringError("the ONNX file has a result without a "
                                   "meaning here");
  return value;
}

Expected<OwningOpRef<ModuleOp>>
qbackend::proof::makeGraphCode(StringRef bytes, FunctionType type,
                               Location loc) {
  auto graph = readOnnxGraph(bytes);
  if (!graph)
    return graph.takeError();
  auto hold = [](Type type) -> Type {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return type;
    auto quantized = dyn_cast<quant::QuantizedType>(tensor.getElementType());
    return quantized ? tensor.clone(quantized.getStorageType()) : tensor;
  };
  ImplicitLocOpBuilder b(loc, loc.getContext());
  b.getContext()
      ->loadDialect<arith::ArithDialect, linalg::LinalgDialect,
                    math::MathDialect, tensor::TensorDialect>();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  b.setInsertionPointToStart(module->getBody());
  auto inputs = llvm::map_to_vector(type.getInputs(), hold);
  auto results = llvm::map_to_vector(type.getResults(), hold);
  auto function =
      func::FuncOp::create(b, "operator", b.getFunctionType(inputs, results));
  b.setInsertionPointToStart(function.addEntryBlock());
  GraphBuilder builder(b);
  if (Error error = builder.build(*graph, function.getArguments()))
    return std::move(error);
  auto result = builder.getResult(*graph);
  if (!result)
    return result.takeError();
  Value value = *result;
  if (!tensor::CastOp::areCastCompatible(value.getType(), results[0]))
    return llvm::createStringError("the ONNX file has a result of another "
                                   "shape or type");
  if (value.getType() != results[0])
    value = tensor::CastOp::create(b, results[0], value);
  func::ReturnOp::create(b, value);
  // Shapes that don't fit are seen by the ops that have them.
  ScopedDiagnosticHandler silent(b.getContext(), [](Diagnostic &) {});
  if (failed(verify(*module)))
    return llvm::createStringError("the ONNX file has shapes that don't fit");
  return std::move(module);
}
