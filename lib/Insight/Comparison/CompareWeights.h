// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weights of an operator in a float and in a quantized network.

#ifndef QBACKEND_LIB_INSIGHT_COMPARISON_COMPAREWEIGHTS_H
#define QBACKEND_LIB_INSIGHT_COMPARISON_COMPAREWEIGHTS_H

#include "qbackend/Dialect/QBackend/QBackend.h"
#include "qbackend/Insight/Comparison/OperatorErrors.h"
#include "qbackend/Operators/ConstantEvaluator.h"

namespace qbackend {

/// The parameters of a kernel: numbers, and the integers behind them.
struct KernelParameters {
  /// Float in the reference form, else integers; null: none.
  mlir::Value weight, bias;
};

/// Those of what computes `op` in the quantized network.
KernelParameters getParameters(OperatorOp op, mlir::Operation *kernel);

/// What the weight of `op` is in both networks, by output channel, the first
/// dimension; empty if that isn't known. `inputScale` is that of the integers
/// that the kernel reads: plain integers of a bias have it as a factor.
std::vector<evaluation::ChannelWeight>
compareWeights(OperatorOp op, const KernelParameters &kernel, double inputScale,
               ConstantEvaluator &constants);

/// Whether the biases differ by more than rounding.
bool haveOtherBias(llvm::ArrayRef<evaluation::ChannelWeight> channels);

} // namespace qbackend

#endif // QBACKEND_LIB_INSIGHT_COMPARISON_COMPAREWEIGHTS_H
