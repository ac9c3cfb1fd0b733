// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which quantization a qconfig asks for, and why an operator can't have it.

#include "qbackend/Transforms/QuantizeWeights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace qbackend;

bool qbackend::isHalf(Type dtype) { return dtype.isF16() || dtype.isBF16(); }

QuantizationMode qbackend::getQuantizationMode(QConfigAttr qconfig) {
  ObserverAttr activation = qconfig.getActivation();
  if (isHalf(activation.getDtype()))
    return QuantizationMode::Float16;
  if (activation.getIsDynamic())
    return QuantizationMode::Dynamic;
  return isa<IntegerType>(activation.getDtype()) ? QuantizationMode::Static
                                                 : QuantizationMode::WeightOnly;
}

static std::string describe(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Whether `op` is a sum of products with its weight, and has a bias.
static bool isWeighted(OperatorOp op) {
  return op.getKind().getWeightRole() == WeightRole::Products;
}

/// Whether the weight of `op` is a table of rows.
static bool hasTable(OperatorOp op) {
  return op.getKind().getWeightRole() == WeightRole::Rows;
}

bool qbackend::hasQuantizedWeight(OperatorOp op) {
  if (!op.getWeight())
    return false;
  switch (op.getKind().getWeightRole()) {
  case WeightRole::Products:
  case WeightRole::Rows:
  case WeightRole::Slopes:
    return true;
  case WeightRole::None:
  case WeightRole::Scale:
    return false;
  }
  llvm_unreachable("unknown role");
}

static bool hasFloatZeroPoints(ObserverAttr observer) {
  return observer.getScheme() == QScheme::PerChannelAffineFloatQParams;
}

/// Why the channels of `weight` aren't those that the weight of `op` has its
/// scales for; empty if they are. In PyTorch's layout output channels are
/// first, those of a transposed convolution second, where 0 is taken for them,
/// too.
static std::string whyNotAxis(OperatorOp op, ObserverAttr weight) {
  if (!weight.getChAxis() || !hasQuantizedWeight(op))
    return "";
  auto convolution = dyn_cast<ConvolutionKindAttrInterface>(op.getKind());
  int64_t last = convolution && convolution.isTransposed() ? 1 : 0;
  if (*weight.getChAxis() <= last)
    return "";
  return ("its weight has a scale for each output channel, which is axis " +
          Twine(last) +
          ", the qconfig has ch_axis = " + Twine(*weight.getChAxis()))
      .str();
}

/// The width of the entries of a table that the module came with; nothing if
/// `weight` is none. Rows of 4 bits are dequantized by scales of 16.
static std::optional<unsigned> getTableWidth(Value weight) {
  if (!weight || !getQuantizedTable(weight))
    return std::nullopt;
  bool isNarrow = false;
  weight.getDefiningOp()->walk([&](arith::TruncFOp) { isNarrow = true; });
  return isNarrow ? 4 : 8;
}

std::string qbackend::whyNotQuantizable(OperatorOp op, QConfigAttr qconfig) {
  QuantizationMode mode = getQuantizationMode(qconfig);
  bool embedding = hasTable(op);
  bool weighted = op.getWeight() && isWeighted(op);
  // A backend may have the type in its list; what the arithmetic would be is
  // not known.
  if (Type dtype = qconfig.getActivation().getDtype();
      !isa<IntegerType>(dtype) && !isHalf(dtype) && !dtype.isF32())
    return "nothing is quantized to " + describe(dtype);
  ObserverAttr weight = qconfig.getWeight();
  auto integer = dyn_cast<IntegerType>(weight.getDtype());
  if (std::string wrong = whyNotAxis(op, weight); !wrong.empty())
    return wrong;
  switch (mode) {
  case QuantizationMode::Float16:
    if (qconfig.getActivation().getIsDynamic() && !weighted)
      return "only the weight is 16-bit in dynamic " +
             describe(qconfig.getActivation().getDtype()) +
             " quantization, and it has none";
    return "";
  case QuantizationMode::Static:
    if (embedding)
      return "its input holds indices, so only its weight can be quantized";
    if (!hasQuantizedWeight(op))
      return "";
    break;
  case QuantizationMode::Dynamic:
    if (!weighted)
      return "only convolutions and linear layers are quantized dynamically";
    break;
  case QuantizationMode::WeightOnly:
    if (!weighted && !embedding)
      return "its activations stay float and it has no weight to quantize";
    break;
  }
  if (std::optional<unsigned> width = getTableWidth(op.getWeight());
      width && integer && integer.getWidth() != *width)
    return ("its table comes with " + Twine(*width) +
            " bits, the qconfig has " + Twine(integer.getWidth()))
        .str();
  if (!integer)
    return "its weight would stay float: the qconfig observes it as " +
           describe(weight.getDtype());
  if (embedding ? hasFloatZeroPoints(weight) && !integer.isSigned() &&
                      (integer.getWidth() == 4 || integer.getWidth() == 8)
                : !hasFloatZeroPoints(weight) && integer.getWidth() == 8)
    return "";
  if (embedding)
    return "the rows of its table would need float zero "
           "points, per_channel_affine_float_qparams of ui8 or ui4";
  if (hasFloatZeroPoints(weight))
    return "zero points that are floats are for embeddings";
  return ("a weight of " + Twine(integer.getWidth()) + " bits " +
          (integer.getWidth() == 4 ? "is for embeddings"
                                   : "has no form, those of 8 bits have one"))
      .str();
}
