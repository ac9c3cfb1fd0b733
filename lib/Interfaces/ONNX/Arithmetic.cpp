// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantize, dequantize, and arithmetic of two tensors, or of one and a number.

#include "Exporter.h"

#include "mlir/Dialect/Quant/IR/Quant.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::onnx;

//===----------------------------------------------------------------------===//
// Between floats and integers
//===----------------------------------------------------------------------===//

template <typename OpTy>
static LogicalResult writeQuantize(OpTy op, Exporter &exporter) {
  Layout layout = exporter.getLayout(op.getInput());
  Tensor x = exporter.get(op.getInput(), layout);
  return x ? exporter.setFloat(op.getOutput(), layout, x) : failure();
}

template <typename OpTy>
static LogicalResult writeDequantize(OpTy op, Exporter &exporter) {
  // A weight is dequantized where it is read, in its layout there.
  if (auto scast = op.getInput().template getDefiningOp<quant::StorageCastOp>();
      scast && exporter.isConstant(scast.getInput()) &&
      std::is_same_v<OpTy, DequantizeOp>)
    return success();
  Layout layout = exporter.getLayout(op.getInput());
  Tensor x = exporter.getFloat(op.getInput(), layout);
  if (!x)
    return failure();
  exporter.set(op.getOutput(), layout, x);
  return success();
}

static LogicalResult writeStorageCast(quant::StorageCastOp op,
                                      Exporter &exporter) {
  if (exporter.isConstant(op.getInput()))
    return success();
  Layout layout = exporter.getLayout(op.getInput());
  Tensor x = exporter.get(op.getInput(), layout);
  if (!x)
    return failure();
  exporter.set(op.getResult(), layout, x);
  return success();
}

//===----------------------------------------------------------------------===//
// Two tensors
//===----------------------------------------------------------------------===//

static LogicalResult combine(Exporter &exporter, StringRef kind,
                             ValueRange inputs, Value output, bool relu) {
  // What broadcasts has its dimensions in the same places.
  int64_t rank = cast<RankedTensorType>(output.getType()).getRank();
  for (Value input : inputs)
    if (auto type = cast<RankedTensorType>(input.getType());
        type.getRank() != rank && type.getNumElements() != 1)
      return exporter.getOp()->emitError()
             << "operands of type " << inputs[0].getType() << " and "
             << inputs[1].getType()
             << " differ in rank, and ONNX would align their last dimensions";
  Layout layout = exporter.getLayout(inputs);
  SmallVector<Tensor> tensors;
  for (Value input : inputs) {
    tensors.push_back(exporter.getFloat(input, layout));
    if (!tensors.back())
      return failure();
  }
  return exporter.setFloat(output, layout, exporter.addMain(kind, tensors),
                           relu);
}

static LogicalResult writeAdd(qnnpack::AddOp op, Exporter &exporter) {
  return combine(exporter, "Add", {op.getLhs(), op.getRhs()}, op.getOutput(),
                 op.getRelu());
}

static LogicalResult writeMul(qnnpack::MulOp op, Exporter &exporter) {
  return combine(exporter, "Mul", {op.getLhs(), op.getRhs()}, op.getOutput(),
                 op.getRelu());
}

//===----------------------------------------------------------------------===//
// A tensor and a number
//===----------------------------------------------------------------------===//

static LogicalResult combine(Exporter &exporter, StringRef kind, Value input,
                             float number, Value output, bool relu) {
  Layout layout = exporter.getLayout(input);
  Tensor x = exporter.getFloat(input, layout);
  if (!x)
    return failure();
  Tensor y = exporter.addMain(kind, {x, exporter.addFloat(number)});
  return exporter.setFloat(output, layout, y, relu);
}

/// The engine adds a whole number of steps, c = rne(scalar / s). The scalar
/// itself gives the same integers where they stay and it is close to one.
static LogicalResult writeAddScalar(qnnpack::AddScalarOp op,
                                    Exporter &exporter) {
  auto x = qnnpack::getQuantizedType(op.getInput().getType()),
       y = qnnpack::getQuantizedType(op.getOutput().getType());
  double scalar = op.getScalar().convertToDouble(), scale = x.getScale();
  double steps = scalar / scale, whole = std::nearbyint(steps);
  bool stays = x.getScale() == y.getScale() && std::abs(steps - whole) < 0.49;
  return combine(exporter, "Add", op.getInput(),
                 static_cast<float>(stays ? scalar : whole * scale),
                 op.getOutput(), op.getRelu());
}

static LogicalResult writeMulScalar(qnnpack::MulScalarOp op,
                                    Exporter &exporter) {
  return combine(exporter, "Mul", op.getInput(),
                 static_cast<float>(op.getScalar().convertToDouble()),
                 op.getOutput(), op.getRelu());
}

//===----------------------------------------------------------------------===//
// Float operators
//===----------------------------------------------------------------------===//

template <typename KindTy>
static LogicalResult writeBinaryKind(KindTy kind, OperatorOp op,
                                     Exporter &exporter) {
  StringRef name = std::is_same_v<KindTy, AddAttr>   ? "Add"
                   : std::is_same_v<KindTy, MulAttr> ? "Mul"
                   : std::is_same_v<KindTy, SubAttr> ? "Sub"
                                                     : "Div";
  if constexpr (std::is_same_v<KindTy, AddAttr> ||
                std::is_same_v<KindTy, MulAttr>)
    if (FloatAttr scalar = kind.getScalar())
      return combine(exporter, name, op.getInputs().front(),
                     static_cast<float>(scalar.getValueAsDouble()),
                     op.getOutput(), op.isFused());
  return combine(exporter, name, op.getInputs(), op.getOutput(), op.isFused());
}

void onnx::addArithmetic(Writers &writers) {
  writers.add(writeQuantize<QuantizeOp>);
  writers.add(writeQuantize<qnnpack::QuantizeOp>);
  writers.add(writeDequantize<DequantizeOp>);
  writers.add(writeDequantize<qnnpack::DequantizeOp>);
  writers.add(writeStorageCast);
  writers.add(writeAdd);
  writers.add(writeMul);
  writers.add(writeAddScalar);
  writers.add(writeMulScalar);
  writers.addKind(writeBinaryKind<AddAttr>);
  writers.addKind(writeBinaryKind<MulAttr>);
  writers.addKind(writeBinaryKind<SubAttr>);
  writers.addKind(writeBinaryKind<DivAttr>);
}
