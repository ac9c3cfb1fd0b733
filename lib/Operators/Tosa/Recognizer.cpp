// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attaches the recognisers to the TOSA dialect.

#include "TosaRecognizers.h"

#include "mlir/IR/DialectRegistry.h"

#include <cmath>

using namespace mlir;
using namespace qbackend;
using namespace qbackend::tosa_forms;

FloatAttr Recognition::real(double value) const {
  return FloatAttr::get(Float64Type::get(context()), value);
}

DenseI64ArrayAttr Recognition::ints(ArrayRef<int64_t> values) const {
  return DenseI64ArrayAttr::get(context(), values);
}

void Recognition::add(Attribute kind, ArrayRef<Value> inputs) const {
  RecognizedOperator op{kind, result(), {}};
  for (Value input : inputs)
    op.inputs.push_back(RecognizedOperand::of(input));
  found.push_back(std::move(op));
}

bool Recognition::isSplat(Value value, double number) const {
  std::optional<double> splat = constants.getSplat(value);
  // Producers round scalars to f32, and some of them twice.
  return splat && std::fabs(*splat - number) <= std::fabs(number) * 1e-6;
}

RankedTensorType tosa_forms::getFloatType(Value value) {
  auto type =
      value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  return type && type.getElementType().isF32() ? type : RankedTensorType();
}

std::optional<SmallVector<int64_t>> tosa_forms::readShape(Value value) {
  auto shape = value.getDefiningOp<tosa::ConstShapeOp>();
  auto elements = shape ? dyn_cast<DenseIntElementsAttr>(shape.getValues())
                        : DenseIntElementsAttr();
  if (!elements)
    return std::nullopt;
  SmallVector<int64_t> result;
  for (const APInt &number : elements.getValues<APInt>())
    result.push_back(number.getSExtValue());
  return result;
}

std::optional<std::pair<Value, Value>>
tosa_forms::splitConstant(const Recognition &recognition, Operation *op) {
  Value first = op->getOperand(0), second = op->getOperand(1);
  bool constant = recognition.isConstant(second);
  if (recognition.isConstant(first) == constant)
    return std::nullopt;
  if (!constant)
    std::swap(first, second);
  return std::pair(first, second);
}

std::optional<ZeroPad> tosa_forms::matchZeroPad(const Recognition &recognition,
                                                Value value) {
  auto pad = value.getDefiningOp<tosa::PadOp>();
  if (!pad || !value.hasOneUse() || !getFloatType(pad.getInput1()) ||
      !recognition.isSplat(pad.getPadConst(), 0))
    return std::nullopt;
  auto amounts = readShape(pad.getPadding());
  if (!amounts || amounts->size() != 8)
    return std::nullopt;
  ArrayRef<int64_t> all = *amounts;
  if (llvm::any_of(all, [](int64_t amount) { return amount < 0; }) || all[0] ||
      all[1] || all[6] || all[7])
    return std::nullopt;
  return ZeroPad{pad.getInput1(), SmallVector<int64_t>(all.slice(2, 4))};
}

Value tosa_forms::skipTrim(Value value, ArrayRef<int64_t> stride,
                           ArrayRef<int64_t> padding) {
  auto slice = value.getDefiningOp<tosa::SliceOp>();
  if (!slice)
    return value;
  auto start = readShape(slice.getStart());
  auto type = getFloatType(slice.getInput1());
  auto resultType = getFloatType(value);
  if (!start || llvm::any_of(*start, [](int64_t i) { return i != 0; }) ||
      !type || type.getRank() != 4 || !type.hasStaticShape() || !resultType ||
      !resultType.hasStaticShape())
    return value;
  for (int64_t dim = 0; dim < 4; ++dim) {
    int64_t cut = type.getDimSize(dim) - resultType.getDimSize(dim);
    if (cut == 0)
      continue;
    // The windows end with the last row that is left: fewer rows than a stride
    // after it are used by none. Padding would be read instead of them.
    bool spatial = dim == 1 || dim == 2;
    if (!spatial || cut >= stride[dim - 1] || padding[2 * (dim - 1) + 1] != 0)
      return value;
  }
  return slice.getInput1();
}

namespace {
class TosaRecognizer : public OperatorRecognizerInterface {
public:
  using OperatorRecognizerInterface::OperatorRecognizerInterface;

  void recognize(Operation *root, ConstantEvaluator &constants,
                 SmallVectorImpl<RecognizedOperator> &found) const override {
    if (root->getNumResults() != 1 || !getFloatType(root->getResult(0)) ||
        root->getNumOperands() == 0 || constants.isConstant(root->getResult(0)))
      return;
    Recognition recognition{root, constants, found};
    recognizeConvolution(recognition);
    recognizeLinear(recognition);
    recognizeNormalization(recognition);
    recognizeActivation(recognition);
    recognizePooling(recognition);
    recognizeElementwise(recognition);
    recognizeShape(recognition);
  }

  std::optional<std::string> describe(Operation *root) const override {
    // Copies, shapes and conversions compute nothing.
    if (isa<tosa::ConstOp, tosa::ConstShapeOp, tosa::CastOp, tosa::IdentityOp,
            tosa::ReshapeOp, tosa::TransposeOp, tosa::SliceOp, tosa::PadOp,
            tosa::TileOp>(root) ||
        llvm::none_of(root->getResults(),
                      [](Value value) { return bool(getFloatType(value)); }))
      return std::nullopt;
    return root->getName().getStringRef().str();
  }
};
} // namespace

void qbackend::registerTosaRecognizers(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, tosa::TosaDialect *dialect) {
    dialect->addInterfaces<TosaRecognizer>();
  });
}
