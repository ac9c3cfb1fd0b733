// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constant parameters of convolutions and linear layers, before conversion.

#ifndef QBACKEND_PIPELINES_LAYERS_H
#define QBACKEND_PIPELINES_LAYERS_H

#include "qbackend/Calibration/Table.h"
#include "qbackend/Dialect/QBackend/Elements.h"
#include "qbackend/Dialect/QBackend/QBackend.h"

#include <optional>

namespace qbackend {

/// The rows of a weight, one for each output channel, of blocks of one element
/// for each input channel (of the row's group): [o, k..., i] or [n, k].
struct LayerWeight {
  llvm::SmallVector<float, 0> numbers;
  mlir::RankedTensorType type;

  /// Input channels of a group.
  int64_t getColumns() const { return type.getShape().back(); }
  int64_t getRows() const { return type.getDimSize(0); }
  /// Numbers in a row.
  int64_t getRowSize() const { return numbers.size() / getRows(); }
};

/// Whether `op` is a linear layer or a plain convolution, with or without a
/// relu: its result can be multiplied in its weight and its bias.
bool isLayer(OperatorOp op);

/// How many groups the channels of the layer `op` are in.
int64_t getGroupCount(OperatorOp op);

/// Which elements of its input the weight of the linear layer or plain
/// convolution `op` meets; nothing if it is something else, or has extents that
/// aren't known.
std::optional<calibration::Geometry> getGeometry(OperatorOp op);

/// The weight of `op`; nothing if it has none that is constant floats.
std::optional<LayerWeight> readLayerWeight(OperatorOp op);

/// Gives `op` other numbers. The constant before is erased if nothing else
/// reads it.
void setLayerWeight(OperatorOp op, const LayerWeight &weight);
void setLayerBias(OperatorOp op, llvm::ArrayRef<float> bias);

} // namespace qbackend

#endif // QBACKEND_PIPELINES_LAYERS_H
